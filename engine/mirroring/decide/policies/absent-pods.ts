import {
  type EndpointPort,
  type Endpoints,
  objectKey,
  type ObjectKey,
  type Service,
  type StatefulSet,
} from "../../../kubernetes/objects/objects.ts";
import type { LinkView } from "../../model/observation.ts";
import type { HostSubset } from "../../model/pods.ts";
import { endpointMirrorName, mirrorName } from "../../model/vocabulary.ts";

/**
 * Milliseconds that a pod without a StatefulSet has to be away until its mirror goes: longer than a restart
 * or a move to another node takes.
 */
const mostAway = 5 * 60_000;

/** Pods that are not in their Service's Endpoints now, and whose mirrors stay nevertheless. */
export interface HeldPods {
  readonly subsets: readonly HostSubset[];
  /** Endpoint mirrors of them that go once their pods have been away for long: since when, RFC 3339. */
  readonly missing: Readonly<Record<ObjectKey, string>>;
}

/** When the mirror of a pod goes that has been away since then. */
export function goesAt(since: string): Date {
  return new Date(Date.parse(since) + mostAway);
}

/**
 * Which absent pods of a headless Service keep their mirrors. A pod that restarts is in no list for
 * a moment, so only its StatefulSet can say that it is gone for good, by `replicas` and `ordinals`.
 * Where there is no StatefulSet to ask, time decides, counted from the last write of its Service's Endpoints:
 * the pod may have been listed until then, whatever an earlier run has found. That is a fact of the cluster and
 * not of the run, so a preview and the update after it agree. Where there are no Endpoints at all nothing is
 * known.
 */
export function heldPods(
  { metadata: { name, namespace } }: Service,
  endpoints: Endpoints | undefined,
  { link, source, statefulSets, now }: LinkView,
  absent: readonly string[],
): HeldPods {
  const sets = statefulSets.filter(
    ({ metadata, spec }) => metadata.namespace === namespace && spec?.serviceName === name,
  );
  const root = source.endpoints.get(objectKey(namespace, mirrorName(name, link.target)));
  const missing: Record<ObjectKey, string> = {};
  const subsets: HostSubset[] = [];
  for (const hostname of absent) {
    const mirror = objectKey(namespace, endpointMirrorName(hostname, link.target));
    const answers = sets.flatMap((set) => hasPod(set, hostname) ?? []);
    if (answers.length > 0 && !answers.includes(true)) continue;
    if (answers.length === 0 && endpoints !== undefined) {
      const since = lastWritten(endpoints);
      if (since !== undefined && goesAt(since) <= now) continue;
      if (since !== undefined) missing[mirror] = since;
    }
    // Those that the pod has had, else those of the Service's other pods.
    const ports = portsOfPod(hostname, root) ?? endpoints?.subsets?.[0]?.ports ?? [];
    subsets.push({ hostnames: [hostname], ports });
  }
  return { subsets, missing };
}

/** By the API server's own account; undefined where it gives none, and then nothing is concluded. */
function lastWritten({ metadata: { managedFields = [] } }: Endpoints): string | undefined {
  return managedFields
    .flatMap(({ time }) => time ?? [])
    .sort()
    .at(-1);
}

/** Whether a StatefulSet has the pod by now; undefined for the pod of another. */
function hasPod({ metadata, spec = {} }: StatefulSet, hostname: string): boolean | undefined {
  const prefix = `${metadata.name}-`;
  const number = hostname.startsWith(prefix) ? hostname.slice(prefix.length) : "";
  if (!/^(0|[1-9]\d*)$/.test(number)) return undefined;
  const { replicas = 1, ordinals: { start = 0 } = {} } = spec;
  return Number(number) >= start && Number(number) < start + replicas;
}

function portsOfPod(
  hostname: string,
  root: Endpoints | undefined,
): readonly EndpointPort[] | undefined {
  return root?.subsets?.find(({ addresses = [] }) =>
    addresses.some((address) => address.hostname === hostname),
  )?.ports;
}
