import { inRanges } from "../../kubernetes/objects/address-ranges.ts";
import { count } from "../../base/message.ts";
import {
  type HealthCheck,
  type Finding,
  unreadCluster,
  type CheckedCluster,
  type PodRanges,
} from "../health-check.ts";
import { valueIn } from "../../base/result.ts";

/**
 * A gateway refuses clients without mTLS, and only a proxy knows pods on a flat network. This only warns, because the
 * API doesn't tell which pods call a mirror.
 */
export const clientsMeshed: HealthCheck<CheckedCluster> = {
  id: "clients-meshed",
  title: "pods in namespaces with mirrors have Linkerd's proxy, or opt out of it",
  finds: "pods without Linkerd's proxy in a namespace with mirrors: a warning",
  severity: "warning",
  appliesTo: ({ reading: { unmeshed } }) => unmeshed !== undefined,
  run: ({ cluster, reading: { unmeshed } }) => {
    if (unmeshed === undefined) return unreadCluster(cluster);
    if ("why" in unmeshed) return { skipped: `its pods can't be read: ${unmeshed.why}` };
    return unmeshed.value.map((key) => {
      const [namespace = ""] = key.split("/");
      return `namespace ${cluster}/${namespace} has mirrors, and pods without Linkerd's proxy, such as ${key}, whose requests to a mirror fail: set linkerd.io/inject: enabled on the namespace and restart them, or linkerd.io/inject: disabled on pods that call no other cluster`;
    });
  },
};

/** This only warns, because a network plugin may assign other addresses than the ranges of the nodes. */
export const podRangesDisjoint: HealthCheck<CheckedCluster> = {
  id: "pod-ranges-disjoint",
  title: "pods have other addresses in each cluster of a flat network",
  finds:
    "clusters of a flat network whose nodes give pods the same addresses (`podCIDRs`): a warning",
  severity: "warning",
  run: ({ cluster, flat = [] }) => {
    if (flat.length < 2)
      return { skipped: "no link into this cluster leads straight to pods of another" };
    const unknown = flat.find(({ ranges }) => (valueIn(ranges) ?? []).length === 0);
    if (unknown !== undefined) {
      const { cluster: name, ranges } = unknown;
      const why = "why" in ranges ? `can't be read: ${ranges.why}` : "name no podCIDRs";
      return { skipped: `the nodes of cluster ${name} ${why}` };
    }
    return flat.flatMap((first, index) =>
      flat.slice(index + 1).flatMap((second) => overlap(cluster, first, second)),
    );
  },
};

function overlap(source: string, first: PodRanges, second: PodRanges): readonly Finding[] {
  const shared = [...new Set([...within(first, second), ...within(second, first)])];
  const [range] = shared;
  if (range === undefined) return [];
  const more = shared.length === 1 ? "" : ` and ${count(shared.length - 1, "more range")}`;
  const names = `${first.cluster} and ${second.cluster}`;
  return [
    `nodes of clusters ${names} give the same addresses to their pods (${range}${more}), so what pods in ${source} send to one may reach the other: give each cluster a pod range of its own, unless its network plugin uses other addresses than podCIDRs`,
  ];
}

/** One of two overlapping ranges always begins in the other. */
function within({ ranges }: PodRanges, other: PodRanges): readonly string[] {
  const isInOther = inRanges(valueIn(other.ranges) ?? []);
  return (valueIn(ranges) ?? []).filter((range) => isInOther(range.split("/")[0] ?? ""));
}
