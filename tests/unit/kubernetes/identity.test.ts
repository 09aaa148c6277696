import { deepEqual, equal, rejects } from "node:assert/strict";
import { type IdentityInputs, identityProvider } from "../../../components/cluster-identity.ts";
import { identify, movedCluster, sameClusters } from "../../../engine/kubernetes/identity.ts";
import { status, withCluster } from "./scripted-cluster.ts";

const west: IdentityInputs = { cluster: "west", context: "k3d-west" };

/** What check makes of a cluster that was `olds` in the run before. */
async function checked(olds: Partial<IdentityInputs>, news: Partial<IdentityInputs>) {
  const result = await identityProvider.check?.(olds as IdentityInputs, { ...west, ...news });
  const { inputs, failures = [] } = result ?? {};
  return { uid: inputs?.uid, failures: failures.map(({ reason }) => reason) };
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
      deepEqual(await checked(olds, news), { uid, failures: [] });
    });
  }

  it("another cluster than last time is refused", async () => {
    deepEqual((await checked({ uid: "u1" }, { uid: "u2" })).failures, [
      "linkerd-multicluster:clusters.west: context k3d-west leads to a cluster whose namespace kube-system has UID u2, and last time it was u1: put the context right; or, if the cluster was made anew, set linkerd-multicluster:clusters.west.uid to u2 and run pulumi up --refresh.",
    ]);
  });

  it("another cluster than the config says is refused, even the one of last time", async () => {
    deepEqual((await checked({ uid: "u2" }, { uid: "u2", expected: "u1" })).failures, [
      "linkerd-multicluster:clusters.west.uid is u1, but context k3d-west leads to a cluster whose namespace kube-system has UID u2: put the context or the UID right.",
    ]);
  });

  it("is remembered, and only a difference is a change", async () => {
    const known = { ...west, uid: "u1" };
    deepEqual(await identityProvider.create(known), { id: "west", outs: known });
    deepEqual(await identityProvider.diff?.("west", known, known), { changes: false });
    const other = { ...known, context: "other" };
    deepEqual(await identityProvider.diff?.("west", known, other), { changes: true });
    deepEqual(await identityProvider.update?.("west", known, other), { outs: other });
  });
});

describe("cluster: its identity", () => {
  it("is the UID of kube-system", async () => {
    const metadata = { name: "kube-system", uid: "u1" };
    await withCluster(
      () => ({ body: { kind: "Namespace", metadata } }),
      async ({ client, received }) => {
        equal(await identify(client), "u1");
        deepEqual(
          received.map(({ url }) => url.pathname),
          ["/api/v1/namespaces/kube-system"],
        );
      },
    );
  });

  it("is an error where it can't be read, and where the answer has none", async () => {
    await withCluster(
      () => status(403, "Forbidden", "no"),
      ({ client }) => rejects(identify(client), { name: "KubernetesError", kind: "forbidden" }),
    );
    await withCluster(
      () => ({ body: { kind: "Namespace", metadata: { name: "kube-system" } } }),
      ({ client }) => rejects(identify(client), /returns its namespace kube-system without a UID/),
    );
  });
});

describe("cluster: moved", () => {
  const at = { cluster: "west", context: "k3d-west" };
  const sentence = (live: string, known: string) =>
    `context k3d-west of cluster west leads to another cluster than before (its kube-system has UID ${live}, and had ${known}): fix the context, or, if the cluster was made anew, set linkerd-multicluster:clusters.west.uid to ${live} and run again`;

  for (const [name, live, known, expected] of [
    ["nothing known yet", "u1", {}, undefined],
    ["the same as before", "u1", { remembered: "u1" }, undefined],
    ["another than before", "u2", { remembered: "u1" }, sentence("u2", "u1")],
    ["as the config says", "u2", { remembered: "u1", expected: "u2" }, undefined],
    [
      "as before, and the config says another",
      "u1",
      { remembered: "u1", expected: "u2" },
      sentence("u1", "u2"),
    ],
    ["another than the config says", "u2", { expected: "u1" }, sentence("u2", "u1")],
  ] as const)
    it(name, () => {
      equal(movedCluster(at, live, known), expected);
    });
});

describe("cluster: the same one given twice", () => {
  it("is refused with both names", () => {
    const uids = new Map([
      ["west", "u1"],
      ["east", "u2"],
      ["north", "u1"],
    ]);
    deepEqual(sameClusters(uids), [
      "linkerd-multicluster:clusters.north leads to the same cluster as linkerd-multicluster:clusters.west (its kube-system has UID u1): fix the context of one of them, or list the cluster once",
    ]);
  });

  it("is not concluded from clusters that can't be reached", () => {
    const uids = new Map([
      ["west", undefined],
      ["east", undefined],
    ]);
    equal(sameClusters(uids).length, 0);
  });
});
