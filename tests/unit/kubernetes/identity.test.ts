import { deepEqual, equal } from "node:assert/strict";
import { movedCluster, sameClusters } from "../../../engine/kubernetes/identity.ts";

describe("the identity of a cluster", () => {
  const sentence = (live: string, known: string) =>
    `context k3d-west of cluster west leads to another cluster than before (its kube-system has UID ${live}, and had ${known}): fix the context, or, if the cluster was recreated, set linkerd-multicluster:clusters.west.uid to ${live} and run again`;

  const moved = (live: string, known: string | undefined) =>
    movedCluster({ cluster: "west", context: "k3d-west" }, live, known);

  it("is accepted if none is known yet, or if it is the known one", () => {
    equal(moved("u1", undefined), undefined);
    equal(moved("u1", "u1"), undefined);
  });

  it("is refused if it differs from the known one", () => {
    equal(moved("u2", "u1"), sentence("u2", "u1"));
  });

  it("is refused if two names lead to it; unreachable clusters are not compared", () => {
    const uids = { west: "u1", east: "u2", north: "u1", south: undefined, away: undefined };
    const sentence = (name: string, other: string) =>
      `linkerd-multicluster:clusters.${name} leads to the same cluster as linkerd-multicluster:clusters.${other} (its kube-system has UID u1): fix the context of one of them, or list the cluster once`;
    deepEqual(Object.fromEntries(sameClusters(new Map(Object.entries(uids)))), {
      west: sentence("west", "north"),
      north: sentence("north", "west"),
    });
  });
});
