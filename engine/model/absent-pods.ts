import {
  type EndpointPort,
  type Endpoints,
  isHeadless,
  keyOf,
  objectKey,
  type ObjectKey,
  type Service,
} from "../kubernetes/objects/objects.ts";
import type { StatefulSet } from "../kubernetes/objects/workload-resource.ts";
import type { LinkView } from "./observation.ts";
import { hostSubsets, type HostSubset } from "./headless.ts";
import { exportMode } from "./selection.ts";
import { label, mirrorName, mirrorNamespace, mirrorPlace, nameInTarget } from "./vocabulary.ts";
import type { LinkSpec } from "./link.ts";
import type { ClusterSnapshot } from "./snapshot.ts";
import { mirrorsOf } from "./owner.ts";

/** A restart of a pod, or its move to another node, takes fewer milliseconds than this. */
const mostAway = 5 * 60_000;

/** Returns when the mirror of a pod without a StatefulSet is deleted. */
export function deletionTime(since: string): Date {
  return new Date(Date.parse(since) + mostAway);
}

/** Returns whether the link mirrors single pods of the target, so that its StatefulSets may say something about them. */
export function mirrorsPods(link: LinkSpec, { services }: ClusterSnapshot): boolean {
  if (!link.headless) return false;
  for (const service of services.values())
    if (isHeadless(service) && exportMode(service, link) === "gateway") return true;
  return false;
}

/** Returns by exported Service the pods that have mirrors and are in no Endpoints now. */
export function absentPods(
  link: LinkSpec,
  source: ClusterSnapshot,
  target: ClusterSnapshot,
): ReadonlyMap<ObjectKey, readonly string[]> {
  if (!link.headless) return new Map();
  const { owns } = mirrorsOf(link.target);
  const origins = new Map([...target.services.keys()].map((key) => [mirrorPlace(key, link), key]));
  const mirrored = [...source.services.values()].flatMap((service) => {
    const { name, namespace, labels } = service.metadata;
    const root = labels?.[label.headlessRoot];
    const key = root === undefined ? undefined : origins.get(objectKey(namespace, root));
    const hostname = nameInTarget(name, link);
    return key === undefined || hostname === undefined || !owns(service) ? [] : [{ key, hostname }];
  });
  return new Map(
    [...Map.groupBy(mirrored, ({ key }) => key)].map(([key, pods]) => {
      const listed = hostnamesIn(target.endpoints.get(key));
      return [key, pods.flatMap(({ hostname }) => (listed.has(hostname) ? [] : hostname))];
    }),
  );
}

function hostnamesIn(endpoints: Endpoints | undefined): ReadonlySet<string> {
  return new Set(hostSubsets(endpoints, "ignore").flatMap(({ hostnames }) => hostnames));
}

/**
 * Decides which missing pods of a headless Service keep their mirrors: none with `readiness: follow`, as in Linkerd.
 * Otherwise a restarting pod is in no list for a moment, so
 * only its StatefulSet can say that it is gone for good, by `replicas` and `ordinals`. Without one, time decides,
 * counted from the last write of the Service's Endpoints: the pod may have been listed until then. That is a fact of
 * the cluster and not of the run, so a preview and the update after it agree. If there are no Endpoints, nothing is
 * known.
 */
export function heldPods(
  service: Service,
  endpoints: Endpoints | undefined,
  view: LinkView,
  absent: readonly string[],
) {
  const { link, source, now, statefulSets, knownSets } = view;
  const { name, namespace } = service.metadata;
  const sets = statefulSets.filter(
    ({ metadata, spec }) => metadata.namespace === namespace && spec?.serviceName === name,
  );
  const known = knownSets?.[keyOf(service)] ?? [];
  const proven: ObjectKey[] = [];
  const place = mirrorNamespace(namespace, link);
  const root = source.endpoints.get(objectKey(place, mirrorName(name, link)));
  // The values are times since when pods are missing (RFC 3339). Their mirrors are deleted a while later.
  const missing: Record<ObjectKey, string> = {};
  const subsets: HostSubset[] = [];
  for (const hostname of absent) {
    const mirror = objectKey(place, mirrorName(hostname, link));
    if (sets.some((set) => provesGone(set, hostname, known))) proven.push(mirror);
    if (link.readiness === "follow") continue;
    const answers = sets.flatMap((set) => hasPod(set, hostname) ?? []);
    if (answers.length > 0 && !answers.includes(true)) continue;
    if (answers.length === 0 && endpoints !== undefined) {
      const since = lastWritten(endpoints);
      if (since !== undefined && deletionTime(since) <= now) continue;
      if (since !== undefined) missing[mirror] = since;
    }
    // A pod without known ports gets those of the Service's other pods.
    const ports = portsOfPod(hostname, root) ?? endpoints?.subsets?.[0]?.ports ?? [];
    subsets.push({ hostnames: [hostname], ports });
  }
  const isRenewed = sets.length > 0 && proven.length === absent.length;
  const uids = sets.flatMap(({ metadata }) => metadata.uid ?? []);
  return { subsets, missing, proven, known: isRenewed ? uids : known };
}

/**
 * A missing pod is provably gone if its StatefulSet is one that earlier runs have seen, and neither is to have so many pods
 * nor has them. One that was deleted, or made again, says nothing about what was lost with it. So UIDs are remembered, in
 * state, where no tenant can write them, and not renewed while a mirror of an unproven pod is left.
 */
function provesGone(set: StatefulSet, hostname: string, known: readonly string[]): boolean {
  const { metadata, spec = {}, status } = set;
  const ordinal = ordinalOf(metadata.name, hostname);
  if (ordinal === undefined || status?.replicas === undefined) return false;
  const { replicas = 1, ordinals: { start = 0 } = {} } = spec;
  const most = start + Math.max(replicas, status.replicas);
  return known.includes(metadata.uid ?? "") && ordinal >= most;
}

/** Returns undefined if the API server gives no time; then nothing is concluded. */
function lastWritten({ metadata: { managedFields = [] } }: Endpoints): string | undefined {
  return managedFields
    .flatMap(({ time }) => time ?? [])
    .sort()
    .at(-1);
}

/** Returns undefined if the pod isn't one of this StatefulSet's. */
function hasPod({ metadata, spec = {} }: StatefulSet, hostname: string): boolean | undefined {
  const ordinal = ordinalOf(metadata.name, hostname);
  if (ordinal === undefined) return undefined;
  const { replicas = 1, ordinals: { start = 0 } = {} } = spec;
  return ordinal >= start && ordinal < start + replicas;
}

function ordinalOf(set: string, hostname: string): number | undefined {
  const number = hostname.startsWith(`${set}-`) ? hostname.slice(set.length + 1) : "";
  return /^(0|[1-9]\d*)$/.test(number) ? Number(number) : undefined;
}

function portsOfPod(
  hostname: string,
  root: Endpoints | undefined,
): readonly EndpointPort[] | undefined {
  return root?.subsets?.find(({ addresses = [] }) =>
    addresses.some((address) => address.hostname === hostname),
  )?.ports;
}
