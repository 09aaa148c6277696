import { equal } from "node:assert/strict";
import { podRangesDisjoint } from "../../../engine/health/checks/pods.ts";
import { leadsToPods } from "../../../engine/reading/credentials.ts";
import type { PodRanges } from "../../../engine/health/health-check.ts";
import { link } from "../fixtures/link.ts";
import { cluster, exported, service } from "../fixtures/objects.ts";
import { clusterView, outOfReach, reading, tellsOf, unread, west } from "./views.ts";

function of(cluster: string, ...ranges: readonly string[]): PodRanges {
  return { cluster, ranges: { value: ranges } };
}

const shared = (names: string, ranges: string) =>
  `warning: nodes of clusters ${names} give the same addresses to their pods (${ranges}), so what pods in east send to one may reach the other: give each cluster a pod range of its own, unless its network plugin uses other addresses than podCIDRs`;

describe("health of a cluster: the addresses of pods on a flat network", () => {
  const tells = tellsOf(podRangesDisjoint);
  const apart = [
    of("east", "10.42.0.0/24", "10.42.1.0/24", "fd00:1::/64"),
    of("west", "10.43.0.0/24", "fd00:2::/64"),
    of("north", "10.44.0.0/24"),
  ];
  const east = of("east", "10.42.0.0/24");
  const flat = (...clusters: readonly PodRanges[]) => clusterView({ flat: clusters });
  tells("pass if no two clusters share a range", flat(...apart));
  const inside = of("west", "10.42.7.0/24", "10.42.8.0/24");
  tells("warn if ranges of two clusters overlap", flat(of("east", "10.42.0.0/16"), inside), [
    shared("east and west", "10.42.7.0/24 and 1 more range"),
  ]);
  const six = flat(of("east", "fd00:1:2::/64"), of("west", "fd00:1::/32"));
  tells("warn of IPv6 ranges that overlap", six, [shared("east and west", "fd00:1:2::/64")]);
  // A federated Service leads to all of them.
  const targets = flat(east, of("west", "10.43.0.0/24"), of("north", "10.43.0.0/24"));
  tells("warn if ranges of two targets overlap", targets, [
    shared("west and north", "10.43.0.0/24"),
  ]);
  tells("are skipped if no link leads to pods", clusterView(), [
    "skipped: no link into this cluster leads straight to pods of another",
  ]);
  tells("are skipped if nodes have no podCIDRs", flat(east, of("west")), [
    "skipped: the nodes of cluster west name no podCIDRs",
  ]);
  const ranges = unread("nodes is forbidden");
  tells("are skipped if nodes can't be read", flat(east, { cluster: "west", ranges }), [
    "skipped: the nodes of cluster west can't be read: nodes is forbidden",
  ]);

  const member = service("shop/web", { labels: { "mirror.linkerd.io/federated": "member" } });
  const labels = { "mirror.linkerd.io/exported": "remote-discovery" };
  const withServices = (...services: (typeof member)[]) => reading(cluster("west", { services }));
  for (const [name, gateway, target, expected] of [
    ["with a member", link().gateway, withServices(member), true],
    ["for discovery", link().gateway, withServices(exported("shop/web", { labels })), true],
    ["behind a gateway alone", link().gateway, reading(west), false],
    ["out of reach", link().gateway, outOfReach, false],
    ["without a gateway", false, outOfReach, true],
  ] as const)
    it(`matter for links to a target ${name}: ${expected}`, () => {
      equal(leadsToPods(link({ gateway }), target.snapshot), expected);
    });
});
