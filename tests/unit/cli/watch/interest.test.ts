import { deepEqual, equal } from "node:assert/strict";

import type { Inputs } from "../../../../engine/mirroring/model/state.ts";
import { interests, isOfInterest } from "../../../../cli/watch/interest.ts";
import { argsFor } from "../../fixtures/checked.ts";
import { link } from "../../fixtures/link.ts";

const inputs = (targets: Parameters<typeof argsFor>[0], rest: Partial<Inputs> = {}): Inputs => ({
  ...argsFor(targets),
  mirrors: {},
  revision: 1,
  ...rest,
});

const exported = { "mirror.linkerd.io/exported": "true" };
const discovered = { "mirror.linkerd.io/exported": "remote-discovery" };
const member = { "mirror.linkerd.io/federated": "member" };
const mirrored = { "mirror.linkerd.io/mirrored-service": "true" };
const ours = { team: "a" };
const selector = { matchLabels: ours };

const plain = [inputs(["west", { target: "north", gateway: false }])];
const selecting = [inputs([{ target: "west", selector }])];
const federating = [inputs([{ target: "west", federatedServiceSelector: selector }])];
const left = [inputs(["west"], { removedLinks: [{ source: "east", target: "south" }] })];
const { clusters } = inputs(["west"]);
const back = { source: "west", clusters, links: [link({ source: "west", target: "east" })] };
const bothWays = [inputs(["west"]), inputs([], back)];

describe("what a watch is interested in", () => {
  it("is every cluster of the links in the state, by its access alone", () => {
    deepEqual([...interests(plain).keys()].sort(), ["east", "north", "west"]);
    const pinned = { east: { context: "e", uid: "1" }, west: { context: "w" } };
    const { access } = interests([inputs(["west"], { clusters: pinned })]).get("east") ?? {};
    deepEqual(access, { context: "e" });
  });

  for (const [what, sources, cluster, name, labels, expected] of [
    ["what a target exports", plain, "west", "web", exported, true],
    ["what it exports to be discovered", plain, "west", "web", discovered, true],
    ["its members of federated Services", plain, "west", "web", member, true],
    ["none of these", plain, "west", "web", { app: "web" }, false],
    ["what a link's own selector takes", selecting, "west", "web", ours, true],
    ["what only the default would take", selecting, "west", "web", exported, false],
    ["a mirror in a source by its label", plain, "east", "anything", mirrored, true],
    ["a mirror by its name alone", plain, "east", "web-west", {}, true],
    ["a federated Service by its name alone", plain, "east", "web-federated", {}, true],
    ["the name of a mirror of no link", plain, "east", "web-south", {}, false],
    ["the name of a mirror in a target", plain, "west", "web-east", {}, false],
    ["a mirror of a link that has left", left, "east", "web-south", {}, true],
    ["a member in a cluster that is only a source", plain, "east", "web", member, true],
    ["an export there", plain, "east", "web", exported, false],
    ["a member there by a link's own selector", federating, "east", "web", ours, true],
    ["an export where a source is a target too", bothWays, "east", "web", exported, true],
    ["a mirror there", bothWays, "east", "web-west", {}, true],
    ["a target's gateway", plain, "west", "linkerd-gateway", {}, true],
    ["one that a flat network does not need", plain, "north", "linkerd-gateway", {}, false],
  ] as const)
    it(`${expected ? "is" : "is not"} ${what}`, () => {
      const interest = interests(sources).get(cluster);
      const namespace = name === "linkerd-gateway" ? "linkerd-multicluster" : "shop";
      equal(interest && isOfInterest({ namespace, name, labels }, interest), expected);
    });
});
