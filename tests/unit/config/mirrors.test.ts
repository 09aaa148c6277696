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
    "are absent if no link leads into the source",
    { links: [{ source: "west", target: "east" }] },
    undefined,
  ],
  [
    "contain its links and their clusters",
    { links: [link("west", { headless: true }), { source: "north", target: "west" }] },
    { clusters: { east, west }, links: [whole("west", { headless: true })] },
  ],
  [
    "name the targets of links with Linkerd's controller",
    { links: [link("west"), link("north", { mirroring: "controller" })] },
    { clusters: { east, west }, links: [whole("west")], controllerLinks: ["north"] },
  ],
  [
    "exist although all links have Linkerd's controller",
    { links: [link("north", { mirroring: "controller" })] },
    { clusters: { east }, links: [], controllerLinks: ["north"] },
  ],
  [
    "name revoked clusters and targets of revoked links",
    {
      clusters: { ...clusters, south: { revoked: true } },
      links: [link("west"), link("north", { revoked: true })],
    },
    { clusters: { east, west }, links: [whole("west")], revokedTargets: ["south", "north"] },
  ],
  [
    "don't name targets of another source's revoked links",
    { links: [link("west"), { source: "west", target: "north", revoked: true }] },
    { clusters: { east, west }, links: [whole("west")] },
  ],
  [
    "allow removed links to delete all their mirrors if linkDefaults do",
    { links: [link("west")], linkDefaults: { allowDeletions: true } },
    {
      clusters: { east, west },
      allowDeletions: true,
      links: [whole("west", { allowDeletions: true })],
    },
  ],
];

describe("stack config: the arguments of a source's mirrors", () => {
  for (const [what, raw, expected] of rows)
    it(what, () => {
      const args = mirrorsArgs(configOf({ clusters, manage: "links", ...raw }), "east", "p/s");
      if (expected === undefined) equal(args, undefined);
      else deepEqual(args, { source: "east", stack: "p/s", ...expected });
    });
});
