import {
  objectKey,
  type EndpointPort,
  type Endpoints,
  type ObjectKey,
  type Service,
  type StatefulSet,
} from "../../../kubernetes/objects/objects.ts";
import { type HostSubset, hostSubsets, type MirroredPods } from "../../model/pods.ts";
import { endpointMirrorName, mirrorName } from "../../model/vocabulary.ts";
import type { LinkView } from "../../model/observation.ts";

/**
 * Milliseconds that a pod without a StatefulSet has to be away until its mirror goes: longer than a restart
 * or a move to another node takes.
 */
const mostAway = 5 * 60_000;

/** Pods that are not in their Service's Endpoints now, and whose mirrors stay all the same. */
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
 * Where there is no StatefulSet to ask, time decides: the pod has been away at least since its Service's
 * Endpoints were written as they are, and what an earlier run has found holds on. That is a fact of the
 * cluster and not of the run, so a preview and the update after it agree. Where there are no Endpoints at
 * all nothing is known. With `readiness: follow` what is away is away, as in Linkerd.
 */
export function heldPods(
  service: Service,
  endpoints: Endpoints | undefined,
  view: LinkView,
  mirrored: MirroredPods,
): HeldPods {
  const { link, missing: before = {}, now } = view;
  if (link.readiness === "follow") return { subsets: [], missing: {} };
  const { name, namespace } = service.metadata;
  const root = objectKey(namespace, mirrorName(name, link.target));
  const listed = new Set(hostSubsets(endpoints, "ignore").flatMap(({ hostnames }) => hostnames));
  const sets = (view.statefulSets ?? []).filter(
    ({ metadata, spec }) => metadata.namespace === namespace && spec?.serviceName === name,
  );
  const missing: Record<ObjectKey, string> = {};
  const subsets: HostSubset[] = [];
  for (const hostname of mirrored.get(root) ?? []) {
    if (listed.has(hostname)) continue;
    const mirror = objectKey(namespace, endpointMirrorName(hostname, link.target));
    const answers = sets.flatMap((set) => hasPod(set, hostname) ?? []);
    if (answers.length > 0 && !answers.includes(true)) continue;
    if (answers.length === 0 && endpoints !== undefined) {
      const since = before[mirror] ?? lastWritten(endpoints);
      if (since !== undefined && goesAt(since) <= now) continue;
      if (since !== undefined) missing[mirror] = since;
    }
    subsets.push({ hostnames: [hostname], ports: portsOfPod(hostname, root, endpoints, view) });
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

/** The ports that the pod has had, else those of the Service's other pods. */
function portsOfPod(
  hostname: string,
  root: ObjectKey,
  endpoints: Endpoints | undefined,
  { source }: LinkView,
): readonly EndpointPort[] {
  const own = (source.endpoints.get(root)?.subsets ?? []).find(({ addresses = [] }) =>
    addresses.some((address) => address.hostname === hostname),
  );
  return own?.ports ?? endpoints?.subsets?.[0]?.ports ?? [];
}
