import { mirrorKey } from "../desired/refuse.ts";
import { clusterOfToken, tokensIn } from "../model/vocabulary.ts";
import type { Mirror } from "../model/mirror.ts";
import type { Plan } from "./change.ts";
import { objectKey, type ObjectKey } from "../../kubernetes/objects.ts";
import type {
  Condition,
  Link,
  ServiceReference,
  ServiceStatus,
} from "../../kubernetes/link-resource.ts";
import { reasons, type Skip } from "../model/reasons.ts";

/** What a Link's status should say of one exported Service. */
export interface StatusEntry {
  readonly remote: ObjectKey;
  /** The mirror or federated Service. */
  readonly local: ObjectKey;
  /** Absent: mirrored. */
  readonly problem?: { readonly reason: string; readonly sentence: string };
}

export type StatusList = "mirrorServices" | "federatedServices";

/** One of the two lists in the status of one Link resource, whole. */
export interface LinkStatusList {
  readonly link: ObjectKey;
  readonly list: StatusList;
  readonly entries: readonly StatusEntry[];
}

export type LinkStatuses = readonly LinkStatusList[];

/** `status.mirrorServices` of a link; endpoint mirrors belong to their headless one. */
export function mirrorStatus(link: ObjectKey, { wanted, skips }: Pick<Plan, "wanted" | "skips">) {
  const mirrored = wanted
    .filter(({ kind }) => kind !== "endpoint")
    .map((mirror) => ({ remote: mirror.origin, local: mirrorKey(mirror) }));
  return { link, list: "mirrorServices", entries: [...mirrored, ...problems(skips)] } as const;
}

/**
 * `status.federatedServices` of one of the links that feed the federated Services.
 *
 * @param desired all federated Services, those that cannot be had included: that is every member's problem
 */
export function federatedStatus(
  link: ObjectKey,
  target: string,
  desired: readonly Mirror[],
  { wanted, skips }: Pick<Plan, "wanted" | "skips">,
) {
  const listing = desired.filter(({ annotations }) =>
    tokensIn(annotations).some((token) => clusterOfToken(token) === target),
  );
  const origins = new Set(listing.map(({ origin }) => origin));
  const joined = wanted.filter(({ origin }) => origins.has(origin));
  const own = skips.filter(({ cluster, origin }) =>
    cluster === undefined ? origins.has(origin) : cluster === target,
  );
  const entries = joined.map((mirror) => ({ remote: mirror.origin, local: mirrorKey(mirror) }));
  return { link, list: "federatedServices", entries: [...entries, ...problems(own)] } as const;
}

/** A Service that asks for nothing this link does has no place in its status. */
function problems(skips: readonly Skip[]): StatusEntry[] {
  return skips
    .filter(({ reason, hostname }) => reason !== "NotSelected" && hostname === undefined)
    .map(({ origin, mirror, reason, sentence }) => ({
      remote: origin,
      local: objectKey(origin.slice(0, origin.indexOf("/")), mirror),
      problem: { reason: reasons[reason].status, sentence },
    }));
}

/**
 * The list to write, or undefined where the live one says the same (linkerd-behaviour.md 1.3).
 * Always the whole list, so that the last entry can go as well, and a condition keeps its time for
 * as long as nothing about it changes.
 *
 * @param failed sentences about mirrors that could not be written, by the mirror's key
 */
export function statusUpdate(
  { list, entries }: LinkStatusList,
  live: Link,
  failed: ReadonlyMap<ObjectKey, string>,
  now: Date,
): ServiceStatus[] | undefined {
  const before = new Map(
    (live.status?.[list] ?? []).map((entry) => [refKey(entry.remoteRef), entry]),
  );
  const sorted = [...entries].sort((a, b) => (a.remote < b.remote ? -1 : 1));
  const wanted = sorted.map((entry) => serviceStatus(entry, before.get(entry.remote), failed, now));
  const same = JSON.stringify(wanted) === JSON.stringify(normalised(live.status?.[list] ?? []));
  return same ? undefined : wanted;
}

function serviceStatus(
  { remote, local, problem }: StatusEntry,
  before: ServiceStatus | undefined,
  failed: ReadonlyMap<ObjectKey, string>,
  now: Date,
): ServiceStatus {
  const failure = failed.get(local);
  const bad =
    problem ?? (failure === undefined ? undefined : { reason: "Error", sentence: failure });
  const condition: Omit<Condition, "lastTransitionTime"> = {
    ...(bad === undefined && { localRef: reference(local) }),
    message: bad?.sentence ?? "",
    reason: bad?.reason ?? "Mirrored",
    status: bad === undefined ? "True" : "False",
    type: "Mirrored",
  };
  const earlier = before?.conditions?.find(({ type }) => type === "Mirrored");
  const unchanged = earlier?.status === condition.status;
  const lastTransitionTime = unchanged
    ? earlier.lastTransitionTime
    : now.toISOString().replace(/\.\d+Z$/, "Z");
  return inOrder({
    controllerName: "linkerd.io/service-mirror",
    remoteRef: reference(remote),
    conditions: [{ ...condition, lastTransitionTime }],
  });
}

function reference(key: ObjectKey): ServiceReference {
  const [namespace = "", name = ""] = key.split("/");
  return { group: "", kind: "Service", name, namespace };
}

function refKey({ namespace, name }: ServiceReference): ObjectKey {
  return objectKey(namespace, name);
}

function normalised(list: readonly ServiceStatus[]): ServiceStatus[] {
  return [...list]
    .sort((a, b) => (refKey(a.remoteRef) < refKey(b.remoteRef) ? -1 : 1))
    .map(inOrder);
}

/** Fields in one order, so that equal texts mean equal entries. */
function inOrder({ controllerName, remoteRef, conditions = [] }: ServiceStatus): ServiceStatus {
  return {
    controllerName,
    remoteRef: refInOrder(remoteRef),
    conditions: conditions.map(
      ({ type, status, reason, message, lastTransitionTime, localRef }) => ({
        type,
        status,
        reason,
        message,
        lastTransitionTime,
        ...(localRef !== undefined && { localRef: refInOrder(localRef) }),
      }),
    ),
  };
}

function refInOrder({ group = "", kind = "Service", name, namespace }: ServiceReference) {
  return { group, kind, name, namespace };
}
