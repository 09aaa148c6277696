import { deepEqual, equal } from "node:assert/strict";

import type { ObjectMeta } from "../../../engine/kubernetes/objects/objects.ts";
import type { Inputs } from "../../../engine/mirroring/model/state.ts";
import { type Interest, interests, isOfInterest } from "../../../engine/watch/interest.ts";
import { argsFor } from "../fixtures/world.ts";

const inputs = (targets: Parameters<typeof argsFor>[0], rest: Partial<Inputs> = {}): Inputs => ({
  ...argsFor(targets),
  ...{ mirrors: {}, revision: 1 },
  ...rest,
});

describe("what a watch is interested in", () => {
  const found = interests([inputs(["west", { target: "north", gateway: false }])]);
  const [east, west, north] = ["east", "west", "north"].map((name) => found.get(name) as Interest);

  const isIn = (interest: Interest | undefined, name: string, labels: ObjectMeta["labels"] = {}) =>
    interest !== undefined && isOfInterest({ namespace: "shop", name, labels }, interest);

  it("is every cluster of the links in the state, by its access alone", () => {
    deepEqual([...found.keys()].sort(), ["east", "north", "west"]);
    const pinned = inputs(["west"], {
      clusters: { east: { context: "e", uid: "1" }, west: { context: "w" } },
    });
    deepEqual(interests([pinned]).get("east")?.access, { context: "e" });
  });

  for (const [what, labels, expected] of [
    ["exported", { "mirror.linkerd.io/exported": "true" }, true],
    ["exported to be discovered", { "mirror.linkerd.io/exported": "remote-discovery" }, true],
    ["a member of a federated one", { "mirror.linkerd.io/federated": "member" }, true],
    ["none of these", { app: "web" }, false],
  ] as const)
    it(`${expected ? "is" : "is not"} a Service in a target that is ${what}`, () => {
      equal(isIn(west, "web", labels), expected);
    });

  it("is what other selectors select, where links have some", () => {
    const selector = { matchLabels: { team: "a" } };
    const own = interests([inputs([{ target: "west", selector }])]).get("west");
    equal(isIn(own, "web", { team: "a" }), true);
    equal(isIn(own, "web", { "mirror.linkerd.io/exported": "true" }), false);
  });

  it("is the gateway of a target that has one", () => {
    const gateway = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };
    equal(west && isOfInterest(gateway, west), true);
    equal(north && isOfInterest(gateway, north), false);
  });

  it("is a mirror in a source, by its labels or its name alone", () => {
    equal(isIn(east, "anything", { "mirror.linkerd.io/mirrored-service": "true" }), true);
    equal(isIn(east, "web-west"), true);
    equal(isIn(east, "web-federated"), true);
    equal(isIn(east, "web-south"), false);
    equal(isIn(west, "web-east"), false);
  });

  it("is a member of a federated Service in a cluster that is only a source, by the links into it", () => {
    equal(isIn(east, "web", { "mirror.linkerd.io/federated": "member" }), true);
    equal(isIn(east, "web", { "mirror.linkerd.io/exported": "true" }), false);
    const federatedServiceSelector = { matchLabels: { team: "a" } };
    const own = interests([inputs([{ target: "west", federatedServiceSelector }])]).get("east");
    equal(isIn(own, "web", { team: "a" }), true);
  });

  it("is a mirror of a link that has left and of which something remains", () => {
    const removedLinks = [{ source: "east", target: "south" }];
    const own = interests([inputs(["west"], { removedLinks })]).get("east");
    equal(isIn(own, "web-south"), true);
  });

  it("is both in a cluster that is source and target", () => {
    const there = { ...inputs([]), source: "west", links: [{ source: "west", target: "east" }] };
    const both = interests([inputs(["west"]), { ...there, clusters: inputs(["west"]).clusters }]);
    equal(isIn(both.get("east"), "web", { "mirror.linkerd.io/exported": "true" }), true);
    equal(isIn(both.get("east"), "web-west"), true);
  });
});
