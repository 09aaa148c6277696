import { deepEqual, equal } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { Inputs, MirrorsArgs } from "../../../../engine/mirroring/model/state.ts";
import { label } from "../../../../engine/mirroring/model/vocabulary.ts";
import {
  alias,
  args,
  argsFor,
  check,
  editing,
  having,
  run,
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
  linkObject,
  service,
} from "../../fixtures/objects.ts";

/** What has changed since the run before. */
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
const otherVersion = { ...web, metadata: { ...web.metadata, resourceVersion: "9" } };

const increments: Readonly<Record<string, Change>> = {
  "a mirror to create": clusters({ west: west(web, exported("shop/db")) }),
  "a mirror to delete": clusters({ west: west() }),
  "a mirror that was altered": edit(withLabels(reversed)),
  "a mirror that is missing": edit(() => undefined),
  "a Service that can't be mirrored": clusters({ west: west(web, exported("shop/db", {}, alias)) }),
  "a Service that can be mirrored again": state({
    notMirrored: { west: { "shop/db": "NoPorts" } },
  }),
  "a gateway that has moved, though no mirror leads there": clusters({ north: movedGateway }),
  "members whose ports no longer differ": state({ portConflicts: { "shop/bb": "differ" } }),
  "a cluster out of reach": clusters({ north: "unreachable" }),
  "a cluster that is back": state({ unreachable: ["north"] }),
  "the source out of reach": clusters({ east: "unreachable" }),
  "a mirror that another stack has taken over": edit((live) => confirmedBy("a/b", unmarked(live))),
  "another name of the stack": config({ stack: "mesh/renamed" }),
  "a new link": (scenario) => ({
    ...having(scenario, { south: cluster("south") }),
    args: argsFor(["west", "north", "south"]),
  }),
  "a removed link that mirrored nothing": state({ links: [...args.links, former] }),
  "another context, by which destroy reaches the cluster": contextOfWest({ context: "k3d-west" }),
  "a UID in the config": contextOfWest({ context: "west", uid: "uid-of-west" }),
};

const unchanged: Readonly<Record<string, Change>> = {
  "nothing at all": (scenario) => scenario,
  "another resource version of what is exported": clusters({ west: west(otherVersion) }),
  "a label that somebody has added to a mirror": edit(withLabels({ owner: "me" })),
  "links in another order": config({ links: argsFor(["north", "west"]).links }),
  "another limit of deletions": config({
    links: argsFor([{ target: "west", maxDeletions: 1 }, "north"]).links,
  }),
  "allowDeletions for removed links": config({ allowDeletions: true }),
  "a Service that nobody exports": clusters({ west: west(web, service("shop/own")) }),
};

describe("the revision of a source's mirrors", () => {
  it("is 1 where there is nothing to mirror, so that state knows the links", async () => {
    const { inputs } = await check({
      args: argsFor(["west"]),
      clusters: { east: cluster("east"), west: exporting("west", []) },
    });
    deepEqual([inputs.revision, inputs.mirrors], [1, {}]);
  });

  for (const [verb, revision, changes] of [
    ["increases", 2, increments],
    ["stays the same", 1, unchanged],
  ] as const)
    for (const [what, change] of Object.entries(changes))
      it(`${verb} for ${what}`, async () => {
        const { inputs, mistakes } = await check(change(await settled()));
        deepEqual([inputs.revision, mistakes], [revision, []]);
      });

  it("increases for a Link status that is out of date, which the preview shows", async () => {
    const scenario = await settled();
    const { source } = await run(scenario);
    const link = linkObject("west");
    const east = { ...source, links: new Map([["linkerd-multicluster/west" as const, link]]) };
    const { inputs } = await check({
      ...having(scenario, { east }),
      args: { ...args, statusIn: "linkerd-multicluster" },
    });
    equal(inputs.revision, 2);
    deepEqual(inputs.changes, {
      west: {
        "Link linkerd-multicluster/west": {
          "status.mirrorServices": "1 Service mirrored, 0 not",
        },
      },
    });
  });
});
