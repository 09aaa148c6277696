import { objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import { hostSubsets } from "./hosts.ts";
import type { LinkSpec } from "./link.ts";
import type { ClusterSnapshot } from "./snapshot.ts";
import { endpointMirrorName, label, mirrorName } from "./vocabulary.ts";

/** Hostnames of the pods that have endpoint mirrors, by the headless mirror. */
export type MirroredPods = ReadonlyMap<ObjectKey, readonly string[]>;

export function podsMirrored(
  link: Pick<LinkSpec, "target">,
  source: ClusterSnapshot,
): MirroredPods {
  const found = new Map<ObjectKey, string[]>();
  const suffix = endpointMirrorName("", link.target);
  for (const { metadata } of source.services.values()) {
    const { name, namespace, labels = {} } = metadata;
    const root = labels[label.headlessRoot];
    const isOurs = labels[label.mirrored] === "true" && labels[label.cluster] === link.target;
    if (root === undefined || !isOurs || !name.endsWith(suffix)) continue;
    const key = objectKey(namespace, root);
    const hostnames = found.get(key) ?? [];
    hostnames.push(name.slice(0, -suffix.length));
    found.set(key, hostnames);
  }
  return found;
}

/** Whether a pod that has a mirror is missing from its Service's Endpoints. */
export function podsMissed(
  link: LinkSpec,
  source: ClusterSnapshot,
  target: ClusterSnapshot,
): boolean {
  if (!link.headless || link.readiness === "follow") return false;
  const suffix = mirrorName("", link.target);
  return [...podsMirrored(link, source)].some(([root, hostnames]) => {
    const [namespace = "", name = ""] = root.split("/");
    const endpoints = target.endpoints.get(objectKey(namespace, name.slice(0, -suffix.length)));
    const listed = new Set(hostSubsets(endpoints, "ignore").flatMap((subset) => subset.hostnames));
    return hostnames.some((hostname) => !listed.has(hostname));
  });
}
