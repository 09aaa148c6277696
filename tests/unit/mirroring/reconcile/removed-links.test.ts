import { deepEqual } from "node:assert/strict";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { removedLinks } from "../../../../engine/mirroring/decide/policies/removed-links.ts";
import { mirrorsBefore } from "../../../../engine/mirroring/model/state.ts";
import { member } from "../../fixtures/federation.ts";
import { confirmedBy, marked, markersOf, unmarked } from "../../fixtures/marks.ts";
import { exported } from "../../fixtures/objects.ts";
import {
  type Change,
  destruction,
  expectFacts,
  secondRun,
  unreachable,
  west,
} from "../../fixtures/settled.ts";
import { argsFor, controller, preview, up } from "../../fixtures/world.ts";

/** What is left of the config once the link to `west` is gone. */
const rest = argsFor(["north"]);
const strict = argsFor([{ target: "west", maxDeletions: 0 }, "north"]);
const bb = { west: west(member("shop/bb")) };
const many = Array.from({ length: 12 }, (_, index) => `shop/web-${index}` as const);
const links = [{ source: "east", target: "west" }];

const left = { failures: [], left: ["shop/api-north"] };
const kept = { failures: [], left: ["shop/api-north", "shop/web-west"] };
const says = "Deployment east/linkerd-multicluster/controller-west";
const mirrored = (target: string, replicas?: number): Change => ({
  more: { deployments: [controller(target, replicas)] },
});
const theirs = (live: Service) => confirmedBy("other/prod", live);

