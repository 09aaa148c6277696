import { deepEqual } from "node:assert/strict";
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
  const anew =
    "cluster west was made anew (its kube-system has UID u2, and had u1), and the stack's state still lists what the old one had: run pulumi up --refresh";
  const another =
    "context k3d-west of cluster west leads to another cluster than before (its kube-system has UID u2, and had u1): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.west.uid to u2 and run again";
  const u1 = { uid: "u1" };
  const rows: [
    rule: string,
    olds: Partial<IdentityInputs>,
    news: Partial<IdentityInputs>,
    uid?: string,
    said?: string,
  ][] = [
    ["the first run learns it", {}, u1, "u1"],
    ["the same cluster", u1, u1, "u1"],
    ["out of reach, it is who it was", u1, {}, "u1"],
    ["out of reach from the first, nobody knows", {}, {}],
    ["back in reach", { context: "k3d-west" }, u1, "u1"],
    ["as the config expects", {}, { uid: "u1", expected: "u1" }, "u1"],
    ["made anew, and the config says so", u1, { uid: "u2", expected: "u2" }, "u2", anew],
    ["out of reach, it is who the config says", u1, { expected: "u2" }, "u2"],
  ];
  for (const [rule, olds, news, uid, said] of rows)
    it(rule, async () => {
      const lines = said === undefined ? [] : [said];
      deepEqual(await checked(olds, news), { lines, uid, failures: [] });
    });

  for (const [rule, olds, news] of [
    ["another than last time is refused", u1, { uid: "u2" }],
    [
      "another than the config says, even that of last time",
      { uid: "u2" },
      { uid: "u2", expected: "u1" },
    ],
  ] as const)
    it(rule, async () => {
      deepEqual((await checked(olds, news)).failures, [another]);
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
