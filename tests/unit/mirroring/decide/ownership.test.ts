import assert from "node:assert/strict";
import { mirrorsOf } from "../../../../engine/mirroring/model/owner.ts";
import type {
  Endpoints,
  Service,
  StringMap,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { edited, withLabels } from "../../fixtures/edited.ts";
import { cluster, endpoints, exported, headless, pods, service } from "../../fixtures/objects.ts";
import { actions, planned, reconciled, skipped } from "../../fixtures/reconcile.ts";

const mirrored = "mirror.linkerd.io/mirrored-service";
const clusterName = "mirror.linkerd.io/cluster-name";
const ours: StringMap = { [mirrored]: "true", [clusterName]: "west" };
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const web = cluster("west", { services: [exported("shop/web")] });
const nothing = cluster("west");

describe("whether an object is this link's", () => {
  const rows: [what: string, labels: StringMap | undefined, owned: boolean][] = [
    ["with both labels is", ours, true],
    ["with more labels is", { ...ours, app: "web" }, true],
    ["without labels is not", undefined, false],
    ["without the mirrored label is not", { [clusterName]: "west" }, false],
    ["with the mirrored label off is not", { ...ours, [mirrored]: "false" }, false],
    ["without a cluster, as federated Services are, is not", { [mirrored]: "true" }, false],
    ["of another cluster is not", { ...ours, [clusterName]: "north" }, false],
    [
      "that is Linkerd's probe of the gateway is not",
      { ...ours, "mirror.linkerd.io/mirrored-gateway": "true" },
      false,
    ],
  ];
  for (const [what, labels, owned] of rows)
    it(`one ${what}`, () => {
      const object = service("shop/web-west", labels === undefined ? {} : { labels });
      assert.equal(mirrorsOf("west").owns(object), owned);
    });
});

describe("what this link does not own", () => {
  const notOurs: [what: string, labels: StringMap][] = [
    ["a foreign Service", {}],
    ["another link's mirror", { ...ours, [clusterName]: "north" }],
    ["a mirror that somebody took the mirrored label off", { [clusterName]: "west" }],
    ["a mirror that somebody took the cluster off", { [mirrored]: "true" }],
    ["Linkerd's probe of the gateway", { ...ours, "mirror.linkerd.io/mirrored-gateway": "true" }],
  ];
  for (const [what, labels] of notOurs) {
    const live = service("shop/web-west", { labels });
    const lookalike = endpoints("shop/web-west", [], { labels: ours });

    it(`is not changed: ${what} at a mirror's name`, () => {
      const plan = planned({ target: web, source: cluster("east", { services: [live] }) });
      assert.deepEqual(plan.changes, []);
      assert.deepEqual(plan.mirrors, {});
      assert.deepEqual(skipped(plan), ["NotOurs shop/web"]);
    });

    it(`is not deleted: ${what} whose name nothing asks for`, () => {
      const plan = planned({ target: nothing, source: cluster("east", { services: [live] }) });
      assert.deepEqual([plan.changes, plan.skips], [[], []]);
    });

    it(`is not robbed of its Endpoints, though they say they are ours: ${what}`, () => {
      for (const target of [web, nothing]) {
        const source = cluster("east", { services: [live], endpoints: [lookalike] });
        assert.deepEqual(planned({ target, source }).changes, []);
      }
    });
  }

  it("is not changed: foreign Endpoints at a mirror's name, so that there is no mirror", () => {
    const foreign = endpoints("shop/web-west", [pods([""])]);
    const plan = planned({ target: web, source: cluster("east", { endpoints: [foreign] }) });
    assert.deepEqual(plan.changes, []);
    assert.deepEqual(skipped(plan), ["NotOurs shop/web"]);
  });

  it("is not deleted: foreign Endpoints of a mirror that has to go", () => {
    const source = cluster("east", {
      services: [service("shop/web-west", { labels: ours })],
      endpoints: [endpoints("shop/web-west", [pods([""])])],
    });
    const { changes } = planned({ target: nothing, source });
    assert.deepEqual(
      changes.map(({ verdict, live }) => [verdict, live.endpoints]),
      [["delete", undefined]],
    );
  });

  const sentences: [
    what: string,
    objects: { services?: Service[]; endpoints?: Endpoints[] },
    string,
  ][] = [
    [
      "a foreign Service",
      { services: [service("shop/web-west")] },
      "east already has a foreign Service shop/web-west: rename or delete it, or rename what is exported",
    ],
    [
      "foreign Endpoints",
      { endpoints: [endpoints("shop/web-west")] },
      "east already has a foreign Endpoints shop/web-west: rename or delete it, or rename what is exported",
    ],
    [
      "another cluster's mirror",
      { services: [service("shop/web-west", { labels: { ...ours, [clusterName]: "north" } })] },
      "east already has cluster north's mirror, the Service shop/web-west: rename or delete it, or rename what is exported",
    ],
    [
      "a mirror that does not go",
      { services: [service("shop/web-west", { labels: ours, ...going })] },
      "the Service shop/web-west on east is being deleted and a finalizer holds it: have it removed and run again",
    ],
  ];
  for (const [what, objects, sentence] of sentences)
    it(`is told by name, where it is in the way: ${what}`, () => {
      const { skips } = planned({ target: web, source: cluster("east", objects) });
      assert.deepEqual(
        skips.map((skip) => skip.sentence),
        [sentence],
      );
    });
});

describe("a mirror on its way out", () => {
  const live = service("shop/web-west", { labels: ours, ...going });

  it("is neither changed nor made anew while something holds it", () => {
    const plan = planned({ target: web, source: cluster("east", { services: [live] }) });
    assert.deepEqual(plan.changes, []);
    assert.deepEqual(skipped(plan), ["BeingDeleted shop/web"]);
    assert.deepEqual(Object.keys(plan.mirrors), ["shop/web-west"]);
  });

  it("is not deleted again", () => {
    const plan = planned({ target: nothing, source: cluster("east", { services: [live] }) });
    assert.deepEqual(plan.changes, []);
  });

  it("takes no pods' mirrors along as long as it is wanted", () => {
    const target = cluster("west", {
      services: [headless("shop/db")],
      endpoints: [endpoints("shop/db", [pods(["db-0"])])],
    });
    const before = reconciled({ target, source: cluster("east", { namespaces: ["shop"] }) });
    const source = edited(before, "shop/db-west", {
      service: ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, ...going } }),
    });
    const plan = planned({ target, source });
    assert.deepEqual(plan.changes, []);
    assert.deepEqual(Object.keys(plan.mirrors).sort(), ["shop/db-0-west", "shop/db-west"]);
  });
});

describe("a pod's mirror that is not ours", () => {
  it("is left alone, and its headless mirror goes on without it", () => {
    const target = cluster("west", {
      services: [headless("shop/db")],
      endpoints: [endpoints("shop/db", [pods(["db-0", "db-1"])])],
    });
    const before = reconciled({ target, source: cluster("east", { namespaces: ["shop"] }) });
    const source = edited(before, "shop/db-1-west", {
      service: withLabels({ [mirrored]: undefined }),
    });
    const plan = planned({ target, source });
    assert.deepEqual(actions(plan), ["update headless shop/db-west"]);
    assert.deepEqual(skipped(plan), ["NotOurs shop/db pod db-1"]);
    const after = reconciled({ target, source });
    assert.deepEqual(after.services, source.services);
    assert.deepEqual(
      after.endpoints.get("shop/db-west")?.subsets?.flatMap(({ addresses = [] }) => addresses),
      [{ hostname: "db-0", ip: "10.96.0.1" }],
    );
  });
});
