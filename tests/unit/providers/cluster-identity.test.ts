import { deepEqual, match } from "node:assert/strict";
import {
  clusterIdentities,
  identities,
  type IdentityInputs,
} from "../../../engine/providers/cluster-identity.ts";

const west: IdentityInputs = { cluster: "west", context: "k3d-west" };

/** What check makes of a cluster that was `olds` in the run before. */
async function checked(olds: Partial<IdentityInputs>, news: Partial<IdentityInputs>) {
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  const result = await identities(say).check(olds, { ...west, ...news });
  const { inputs, failures } = result;
  return { lines, uid: inputs.uid, failures: failures.map(({ reason }) => reason) };
}

describe("cluster: who it is", () => {
  for (const [name, olds, news, uid] of [
    ["the first run learns it", {}, { uid: "u1" }, "u1"],
    ["the same cluster", { uid: "u1" }, { uid: "u1" }, "u1"],
    ["out of reach, it is who it was", { uid: "u1" }, {}, "u1"],
    ["out of reach from the first, nobody knows", {}, {}, undefined],
    ["back in reach", { context: "k3d-west" }, { uid: "u1" }, "u1"],
    ["as the config expects", {}, { uid: "u1", expected: "u1" }, "u1"],
    ["made anew, and the config says so", { uid: "u1" }, { uid: "u2", expected: "u2" }, "u2"],
    ["out of reach, it is who the config says", { uid: "u1" }, { expected: "u2" }, "u2"],
  ] as const) {
    it(name, async () => {
      const found = await checked(olds, news);
      deepEqual([found.uid, found.failures], [uid, []]);
    });
  }

  it("another cluster than last time is refused", async () => {
    deepEqual((await checked({ uid: "u1" }, { uid: "u2" })).failures, [
      "context k3d-west of cluster west leads to another cluster than before (its kube-system has UID u2, and had u1): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.west.uid to u2 and run again",
    ]);
  });

  it("another cluster than the config says is refused, even the one of last time", async () => {
    const { failures } = await checked({ uid: "u2" }, { uid: "u2", expected: "u1" });
    match(failures.join(), /leads to another cluster than before .* has UID u2, and had u1\)/);
  });

  it("one that was made anew needs its state refreshed, which is said", async () => {
    deepEqual((await checked({ uid: "u1" }, { uid: "u2", expected: "u2" })).lines, [
      "cluster west was made anew (its kube-system has UID u2, and had u1), and the stack's state still lists what the old one had: run pulumi up --refresh",
    ]);
    deepEqual((await checked({ uid: "u1" }, { uid: "u1" })).lines, []);
    deepEqual((await checked({}, { uid: "u1" })).lines, []);
  });

  it("is remembered, and only a difference is a change", async () => {
    const known = { ...west, uid: "u1" };
    deepEqual(await clusterIdentities.create(known), { id: "west", outs: known });
    deepEqual(await clusterIdentities.diff("west", known, known), { changes: false });
    const other = { ...known, context: "other" };
    deepEqual(await clusterIdentities.diff("west", known, other), {});
    deepEqual(await clusterIdentities.update("west", known, other), { outs: other });
  });
});
