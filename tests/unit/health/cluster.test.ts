import { deepEqual, equal, match, ok } from "node:assert/strict";
import { clientsMeshed } from "../../../engine/health/checks/pods.ts";
import { linksServed } from "../../../engine/health/checks/link.ts";
import { federatedInOrder } from "../../../engine/health/checks/mirrors.ts";
import { noOrphans } from "../../../engine/health/checks/orphans.ts";
import type { CheckedCluster } from "../../../engine/health/health-check.ts";
import { readMesh } from "../../../engine/reading/read-mesh.ts";
import type { ClusterReading } from "../../../engine/reading/reading.ts";
import { valueIn } from "../../../engine/base/result.ts";
import { desiredFederated } from "../../../engine/mirroring/decide/mirrors/federated.ts";
import { federatedPart } from "../../../engine/model/owner.ts";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import { annotation, label } from "../../../engine/model/vocabulary.ts";
import type { Controllers } from "../../../engine/model/controller.ts";
import { fed, undrained } from "../fixtures/federation.ts";
import { link } from "../fixtures/link.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import { confirmed, confirmedBy } from "../fixtures/marks.ts";
import { SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { cluster, service } from "../fixtures/objects.ts";
import { planPart } from "../fixtures/reconcile.ts";
import { clusterView, east, mesh, reading, tellsOf, unread } from "./views.ts";

describe("health of a cluster: Links are served", () => {
  const tells = tellsOf(linksServed);
  const withLinks = (links: NonNullable<ClusterReading["linkerd"]>["links"]) =>
    clusterView({ reading: reading(east, { links }) });

  tells("passes without a Link", withLinks({ value: [] }));
  tells("fails if the cluster does not serve Links", withLinks({ value: undefined }), [
    "fatal: cluster east does not serve links.multicluster.linkerd.io in version v1alpha3: run pulumi up, which installs the multicluster extension (manage: all, the default)",
  ]);
  const why = "cluster east does not let user me list links";
  tells("fails if Links may not be listed", withLinks(unread(why)), [`fatal: ${why}`]);
});

describe("health of a cluster: every mirror belongs to a link", () => {
  const tells = tellsOf(noOrphans);
  const federated = unread("");
  const withServices = (
    services: ReturnType<typeof service>[],
    more: Partial<CheckedCluster> = {},
  ) => clusterView({ reading: reading(cluster("east", { services })), federated, ...more });
  const mirrorOf = (name: string, key: `${string}/${string}`, more = {}) =>
    service(key, { labels: { [label.mirrored]: "true", [label.cluster]: name, ...more } });
  const gone = [mirrorOf("gone", "shop/web-gone"), mirrorOf("gone", "shop/api-gone")];
  const orphans =
    "warning: 2 mirrors of cluster gone that no stack has marked, and no link of this stack targets that cluster from here: east/shop/web-gone, east/shop/api-gone: delete them if they are no longer needed. Fix: kubectl --context k3d-east --namespace shop delete service web-gone api-gone";
  const leavingFrom = (source: string) =>
    withServices(gone, { mesh: mesh({ leaving: [{ source, target: "gone" }] }) });

  const probe = mirrorOf("gone", "linkerd-multicluster/probe", { [label.mirroredGateway]: "true" });
  tells("ignores probe Services", withServices([probe]));
  tells(
    "warns of mirrors without a link, with the command to delete them",
    withServices([...gone, mirrorOf("west", "shop/web-west")]),
    [orphans],
  );
  const withControllers = (controllers: Controllers) => {
    const view = withServices(gone);
    return { ...view, reading: { ...view.reading, controllers } };
  };
  const counts = { replicas: 1, ready: 1 };
  const controller = { namespace: "linkerd-multicluster", name: "controller-gone", ...counts };
  tells(
    "ignores mirrors that Linkerd's controller mirrors",
    withControllers({ value: [{ ...controller, target: "gone" }] }),
  );
  tells("gives no command if Linkerd's controllers are unknown", withControllers(unread("")), [
    orphans.replace(
      /no longer needed.*/,
      "no longer needed by Linkerd's controller or anybody else",
    ),
  ]);
  tells("ignores mirrors of a link that this run removes", leavingFrom("east"));
  tells("warns of mirrors if this run removes the link of another source", leavingFrom("north"), [
    orphans,
  ]);
  const united = service("shop/web-federated", {
    labels: { [label.mirrored]: "true" },
    annotations: { [annotation.remoteMembers]: "web@west,web@gone" },
  });
  tells("warns of members of a federated Service without a link", withServices([united]), [
    "warning: federated Service east/shop/web-federated has the member web@gone, but no link of this stack targets cluster gone from here and no stack has marked it: remove it from the annotation if nobody needs it",
  ]);
  it("has few findings, however many members and mirrors somebody forges", () => {
    const members = Array.from({ length: 2_000 }, (_, index) => `a@${index}`).join(",");
    const forged = Array.from({ length: 60 }, (_, index) => [
      service(`shop/a-${index}-federated`, {
        labels: { [label.mirrored]: "true" },
        annotations: { [annotation.remoteMembers]: members },
      }),
      mirrorOf(`gone-${index}`, `shop/web-gone-${index}`),
    ]);
    const found = noOrphans.run(withServices(forged.flat()));
    ok(!("skipped" in found));
    const sentences = found.map((each) => (typeof each === "string" ? each : each.sentence));
    equal(sentences.length, 2 * 21);
    ok(sentences.every((sentence) => sentence.length < 1_000));
    match(sentences[20] ?? "", /the same is true of 40 more clusters with mirrors in east/);
    match(sentences[21] ?? "", /has 2,000 members \(a@0, .* and 1,990 more\), but no link/);
    match(sentences[41] ?? "", /the same is true of 40 more federated Services in east/);
  });

  const theirs = [
    confirmedBy("acme/other/prod", mirrorOf("gone", "shop/web-gone")),
    confirmed(managerOf("acme/other/prod", "gone"), united),
  ];
  const ours = gone.map((mirror) => confirmedBy("acme/mesh/dev", mirror));
  for (const [stack, ...found] of [
    [
      "*/mesh/dev",
      "warning: 2 mirrors of cluster gone that this stack has marked, and no link of this stack targets that cluster from here: east/shop/web-gone, east/shop/api-gone: linkerd-clusters status says what the next run does with them",
    ],
    ["*"],
  ] as const)
    tells(
      `${found.length === 0 ? "knows no" : "warns of"} mirrors that this stack has marked, if it is ${stack}`,
      withServices(ours, { mesh: mesh({ stack }) }),
      found,
    );
  tells("ignores mirrors and members that another stack has marked", withServices(theirs));
  const prod = "acme/other/prod";
  const adopting = (...services: Service[]) => {
    const links = [
      { link: link({ adoptFrom: [prod, "acme/mesh/dev"] }), mirroring: "pulumi" },
    ] as const;
    return { ...withServices(services), mesh: mesh({ links, stack: "acme/mesh/dev" }) };
  };
  const routeTo = (name: string) =>
    confirmedBy(prod, {
      metadata: {
        namespace: "shop",
        name: "web-failover-80",
        labels: { "app.kubernetes.io/managed-by": "linkerd-multicluster" },
      },
      spec: { rules: [{ backendRefs: [{ name }] }] },
    });
  const ofWest = fed("shop/api", { remote: "api@west", local: "api" });
  tells(
    "warns of what adoptFrom has left to the other stack",
    {
      ...adopting(
        confirmedBy(prod, mirrorOf("west", "shop/web-west")),
        confirmed(managerOf(prod, ".local"), ofWest),
      ),
      httpRoutes: [routeTo("web-west"), routeTo("web-north")],
    },
    [
      `warning: stack ${prod}, from which link east → west adopts (adoptFrom), still has 3 objects here: east/shop/web-west, east/shop/api-federated, HTTPRoute east/shop/web-failover-80: take the link out of that stack and run it; if the stack is gone, delete those that nobody needs`,
    ],
  );
  const kept = fed("shop/api", { remote: "api@west,api@north", local: "api" });
  tells(
    "ignores what belongs to other links of that stack, or to this one",
    adopting(
      confirmedBy(prod, mirrorOf("north", "shop/web-north")),
      confirmedBy("acme/mesh/dev", mirrorOf("west", "shop/web-west")),
      confirmed(managerOf(prod, "north"), confirmed(managerOf(prod, ".local"), kept)),
    ),
  );
});

describe("health of a cluster: federated Services", () => {
  const tells = tellsOf(federatedInOrder);
  const member = service("shop/api", { labels: { [label.federated]: "member" } });
  const target = cluster("west", { services: [member] });
  const source = cluster("east", { namespaces: ["shop"] });
  const links = [{ link: link(), target, created: undefined }];
  const wanted = desiredFederated({
    ...undrained,
    source,
    links,
    removed: [],
    stacks: [],
    controllers: { value: [] },
  });
  const federated = { value: planPart(federatedPart, wanted, source).decisions };
  tells("fails if one is missing", clusterView({ federated }), [
    "error: federated Service east/shop/api-federated is missing. Fix: pulumi up",
  ]);

  const { federated: _none, ...without } = clusterView();
  tells("is skipped if no link contributes to any", without, [
    "skipped: this stack mirrors nothing into this cluster",
  ]);
  tells("is skipped if a cluster can't be read", clusterView({ federated: { value: undefined } }), [
    "skipped: a cluster that it takes can't be read",
  ]);
});

describe("health of a cluster: clients of mirrors have a proxy", () => {
  const tells = tellsOf(clientsMeshed);
  const beside = (unmeshed: NonNullable<ClusterReading["unmeshed"]>) =>
    clusterView({ reading: { ...reading(east), unmeshed } });

  tells("warns of pods without a proxy, by namespace", beside({ value: ["shop/curl"] }), [
    "warning: namespace east/shop has mirrors, and pods without Linkerd's proxy, such as shop/curl, whose requests to a mirror fail: set linkerd.io/inject: enabled on the namespace and restart them, or linkerd.io/inject: disabled on pods that call no other cluster",
  ]);
  const why = "pods is forbidden";
  const skipped = `skipped: its pods can't be read: ${why}`;
  tells("is skipped if pods can't be read", beside(unread(why)), [skipped]);

  it("passes over a pod that opts out, and names the next one", async () => {
    const services = [service("shop/web-west", { labels: { [label.mirrored]: "true" } })];
    const server = serverWith(cluster("east", { services }));
    const annotations = { "linkerd.io/inject": "disabled" };
    server.put("pods", { metadata: { name: "batch", namespace: "shop", annotations } });
    const need = { clusters: { east: { clients: true } }, links: [] };
    const unmeshed = async () => {
      const { clusters } = await readMesh(mesh(), new SimulatedClusters({ east: server }), need);
      return valueIn(clusters.get("east")?.unmeshed);
    };
    deepEqual(await unmeshed(), []);
    server.put("pods", { metadata: { name: "curl", namespace: "shop" } });
    deepEqual(await unmeshed(), ["shop/curl"]);
  });

  it("reads up to 20 namespaces", async () => {
    const mirrors = Array.from({ length: 25 }, (_, index) =>
      service(`shop-${index}/web-west`, { labels: { [label.mirrored]: "true" } }),
    );
    const many = serverWith(cluster("east", { services: mirrors }));
    for (const { metadata } of mirrors)
      many.put("pods", { metadata: { name: "curl", namespace: metadata.namespace } });
    const need = { clusters: { east: { clients: true } }, links: [] };
    const { clusters } = await readMesh(mesh(), new SimulatedClusters({ east: many }), need);
    equal(valueIn(clusters.get("east")?.unmeshed)?.length, 20);
  });
});
