import { deepEqual, equal } from "node:assert/strict";
import { malformed, type Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { edited } from "../../fixtures/edited.ts";
import { fed, federated, listed, member, plannedFederation } from "../../fixtures/federation.ts";
import { type Situation, west } from "../../fixtures/link.ts";
import { cluster, endpoints, exported, headless, pods } from "../../fixtures/objects.ts";
import { planned, reconciled, told } from "../../fixtures/reconcile.ts";

/** An object of which a list says no more than its name. */
function broken<T extends Service | ReturnType<typeof endpoints>>(object: T): T {
  const { name, namespace } = object.metadata;
  return { metadata: { name, namespace }, spec: {}, [malformed]: "ports is no list" } as T;
}

const target = west(
  [exported("shop/web"), headless("shop/db")],
  [endpoints("shop/db", [pods(["db-0"])])],
);
const source = reconciled({ target });

describe("a malformed object", () => {
  const rows: [what: string, situation: Partial<Situation>, origin: string, kind: string][] = [
    [
      "an exported Service",
      { target: edited(target, "shop/web", { service: broken }) },
      "shop/web: west",
      "Service",
    ],
    [
      "the Endpoints of an exported Service",
      { target: edited(target, "shop/db", { endpoints: broken }) },
      "shop/db: west",
      "Endpoints",
    ],
    [
      "what has a mirror's name",
      { source: edited(source, "shop/web-west", { service: broken }) },
      "shop/web: east",
      "Service",
    ],
    [
      "Endpoints of a mirror's name",
      { source: edited(source, "shop/web-west", { endpoints: broken }) },
      "shop/web: east",
      "Endpoints",
    ],
  ];
  for (const [what, situation, origin, kind] of rows)
    it(`costs its own mirror alone, which stays as it is: ${what}`, () => {
      const plan = planned({ target, source, ...situation });
      deepEqual(told(plan), [
        `Malformed ${origin} answers with a malformed ${kind} (ports is no list), which Kubernetes would not have stored: see what its context leads to`,
      ]);
      deepEqual(plan.changes, []);
    });

  const bb = member("demo/bb");
  const at = (name: string, ...services: Service[]) => cluster(name, { services });

  it("leaves its cluster's member in the list, and brings none", () => {
    const targets = { east: at("east", broken(bb)), north: at("north") };
    const source = at("west", bb, fed("demo/bb", { remote: "bb@east,bb@north", local: "bb" }));
    equal(listed("demo/bb", federated({ source, targets })), "bb@east local bb");
    const alone = federated({ source: cluster("west", { namespaces: ["demo"] }), targets });
    equal(alone.services.size, 0);
  });

  it("leaves the local member, and all that the federated Service has from it", () => {
    const targets = { east: at("east", bb), north: at("north", bb) };
    const local = member("demo/bb", { labels: { of: "west" } });
    const before = federated({ source: at("west", local), targets });
    const source = edited(before, "demo/bb", { service: broken });
    deepEqual(plannedFederation({ source, targets }).changes, []);
  });
});
