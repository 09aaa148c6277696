import { deepEqual } from "node:assert/strict";
import { linkDefaults, type LinkSpec } from "../../../../engine/model/link.ts";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../../../../engine/model/snapshot.ts";
import { edited } from "../../fixtures/edited.ts";
import { cluster, endpoints, exported, headless, pods } from "../../fixtures/objects.ts";
import { mirrorAt, wanted, west, nothingWanted } from "../../fixtures/link.ts";
import { actions, planned, reconciled, skipped, told } from "../../fixtures/reconcile.ts";

const web = exported("shop/web");
const db = headless("shop/db");
const target = west([web, db], [endpoints("shop/db", [pods(["db-0"])])]);
const former = reconciled({ target });
const renamed: Partial<LinkSpec> = { names: "{target}-{service}" };

describe("mirrors whose link names them", () => {
  it("have these names, those of pods too, and their endpoints lead to each other", () => {
    const { mirrors } = wanted({ target, link: renamed });
    deepEqual(mirrors.map(({ kind, name }) => [kind, name]).sort(), [
      ["endpoint", "west-db-0"],
      ["gateway", "west-web"],
      ["headless", "west-db"],
    ]);
    const root = mirrorAt("shop/west-db", { ...nothingWanted, mirrors });
    deepEqual(root.endpoints?.subsets[0]?.addresses, [
      { hostname: "db-0", endpointMirror: "shop/west-db-0" },
    ]);
    const pod = mirrorAt("shop/west-db-0", { ...nothingWanted, mirrors });
    deepEqual(
      [pod.labels["mirror.linkerd.io/headless-mirror-svc-name"], pod.origin],
      ["west-db", "shop/db"],
    );
  });

  it("may have the names of their Services if these are free", () => {
    const source = cluster("east", { namespaces: ["shop"], services: [exported("shop/web")] });
    const plan = planned({ target, source, link: { names: "{service}" } });
    deepEqual(actions(plan), ["create headless shop/db", "create endpoint shop/db-0"]);
    deepEqual(skipped(plan), ["NotOurs shop/web"]);
  });

  it("stay as they are in a second run, and a missing pod keeps its mirror", () => {
    for (const link of [renamed, { mirrorNamespaces: { shop: "far" } }]) {
      const source = cluster("east", { namespaces: ["shop", "far"] });
      const after = reconciled({ target, link, source });
      const away = west([web, db], [endpoints("shop/db", [])]);
      for (const each of [target, away])
        deepEqual(actions(planned({ target: each, link, source: after })), []);
    }
  });
});

