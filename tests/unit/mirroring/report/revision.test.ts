import { deepEqual, equal } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { label } from "../../../../engine/mirroring/model/vocabulary.ts";
import type { Inputs, MirrorsArgs } from "../../../../engine/mirroring/model/state.ts";
import { withLabels } from "../../fixtures/edited.ts";
import { confirmedBy, unmarked } from "../../fixtures/marks.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster, exported, service } from "../../fixtures/objects.ts";
import {
  alias,
  args,
  editedEast,
  type Setting,
  settled,
  unreachable,
  viaDiscovery,
  web,
  west,
} from "../../fixtures/settled.ts";
import {
  argsFor,
  exporting,
  gatewayService,
  linkObject,
  type LivingClusters,
  preview,
  up,
} from "../../fixtures/world.ts";

type Change = (setting: Setting) => Partial<Setting> | Promise<Partial<Setting>>;

const having =
  (more: LivingClusters): Change =>
  ({ clusters }) => ({
    clusters: { ...clusters, ...more },
  });
const withEast =
  (edit: (service: Service) => Service | undefined): Change =>
  async (setting) => ({
    clusters: { ...setting.clusters, east: await editedEast(setting, edit) },
  });
const saying =
  (more: Partial<MirrorsArgs>): Change =>
  () => ({ args: { ...args, ...more } });
const reaching = (west: MirrorsArgs["clusters"][string]) =>
  saying({ clusters: { ...args.clusters, west } });
const remembering =
  (more: Partial<Inputs>): Change =>
  ({ before }) => ({ before: { ...before, ...more } });

const north = exporting("north", [viaDiscovery]);
const elsewhere = {
  ...north,
  services: new Map([
    ...north.services,
    ["linkerd-multicluster/linkerd-gateway" as const, gatewayService("north", "192.0.2.77")],
  ]),
};

const reasons: [what: string, change: Change][] = [
  ["a mirror to come", having({ west: west(web, exported("shop/db")) })],
  ["a mirror to go", having({ west: west() })],
  [
    "a mirror that was altered",
    withEast(withLabels({ [label.mirrored]: "true", [label.exported]: "x" })),
  ],
  ["a mirror that is missing", withEast(() => undefined)],
  [
    "a Service that cannot be mirrored",
    having({ west: west(web, exported("shop/db", {}, alias)) }),
  ],
  ["one that can again", remembering({ notMirrored: { west: { "shop/db": "NoPorts: x" } } })],
  [
    "a gateway that has moved, though no mirror leads there",
    having({ north: new MemoryCluster(elsewhere) }),
  ],
  ["members whose ports no longer differ", remembering({ portConflicts: { "shop/bb": "differ" } })],
  ["a cluster out of reach", having({ north: unreachable("north") })],
  ["a cluster that is back", remembering({ unreachable: ["north"] })],
  ["the source out of reach", having({ east: unreachable("east") })],
  [
    "a mirror that another stack alone has confirmed",
    withEast((live) => confirmedBy("a/b", unmarked(live))),
  ],
  ["another name of the stack", saying({ stack: "mesh/renamed" })],
  [
    "a link that is new",
    ({ clusters }) => ({
      args: argsFor(["west", "north", "south"]),
      clusters: { ...clusters, south: new MemoryCluster(cluster("south")) },
    }),
  ],
  [
    "a link that has left, though it mirrored nothing",
    remembering({ links: [...args.links, { source: "east", target: "south" }] }),
  ],
  ["another context, since destroy goes by what state says", reaching({ context: "k3d-west" })],
  ["a UID that the config says", reaching({ context: "west", uid: "uid-of-west" })],
];

const never: [what: string, change: Change][] = [
  ["nothing at all", () => ({})],
  [
    "another resource version of what is exported",
    having({ west: west({ ...web, metadata: { ...web.metadata, resourceVersion: "9" } }) }),
  ],
  ["a label of somebody's own on a mirror", withEast(withLabels({ owner: "me" }))],
  ["links in another order", () => ({ args: argsFor(["north", "west"]) })],
  [
    "another limit of deletions",
    () => ({ args: argsFor([{ target: "west", maxDeletions: 1 }, "north"]) }),
  ],
  ["leave to delete what removed links have brought", saying({ allowDeletions: true })],
  ["a Service that nobody exports", having({ west: west(web, service("shop/own")) })],
];

describe("the revision of a source's mirrors", () => {
  it("is the first where there is nothing to mirror, so that state knows the links", async () => {
    const clusters = { east: new MemoryCluster(cluster("east")), west: west() };
    const { inputs } = await preview(clusters, argsFor(["west"]));
    deepEqual([inputs.revision, inputs.mirrors], [1, {}]);
  });

  for (const [verb, revision, changes] of [
    ["goes up", 2, reasons],
    ["stays", 1, never],
  ] as const)
    for (const [what, change] of changes)
      it(`${verb} for ${what}`, async () => {
        const setting = await settled();
        const { clusters, args, before } = { ...setting, ...(await change(setting)) };
        const { inputs, mistakes } = await preview(clusters, args, before);
        deepEqual([inputs.revision, mistakes], [revision, []]);
      });

  it("goes up for a Link status that is out of date, and tells it", async () => {
    const { clusters, before } = await settled();
    const east = new MemoryCluster(await clusters.east.snapshot(), { links: [linkObject("west")] });
    const of = { ...args, statusIn: "linkerd-multicluster" };
    const { inputs } = await preview({ ...clusters, east }, of, before);
    equal(inputs.revision, 2);
    deepEqual(inputs.changes, {
      west: {
        "Link linkerd-multicluster/west": {
          "status.mirrorServices": "1 Service mirrored, 0 not",
        },
      },
    });
    await up({ ...clusters, east }, of, before);
    equal((await preview({ ...clusters, east }, of, inputs)).inputs.revision, 2);
  });
});