const rows: [rule: string, change: Change, expected: Readonly<Record<string, unknown>>][] = [
  [
    "takes its mirrors along, which a preview shows",
    {},
    {
      ...{ ...left, revision: 2, removedLinks: links },
      notes: ["east <- west: -1 (- shop/web-west); nothing is left of shop/web"],
    },
  ],
  ["needs nothing of its target for that", { clusters: { west: unreachable("west") } }, left],
  [
    "takes mirrors along that somebody has deleted already, and a preview says so",
    { edit: () => undefined },
    {
      ...left,
      changes: {
        west: { "shop/web-west": { action: "forget: already deleted, or no longer owned" } },
      },
    },
  ],
  [
    "is known by its mirrors' mark where no run has noted it, as one that has failed",
    {
      // The engine keeps the inputs of the run before the one that has failed.
      before: (inputs) => ({
        links: rest.links,
        mirrors: { north: mirrorsBefore(inputs, "north") },
      }),
    },
    { ...left, notes: /^east <- west: -1 \(- shop\/web-west\)/ },
  ],
  [
    "takes its members of federated Services along",
    { first: bb },
    { ...left, removedLinks: links },
  ],
  [
    "is held to the limit that it had",
    { of: strict },
    {
      left: kept.left,
      removedLinks: [{ ...links[0], maxDeletions: 0 }],
      refused:
        /link east\/west is no longer in the config, and the run would delete 1 of its 1 mirror on east, and maxDeletions \(0\) allows 0/,
    },
  ],
  [
    "is held to it whatever was allowed while it was in the config",
    { of: argsFor([{ target: "west", maxDeletions: 0, allowDeletions: true }, "north"]) },
    { left: kept.left, refused: /maxDeletions \(0\) allows 0/ },
  ],
  [
    "is remembered for as long as it is refused",
    { of: strict, before: ({ links: removedLinks }) => ({ links: rest.links, removedLinks }) },
    { left: kept.left, refused: /maxDeletions \(0\) allows 0/ },
  ],
  [
    "may exceed its limit where linkDefaults allows it",
    { of: strict, args: { ...rest, allowDeletions: true } },
    left,
  ],
  [
    "is held to no limit where its target is revoked",
    { of: strict, args: { ...rest, revokedTargets: ["west"] } },
    left,
  ],
  [
    "is held to the default limit where it had none",
    { first: { west: west(...many.map((key) => exported(key))) } },
    { refused: /would delete 12 of its 12 mirrors .* maxDeletions \(50%\) allows 6/ },
  ],
  [
    "is held to that for the members of federated Services too",
    { first: { west: west(...many.map((key) => member(key))) } },
    { refused: /would delete 12 of its 12 members of federated/ },
  ],
  [
    "leaves of its mirrors those without this stack's mark, and says so",
    { first: { west: west(exported("shop/web"), exported("shop/cart")) }, edit: unmarked },
    {
      ...kept,
      notes:
        /^east <- west: 1 mirror stays, because no stack's mark is on them, .*: kubectl --context east --namespace shop delete service web-west \(shop\/web-west\)$/m,
    },
  ],
  [
    "is not looked for in mirrors without a mark where no run has noted it",
    { edit: unmarked, before: () => ({ links: rest.links }) },
    { ...kept, removedLinks: undefined },
  ],
  ...[undefined, 0, 1].map((replicas): (typeof rows)[number] => [
    `leaves its mirrors to a controller of ${replicas ?? "no number of"} replicas, ready or not, without this stack's mark`,
    mirrored("west", replicas),
    {
      ...kept,
      removedLinks: undefined,
      notes: [
        "east <- west: 1 forgotten",
        `east <- west: its mirrors stay, because ${says} mirrors it now`,
      ],
      changes: { west: { "shop/web-west": { action: `leave: ${says} keeps it` } } },
      writes: ["update services shop/web-west"],
    },
  ]),
  [
    "leaves members of federated Services to a controller",
    { first: bb, ...mirrored("west", 1) },
    { failures: [], left: ["shop/api-north", "shop/bb-federated"] },
  ],
  ["takes its mirrors along where the controller is another link's", mirrored("north", 1), left],
  [
    "leaves its mirrors where the config says so, without asking for Deployments",
    {
      args: { ...rest, controllerLinks: ["west"] },
      refuse: (request) => (request === "list deployments" ? "forbidden" : undefined),
    },
    { ...kept, notes: /because Linkerd's controller \(mirroring: controller\) mirrors it now/ },
  ],
  ...(["forbidden", "server"] as const).map((kind): (typeof rows)[number] => [
    `leaves its mirrors as long as Deployments cannot be listed (${kind}), and the run says so`,
    { refuse: (request) => (request === "list deployments" ? kind : undefined) },
    {
      left: kept.left,
      removedLinks: links,
      notes: /^east <- west: its mirrors stay for now, because cluster east [^;]*list deployments/,
      refused: /not known whether a controller of Linkerd's mirrors it now: cluster east /,
      failures: /^the mirrors of the removed link east\/west stay, because it is not known/,
    },
  ]),
  [
    "has nothing to do with mirrors that another stack alone keeps",
    { edit: (live) => theirs(unmarked(live)) },
    { ...kept, writes: [] },
  ],
  [
    "takes mirrors along that this stack has marked under a former name",
    { args: { ...rest, stack: "mesh/new" } },
    left,
  ],
];

describe("a link that has left the config", () => {
  for (const [rule, change, expected] of rows)
    it(rule, async () => {
      expectFacts(await secondRun({ args: rest, ...change }), expected);
    });

  it("is forgotten once its mirrors are gone, or left to others", async () => {
    for (const change of [{}, mirrored("west", 1), { edit: theirs }]) {
      const { clusters, inputs } = await secondRun({ args: rest, ...change });
      const after = await preview(clusters, rest, inputs);
      const { removedLinks: found, changes } = after.inputs;
      deepEqual([found, changes, after.hasWrites], [undefined, undefined, false]);
    }
  });

  it("takes its mirrors along as soon as it is known that no controller has them", async () => {
    const refuse: Change["refuse"] = (request) =>
      request === "list deployments" ? "server" : undefined;
    const { clusters, inputs } = await secondRun({ args: rest, refuse });
    deepEqual(Object.keys(mirrorsBefore(inputs, "west")), ["shop/web-west"]);
    clusters.east.refuse = () => undefined;
    await up(clusters, rest, inputs);
    deepEqual([...(await clusters.east.snapshot()).services.keys()].sort(), [
      "default/kubernetes",
      "shop/api-north",
    ]);
  });

  it("leaves mirrors that another stack keeps too, without this stack's mark", async () => {
    const { clusters, inputs, ...facts } = await secondRun({ args: rest, edit: theirs });
    expectFacts(facts, {
      ...{ ...kept, revision: 2 },
      notes: [
        "east <- west: 1 forgotten",
        "east <- west: 1 mirror stays, because stack other/prod keeps them (shop/web-west)",
      ],
    });
    const { services } = await clusters.east.snapshot();
    deepEqual(markersOf(services.get("shop/web-west")), ["linkerd-multicluster/other/prod"]);
  });

  it("leaves its members of a federated Service that another stack keeps too", async () => {
    const key = "shop/bb-federated";
    const { clusters } = await secondRun({ first: bb, args: rest, edit: theirs, key });
    const live = (await clusters.east.snapshot()).services.get(key);
    const list = "multicluster.linkerd.io/remote-discovery";
    deepEqual(live?.metadata.annotations?.[list], "bb@west");
    deepEqual(markersOf(live), [
      "linkerd-multicluster-federated",
      "linkerd-multicluster/other/prod",
    ]);
  });

  it("never takes mirrors along that nothing says are this stack's, in whatever state", async () => {
    for (const edit of [unmarked<Service>, marked<Service>])
      for (const before of [undefined, () => ({ removedLinks: links })]) {
        const change = { edit, ...(before && { before }) };
        expectFacts(await secondRun({ ...change, args: rest }), kept);
        expectFacts(await destruction(change), { failures: [], left: ["shop/web-west"] });
      }
  });
});

describe("the links that have left the config", () => {
  const linksTo = (...targets: string[]) => targets.map((target) => ({ source: "east", target }));

  it("are those of the run before that are no more, and those not done with", () => {
    const names = (before: Parameters<typeof removedLinks>[1], ...targets: string[]) =>
      removedLinks({ source: "east", links: linksTo(...targets) }, before).map((l) => l.target);
    deepEqual(names({}, "west"), []);
    deepEqual(names({ links: linksTo("west", "north") }, "west"), ["north"]);
    const before = { links: linksTo("west"), removedLinks: linksTo("south", "north") };
    deepEqual(names(before, "north"), ["south", "west"]);
    deepEqual(names(before), ["north", "south", "west"]);
  });
});