describe("mirrors of former names", () => {
  const created = [
    "create headless shop/west-db",
    "create endpoint shop/west-db-0",
    "create gateway shop/west-web",
  ];
  const deleted = [
    "delete endpoint shop/db-0-west",
    "delete headless shop/db-west",
    "delete gateway shop/web-west",
  ];

  it("stay in the run that creates the present ones, and their lines say until when", () => {
    const plan = planned({ target, source: former, link: renamed });
    deepEqual(actions(plan), created);
    deepEqual(
      plan.mirrors["shop/web-west"],
      "gateway mirror of web: http 80→8080/TCP; stays until shop/west-web is in place",
    );
  });

  it("stay until the present ones are as they should be, and those of pods too", () => {
    const both = reconciled({ target, source: former, link: renamed });
    const lacking = (key: ObjectKey) => edited(both, key, { endpoints: () => undefined });
    const kept = (source: ClusterSnapshot) =>
      Object.keys(planned({ target, source, link: renamed }).mirrors).filter((key) =>
        key.endsWith("-west"),
      );
    deepEqual(kept(lacking("shop/west-web")), ["shop/web-west"]);
    for (const key of ["shop/west-db", "shop/west-db-0"] as const)
      deepEqual(kept(lacking(key)), ["shop/db-0-west", "shop/db-west"]);
    deepEqual(kept(both), []);
  });

  it("are deleted in the next run", () => {
    const both = reconciled({ target, source: former, link: renamed });
    deepEqual(actions(planned({ target, source: both, link: renamed })).sort(), deleted.sort());
  });

  it("stay for their own successors in a namespace and of a headless Service called svc", () => {
    const svc = west(
      [headless("svc/svc"), exported("svc/web"), exported("shop/web")],
      [endpoints("svc/svc", [pods(["db-0"])])],
    );
    const plan = planned({ target: svc, source: reconciled({ target: svc }), link: renamed });
    deepEqual(
      plan.decisions.flatMap((each) =>
        "successor" in each ? `${each.key} ${each.successor}` : [],
      ),
      [
        "shop/web-west shop/west-web",
        "svc/db-0-west svc/west-svc",
        "svc/svc-west svc/west-svc",
        "svc/web-west svc/west-web",
      ],
    );
  });

  it("are deleted at once with formerNames: delete", () => {
    const link = { ...renamed, formerNames: "delete" as const };
    const all = [...created, ...deleted].sort();
    deepEqual(actions(planned({ target, source: former, link })).sort(), all);
  });

  it("stay if a mirror can't have the present name, whatever formerNames says", () => {
    const mirrored = reconciled({ target: west([web]) });
    const taken = exported("shop/web");
    const services = new Map([...mirrored.services, ["shop/web" as const, taken]]);
    const source = { ...mirrored, services };
    for (const [link, reason] of [
      [{ names: `{service}-${"x".repeat(60)}` }, "NameTooLong"],
      [{ names: "1-{service}" }, "InvalidName"],
      [{ names: "{service}" }, "NotOurs"],
      [{ mirrorNamespaces: { shop: "none" } }, "MissingNamespace"],
    ] as const)
      for (const formerNames of ["keep", "delete"] as const) {
        const plan = planned({ target: west([web]), source, link: { ...link, formerNames } });
        deepEqual([actions(plan), skipped(plan)], [[], [`${reason} shop/web`]]);
      }
  });

  it("stay with their headless mirror if a single pod can't have its present name", () => {
    const long = "d".repeat(55);
    const named = west([db], [endpoints("shop/db", [pods([long])])]);
    const source = reconciled({ target: named, source: reconciled({ target: named }) });
    const link = { names: "far-away-{service}", formerNames: "delete" as const };
    const plan = planned({ target: named, source, link });
    deepEqual(actions(plan), ["create headless shop/far-away-db"]);
    deepEqual(skipped(plan), [`NameTooLong shop/db pod ${long}`]);
  });

  it("stay with their headless mirror, even those of missing pods", () => {
    const away = west([db], [endpoints("shop/db", [pods(["db-1"])])]);
    deepEqual(actions(planned({ target: away, source: former, link: renamed })), [
      "delete gateway shop/web-west",
      "create headless shop/west-db",
      "create endpoint shop/west-db-1",
    ]);
  });

  it("stay in the run that makes the present ones headless", () => {
    const both = reconciled({ target, source: former, link: { ...renamed, headless: false } });
    const kinds = { ...both, services: new Map([...former.services, ...both.services]) };
    const changes = actions(planned({ target, source: kinds, link: renamed }));
    deepEqual(changes.includes("replace headless shop/west-db"), true);
    deepEqual(changes.includes("delete headless shop/db-west"), false);
  });

  it("count neither as deletions nor as mirrors of their link", () => {
    const most = { maxDeletions: 0, maxMirrors: 3 };
    const first = planned({ target, source: former, link: { ...renamed, ...most } });
    deepEqual([first.refusal, actions(first)], [undefined, created]);
    const both = reconciled({ target, source: former, link: renamed });
    for (const [source, formerNames] of [
      [both, "keep"],
      [former, "delete"],
    ] as const) {
      const { refusal } = planned({ target, source, link: { ...renamed, ...most, formerNames } });
      deepEqual(refusal, undefined);
    }
    const fewer = planned({ target: west([db]), source: both, link: { ...renamed, ...most } });
    deepEqual(fewer.refusal?.includes("would delete 2 of its 6 mirrors"), true);
  });

  it("are deleted with their Services", () => {
    const plan = planned({ target: west([db]), source: former, link: renamed });
    deepEqual(actions(plan).includes("delete gateway shop/web-west"), true);
  });
});

describe("mirrors in namespaces of a link's own", () => {
  const source = cluster("east", { namespaces: ["shop", "shop-west", "blog"] });
  const link = { mirrorNamespaces: { shop: "shop-west", "*": "{namespace}-west" } };

  it("have their Endpoints there, and name the namespaces of their Services", () => {
    const plan = planned({ target, source, link });
    deepEqual(actions(plan), [
      "create endpoint shop-west/db-0-west",
      "create headless shop-west/db-west",
      "create gateway shop-west/web-west",
    ]);
    deepEqual(
      plan.wanted
        .map(({ annotations }) => annotations["mirror.linkerd.io/remote-svc-fq-name"])
        .sort(),
      ["db-0.db.shop.svc.cluster.local", "db.shop.svc.cluster.local", "web.shop.svc.cluster.local"],
    );
  });

  it("are created with the namespace, if the link creates namespaces", () => {
    const blog = west([exported("blog/web")]);
    deepEqual(told(planned({ target: blog, source, link })), [
      "MissingNamespace blog/web: east has no namespace blog-west: create it there, or set createNamespaces on the link",
    ]);
    const makes = { ...link, createNamespaces: true };
    deepEqual(planned({ target: blog, source, link: makes }).namespaces, ["blog-west"]);
  });

  it("are refused on a flat network, where Linkerd looks in the mirror's own namespace", () => {
    const { selector } = linkDefaults;
    const flat = { ...link, remoteDiscoverySelector: selector, selector: {} };
    deepEqual(told(planned({ target: west([web]), source, link: flat })), [
      "OtherNamespace shop/web: mirrorNamespaces puts its mirror into the namespace shop-west, and Linkerd discovers pods only for a mirror in the Service's own namespace: map shop to itself, or export it through a gateway",
    ]);
  });
});
