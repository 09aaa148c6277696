import { deepEqual, equal, rejects } from "node:assert/strict";
import { identify, movedCluster, sameClusters } from "../../../engine/kubernetes/identity.ts";
import { status, withCluster } from "./scripted-cluster.ts";

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
    `context k3d-west of cluster west leads to another cluster than before (its kube-system has UID ${live}, and had ${known}): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.west.uid to ${live} and run again`;

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
