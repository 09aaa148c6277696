import assert from "node:assert/strict";
import {
  type Endpoints,
  malformed,
  type ObjectKey,
  type Service,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { malformedObject } from "../../../../engine/mirroring/model/reasons.ts";
import type { ClusterSnapshot } from "../../../../engine/mirroring/model/snapshot.ts";
import { fed, federated, listed, member, plannedFederation } from "../../fixtures/federation.ts";
import { cluster, endpoints, exported, headless, pods, service } from "../../fixtures/objects.ts";
import { actions, planned, reconciled } from "../../fixtures/reconcile.ts";

const problem = "ports is no list";
/** An object of which a list says no more than its name. */
const brokenService = ({ metadata: { name, namespace } }: Service): Service => ({
  metadata: { name, namespace },
  spec: {},
  [malformed]: problem,
});
const brokenEndpoints = ({ metadata: { name, namespace } }: Endpoints): Endpoints => ({
  metadata: { name, namespace },
  [malformed]: problem,
});
const withService = (snapshot: ClusterSnapshot, object: Service, key: ObjectKey) => ({
  ...snapshot,
  services: new Map(snapshot.services).set(key, object),
});

const db = headless("shop/db");
const dbPods = endpoints("shop/db", [pods(["db-0"])]);
const target = cluster("west", { services: [exported("shop/web"), db], endpoints: [dbPods] });
const settled = reconciled({ target, source: cluster("east", { namespaces: ["shop"] }) });

describe("a malformed object", () => {
  const rows: readonly (readonly [
    what: string,
    kind: "Service" | "Endpoints",
    situation: { readonly target?: ClusterSnapshot; readonly source?: ClusterSnapshot },
    origin: ObjectKey,
  ])[] = [
    [
      "an exported Service",
      "Service",
      { target: withService(target, brokenService(exported("shop/web")), "shop/web") },
      "shop/web",
    ],
    [
      "the Endpoints of an exported Service",
      "Endpoints",
      { target: { ...target, endpoints: new Map([["shop/db", brokenEndpoints(dbPods)]]) } },
      "shop/db",
    ],
    [
      "what has a mirror's name",
      "Service",
      { source: withService(settled, brokenService(service("shop/web-west")), "shop/web-west") },
      "shop/web",
    ],
    [
      "Endpoints of a mirror's name",
      "Endpoints",
      {
        source: {
          ...settled,
          endpoints: new Map(settled.endpoints).set(
            "shop/web-west",
            brokenEndpoints(endpoints("shop/web-west")),
          ),
        },
      },
      "shop/web",
    ],
  ];
  for (const [what, kind, situation, origin] of rows)
    it(`costs its own mirror alone, which stays as it is: ${what}`, () => {
      const { skips, changes } = planned({ target, source: settled, ...situation });
      const where = situation.target === undefined ? "east" : "west";
      assert.deepEqual(
        skips.map((skip) => [skip.origin, skip.reason, skip.sentence]),
        [[origin, "Malformed", malformedObject(where, kind, problem).sentence]],
      );
      assert.deepEqual(changes, []);
    });

  const bb = member("demo/bb");
  const broken = brokenService(bb);
  const at = (name: string, ...services: Service[]) => cluster(name, { services });
  const listing = at("west", fed("demo/bb", { remote: "bb@east,bb@north", local: "bb" }));

  it("leaves its cluster's member in the list, and brings none", () => {
    const targets = { east: at("east", broken), north: at("north") };
    const source = withService(listing, bb, "demo/bb");
    assert.equal(listed("demo/bb", federated({ source, targets })), "bb@east local bb");
    const alone = federated({ source: cluster("west", { namespaces: ["demo"] }), targets });
    assert.equal(alone.services.size, 0);
  });

  it("leaves the local member, and all that the federated Service has from it", () => {
    const targets = { east: at("east", bb), north: at("north", bb) };
    const before = federated({
      source: at("west", member("demo/bb", { labels: { of: "west" } })),
      targets,
    });
    const source = withService(before, broken, "demo/bb");
    assert.deepEqual(actions(plannedFederation({ source, targets })), []);
  });
});
