import { deepEqual } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { Inputs, MirrorsArgs } from "../../../../engine/model/state.ts";
import { label } from "../../../../engine/model/vocabulary.ts";
import {
  alias,
  args,
  argsFor,
  check,
  editing,
  having,
  type Scenario,
  settled,
  web,
  west,
} from "../../fixtures/checked.ts";
import { withLabels } from "../../fixtures/edited.ts";
import { link } from "../../fixtures/link.ts";
import { confirmedBy, unmarked } from "../../fixtures/marks.ts";
import {
  cluster,
  exported,
  exporting,
  flat,
  gatewayService,
  service,
} from "../../fixtures/objects.ts";

/** A change since the previous run. */
type Change = (scenario: Settled) => Scenario;
type Settled = Awaited<ReturnType<typeof settled>>;

const clusters =
  (changed: Scenario["clusters"]): Change =>
  (scenario) =>
    having(scenario, changed);
const edit =
  (edited: (live: Service) => Service | undefined): Change =>
  (scenario) =>
    editing(scenario, edited);
const config =
  (changed: Partial<MirrorsArgs>): Change =>
  (scenario) => ({ ...scenario, args: { ...args, ...changed } });
const state =
  (changed: Partial<Inputs>): Change =>
  (scenario) => ({ ...scenario, before: { ...scenario.before, ...changed } });
const contextOfWest = (entry: MirrorsArgs["clusters"][string]) =>
  config({ clusters: { ...args.clusters, west: entry } });

const movedGateway = cluster("north", {
  services: [gatewayService("north", "192.0.2.77"), flat("shop/api")],
});
const reversed = { [label.mirrored]: "true", [label.exported]: "x" };
const former = link({ target: "south" });

const increments: Readonly<Record<string, Change>> = {
  "a mirror to create": clusters({ west: west(web, exported("shop/db")) }),
  "a mirror to delete": clusters({ west: west() }),
  "an edited mirror": edit(withLabels(reversed)),
  "a missing mirror": edit(() => undefined),
  "a Service that can't be mirrored": clusters({ west: west(web, exported("shop/db", {}, alias)) }),
  "a Service that can be mirrored again": state({
    notMirrored: { west: { "shop/db": "NoPorts" } },
  }),
  "a gateway with another address, even if no mirror uses it": clusters({ north: movedGateway }),
  "a resolved conflict of members' ports": state({ portConflicts: { "shop/bb": "differ" } }),
  "an unreachable cluster": clusters({ north: "unreachable" }),
  "a cluster that is reachable again": state({ unreachable: ["north"] }),
  "an unreachable source": clusters({ east: "unreachable" }),
  "a mirror that another stack has adopted": edit((live) => confirmedBy("a/b", unmarked(live))),
  "a renamed stack": config({ stack: "mesh/renamed" }),
  "a new link": (scenario) => ({
    ...having(scenario, { south: cluster("south") }),
    args: argsFor(["west", "north", "south"]),
  }),
  "a removed link without mirrors": state({ links: [...args.links, former] }),
  "another context, which destroy will need": contextOfWest({ context: "k3d-west" }),
  "a UID in the config": contextOfWest({ context: "west", uid: "uid-of-west" }),
};

function withoutManagedFields({ clusters: { east, ...others }, ...scenario }: Settled): Scenario {
  if (typeof east !== "object") throw new Error("the source can't be read");
  const services = new Map([...east.services].map(([key, live]) => [key, unmarked(live)] as const));
  return { ...scenario, clusters: { ...others, east: { ...east, services } } };
}

const unchanged: Readonly<Record<string, Change>> = {
  "an unchanged mesh": (scenario) => scenario,
  "links in another order": config({ links: argsFor(["north", "west"]).links }),
  "another maxDeletions": config({
    links: argsFor([{ target: "west", maxDeletions: 1 }, "north"]).links,
  }),
  "allowDeletions for removed links": config({ allowDeletions: true }),
  "an API server that leaves out managedFields": withoutManagedFields,
  "a Service that isn't exported": clusters({ west: west(web, service("shop/own")) }),
};

describe("the revision of a source's mirrors", () => {
  it("is 1 if there is nothing to mirror, so that state has the links", async () => {
    const { inputs } = await check({
      args: argsFor(["west"]),
      clusters: { east: cluster("east"), west: exporting("west", []) },
    });
    deepEqual([inputs.revision, inputs.mirrors], [1, {}]);
  });

  for (const { verb, revision, changes } of [
    { verb: "increases", revision: 2, changes: increments },
    { verb: "stays the same", revision: 1, changes: unchanged },
  ])
    for (const [what, change] of Object.entries(changes))
      it(`${verb} for ${what}`, async () => {
        const { inputs, mistakes } = await check(change(await settled()));
        deepEqual([inputs.revision, mistakes], [revision, []]);
      });
});
