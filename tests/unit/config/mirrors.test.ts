import { deepEqual, equal } from "node:assert/strict";
import { mirrorsArgs } from "../../../config/share.ts";
import { linkDefaults } from "../../../engine/model/link.ts";
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

describe("stack config: the arguments of a source's mirrors", () => {
  const argsOf = (raw: Raw) =>
    mirrorsArgs(configOf({ clusters, manage: "links", ...raw }), "east", "p/s");
  function are(what: string, raw: Raw, expected: Raw) {
    it(what, () => {
      deepEqual(argsOf(raw), { source: "east", stack: "p/s", ...expected });
    });
  }
  const byController = link("north", { mirroring: "controller" });

  it("are absent if no link leads into the source", () => {
    equal(argsOf({ links: [{ source: "west", target: "east" }] }), undefined);
  });

  are(
    "contain its links and their clusters",
    { links: [link("west", { headless: true }), { source: "north", target: "west" }] },
    { clusters: { east, west }, links: [whole("west", { headless: true })] },
  );
  are(
    "name the targets of links with Linkerd's controller",
    { links: [link("west"), byController] },
    { clusters: { east, west }, links: [whole("west")], controllerLinks: ["north"] },
  );
  are(
    "exist although all links have Linkerd's controller",
    { links: [byController] },
    { clusters: { east }, links: [], controllerLinks: ["north"] },
  );
  are(
    "name revoked clusters and targets of revoked links, but not of another source's",
    {
      clusters: { ...clusters, south: { revoked: true } },
      links: [
        link("west"),
        link("north", { revoked: true }),
        { source: "north", target: "west", revoked: true },
      ],
    },
    { clusters: { east, west }, links: [whole("west")], revokedTargets: ["south", "north"] },
  );
  const serviceLinksDisabled = true;
  are(
    "say that the source's pods have no service links",
    {
      clusters: { west, east: { ...east, serviceLinksDisabled }, north: { serviceLinksDisabled } },
      links: [link("west"), { source: "west", target: "north" }],
    },
    { clusters: { east, west }, links: [whole("west")], serviceLinksDisabled },
  );
  const allowDeletions = true;
  are(
    "allow removed links to delete all their mirrors if linkDefaults do",
    { links: [link("west")], linkDefaults: { allowDeletions } },
    { clusters: { east, west }, allowDeletions, links: [whole("west", { allowDeletions })] },
  );
});
