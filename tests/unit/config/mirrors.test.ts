import { deepEqual, equal } from "node:assert/strict";
import { mirrorsArgs } from "../../../config/share.ts";
import { linkDefaults } from "../../../engine/mirroring/model/link.ts";
import { configOf, type Raw } from "./table.ts";

const clusters = {
  west: { context: "k3d-west", uid: "u1" },
  east: { context: "k3d-east" },
  north: { context: "k3d-north" },
};
const link = (target: string, more: Raw = {}): Raw => ({ source: "east", target, ...more });
const whole = (target: string, more: Raw = {}) => ({ ...linkDefaults, ...link(target, more) });
const west = { context: "k3d-west", uid: "u1" };
const east = { context: "k3d-east" };

const rows: readonly (readonly [what: string, raw: Raw, expected: Raw | undefined])[] = [
  [
    "nothing where no link leads into the source",
    { links: [{ source: "west", target: "east" }] },
    undefined,
  ],
  [
    "its links, and the clusters that these lead to",
    { links: [link("west", { headless: true }), { source: "north", target: "west" }] },
    { clusters: { east, west }, links: [whole("west", { headless: true })] },
  ],
  [
    "links that are left to Linkerd's controller, by their targets",
    { links: [link("west"), link("north", { mirroring: "controller" })] },
    { clusters: { east, west }, links: [whole("west")], controllerLinks: ["north"] },
  ],
  [
    "such links alone",
    { links: [link("north", { mirroring: "controller" })] },
    { clusters: { east }, links: [], controllerLinks: ["north"] },
  ],
  [
    "what is revoked: a whole cluster, or links of this source",
    {
      clusters: { ...clusters, south: { revoked: true } },
      links: [link("west"), link("north", { revoked: true })],
    },
    { clusters: { east, west }, links: [whole("west")], revokedTargets: ["south", "north"] },
  ],
  [
    "not what is revoked for another source",
    { links: [link("west"), { source: "west", target: "north", revoked: true }] },
    { clusters: { east, west }, links: [whole("west")] },
  ],
  [
    "that removed links may take all with them",
    { links: [link("west")], linkDefaults: { allowDeletions: true } },
    {
      clusters: { east, west },
      allowDeletions: true,
      links: [whole("west", { allowDeletions: true })],
    },
  ],
];

describe("stack config: what the mirrors of a source are made from", () => {
  for (const [what, raw, expected] of rows)
    it(`is ${what}`, () => {
      const args = mirrorsArgs(configOf({ clusters, manage: "links", ...raw }), "east", "p/s");
      if (expected === undefined) equal(args, undefined);
      else deepEqual(args, { source: "east", stack: "p/s", ...expected });
    });
});
