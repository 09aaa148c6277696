import { deepEqual } from "node:assert/strict";
import { podRangesDisjoint } from "../../../engine/health/checks/pod-ranges.ts";
import { leadsToPods } from "../../../engine/health/observe/link.ts";
import type { PodRanges } from "../../../engine/health/view.ts";
import { link } from "../fixtures/link.ts";
import { cluster, exported, service } from "../fixtures/objects.ts";
import { clusterView, outOfReach, reading, said, west } from "./views.ts";

function of(cluster: string, ...ranges: readonly string[]): PodRanges {
  return { cluster, ranges: { value: ranges } };
}

function found(...flat: readonly PodRanges[]): string[] {
  return said(podRangesDisjoint, clusterView({ flat }));
}

const shared = (names: string, ranges: string) =>
  `warning: nodes of clusters ${names} give the same addresses to their pods (${ranges}), so what pods in east send to one may reach the other: give each cluster a pod range of its own, unless its network plugin uses other addresses than podCIDRs`;

describe("health of a cluster: the addresses of pods on a flat network", () => {
  it("are in order where no two clusters share any, of either family", () => {
    deepEqual(
      found(
        of("east", "10.42.0.0/24", "10.42.1.0/24", "fd00:1::/64"),
        of("west", "10.43.0.0/24", "fd00:2::/64"),
        of("north", "10.44.0.0/24"),
      ),
      [],
    );
  });

  it("warn where two clusters have the same, or one has what lies in those of another", () => {
    deepEqual(found(of("east", "10.42.0.0/24"), of("west", "10.42.0.0/24")), [
      shared("east and west", "10.42.0.0/24"),
    ]);
    deepEqual(found(of("east", "10.42.0.0/16"), of("west", "10.42.7.0/24", "10.42.8.0/24")), [
      shared("east and west", "10.42.7.0/24 and 1 more range"),
    ]);
    deepEqual(found(of("east", "fd00:1:2::/64"), of("west", "fd00:1::/32")), [
      shared("east and west", "fd00:1:2::/64"),
    ]);
  });

  it("are compared among targets too, since a federated Service leads to all of them", () => {
    deepEqual(
      found(of("east", "10.42.0.0/24"), of("west", "10.43.0.0/24"), of("north", "10.43.0.0/24")),
      [shared("west and north", "10.43.0.0/24")],
    );
  });

  it("are skipped where no link leads to pods, and where nodes are silent or can't be read", () => {
    deepEqual(said(podRangesDisjoint, clusterView()), [
      "skipped: no link into this cluster leads straight to pods of another",
    ]);
    deepEqual(found(of("east", "10.42.0.0/24"), of("west")), [
      "skipped: the nodes of cluster west name no podCIDRs",
    ]);
    const ranges = { why: "nodes is forbidden" };
    deepEqual(found(of("east", "10.42.0.0/24"), { cluster: "west", ranges }), [
      "skipped: the nodes of cluster west can't be read: nodes is forbidden",
    ]);
  });

  it("matter for links without a gateway, and those whose target has Services for discovery or federation", () => {
    const member = service("shop/web", { labels: { "mirror.linkerd.io/federated": "member" } });
    const labels = { "mirror.linkerd.io/exported": "remote-discovery" };
    const remote = exported("shop/web", { labels });
    const leads = (services: Parameters<typeof cluster>[1]) =>
      leadsToPods(link(), reading(cluster("west", services)));
    deepEqual(
      [
        leads({ services: [member] }),
        leads({ services: [remote] }),
        leadsToPods(link(), reading(west)),
      ],
      [true, true, false],
    );
    deepEqual(leadsToPods(link(), outOfReach), false);
    deepEqual(leadsToPods(link({ gateway: false }), outOfReach), true);
  });
});
