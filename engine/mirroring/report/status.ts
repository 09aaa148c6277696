import { bounds } from "../../kubernetes/objects/bounds.ts";
import { clusterOfToken, tokensIn } from "../model/vocabulary.ts";
import type { Mirror } from "../model/mirror.ts";
import { type Decision, isSkip, isWanted } from "../decide/decision.ts";
import { objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import type { Link, ServiceStatus } from "../../kubernetes/objects/link-resource.ts";
import { reasons, type Skip } from "../model/reasons.ts";
import { inOrder, refKey, type Said, serviceStatus } from "./service-status.ts";
import { count } from "../model/text.ts";

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

/** `status.mirrorServices` of a link, by the decisions about it; endpoint mirrors belong to their headless one. */
export function mirrorStatus(link: ObjectKey, decisions: readonly Decision[]) {
  const mirrored = decisions
    .filter(isWanted)
    .filter(({ kind }) => kind !== "endpoint")
    .map(({ key, wanted: { origin } }) => ({ remote: origin, local: key }));
  const entries = [...mirrored, ...problems(decisions.filter(isSkip))];
  return { link, list: "mirrorServices", entries } as const;
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
  decisions: readonly Decision[],
) {
  const listing = desired.filter(({ annotations }) =>
    tokensIn(annotations).some((token) => clusterOfToken(token) === target),
  );
  const origins = new Set(listing.map(({ origin }) => origin));
  const joined = decisions.filter(isWanted).filter(({ wanted }) => origins.has(wanted.origin));
  const own = decisions
    .filter(isSkip)
    .filter(({ cluster, origin }) =>
      cluster === undefined ? origins.has(origin) : cluster === target,
    );
  const entries = joined.map(({ key, wanted }) => ({ remote: wanted.origin, local: key }));
  return { link, list: "federatedServices", entries: [...entries, ...problems(own)] } as const;
}

/** Of a link by which nothing is mirrored any more. */
export function emptyStatus(link: ObjectKey): LinkStatuses {
  return [
    { link, list: "mirrorServices", entries: [] },
    { link, list: "federatedServices", entries: [] },
  ];
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
  const there = live.status?.[list] ?? [];
  const before = new Map(there.map((entry) => [refKey(entry.remoteRef), entry]));
  const sorted = [...entries].sort((a, b) => (a.remote < b.remote ? -1 : 1));
  const said = sorted.map((entry) => saidOf(entry, failed));
  const wanted = fitting(said, (each) => serviceStatus(each, before.get(each.remote), now));
  const same = JSON.stringify(normalised(wanted)) === JSON.stringify(normalised(there));
  return same ? undefined : wanted;
}

function saidOf(
  { remote, local, problem }: StatusEntry,
  failed: ReadonlyMap<ObjectKey, string>,
): Said {
  const failure = failed.get(local);
  if (problem !== undefined) return { remote, problem };
  if (failure !== undefined) return { remote, problem: { reason: "Error", sentence: failure } };
  return { remote, local };
}

/**
 * Bytes of JSON for a list. etcd takes objects of 1.5 MiB, managed fields included. The two lists of
 * a Link come to 1 MiB at most: that leaves a third to the rest and to JSON that escapes more.
 */
const room = bounds.status.most;
/** Of these, what the entry that counts the rest may take. */
const roomForRest = 1024;

/** What the entry is called that counts the rest: a reference as any other, but no Service's name has a dot. */
const rest: ObjectKey = "more/more.services";

/**
 * As many entries as there is room for, problems before all others, and where not all of them fit an
 * entry at the end that says how many more there are.
 */
function fitting(all: readonly Said[], write: (said: Said) => ServiceStatus): ServiceStatus[] {
  const written = all.map((said) => ({ said, status: write(said) }));
  const sizes = written.map(({ status }) => Buffer.byteLength(JSON.stringify(status)) + 1);
  if (sizes.reduce((sum, size) => sum + size, 2) <= room)
    return written.map(({ status }) => status);
  let left = room - roomForRest;
  const kept = new Set<Said>();
  for (const isProblem of [true, false])
    for (const [index, { said }] of written.entries()) {
      if (isProblem !== (said.problem !== undefined)) continue;
      left -= sizes[index] ?? 0;
      if (left >= 0) kept.add(said);
    }
  const omitted = all.filter((said) => !kept.has(said));
  return [
    ...written.flatMap(({ said, status }) => (kept.has(said) ? [status] : [])),
    write({ remote: rest, ...countOf(omitted) }),
  ];
}

function countOf(omitted: readonly Said[]): Omit<Said, "remote"> {
  const bad = omitted.filter(({ problem }) => problem !== undefined).length;
  const more = `${count(omitted.length - bad, "more Service")} mirrored`;
  const why = "for which the Link has no room";
  if (bad === 0) return { note: `${more}, ${why}` };
  return { problem: { reason: "Error", sentence: `${more} and ${bad} not, ${why}` } };
}

function normalised(list: readonly ServiceStatus[]): ServiceStatus[] {
  return [...list]
    .sort((a, b) => (refKey(a.remoteRef) < refKey(b.remoteRef) ? -1 : 1))
    .map(inOrder);
}
