import { isDeepStrictEqual } from "node:util";
import { bounds } from "../../kubernetes/objects/bounds.ts";
import type {
  Condition,
  LinkResource,
  ServiceReference,
  ServiceStatus,
} from "../../kubernetes/objects/link-resource.ts";
import { objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import { count } from "../model/text.ts";

/** The entry of one exported Service in a Link's status. */
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

/** All that one entry of a Link's status says. */
type Said = Omit<StatusEntry, "local"> & {
  /** The mirror or federated Service, if there is one. */
  readonly local?: ObjectKey;
  /** The message where there is no problem. */
  readonly note?: string;
};

/**
 * The list to write, or undefined where the live one says the same (linkerd-behaviour.md 1.3).
 * Always the whole list, so that the last entry can go as well, and a condition keeps its time for
 * as long as nothing about it changes.
 *
 * @param failed sentences about mirrors that could not be written, by the mirror's key
 */
export function statusUpdate(
  { list, entries }: LinkStatusList,
  live: LinkResource,
  failed: ReadonlyMap<ObjectKey, string>,
  now: Date,
): ServiceStatus[] | undefined {
  const there = live.status?.[list] ?? [];
  const before = new Map(there.map((entry) => [refKey(entry.remoteRef), entry]));
  const sorted = [...entries].sort((a, b) => (a.remote < b.remote ? -1 : 1));
  const said = sorted.map(({ remote, local, problem }): Said => {
    const sentence = failed.get(local);
    if (problem !== undefined) return { remote, problem };
    return sentence === undefined
      ? { remote, local }
      : { remote, problem: { reason: "Error", sentence } };
  });
  const wanted = fitting(said, (each) => serviceStatus(each, before.get(each.remote), now));
  return isDeepStrictEqual(normalised(wanted), normalised(there)) ? undefined : wanted;
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

/** In one order and with defaults, so that equal entries say the same. */
function normalised(list: readonly ServiceStatus[]) {
  return list
    .map(({ remoteRef, conditions = [], ...entry }) => ({
      ...{ ...entry, remoteRef: { ...anyService, ...remoteRef } },
      conditions: conditions.map(({ localRef, ...condition }) => ({
        ...condition,
        ...(localRef !== undefined && { localRef: { ...anyService, ...localRef } }),
      })),
    }))
    .sort((a, b) => (refKey(a.remoteRef) < refKey(b.remoteRef) ? -1 : 1));
}

const anyService = { group: "", kind: "Service" };

/** Characters of one message, which may quote what a server has said. */
const longest = 1_024;

/** An entry in the form of Linkerd's controller (linkerd-behaviour.md 1.3). */
function serviceStatus(
  { remote, local, problem, note = "" }: Said,
  before: ServiceStatus | undefined,
  now: Date,
): ServiceStatus {
  const message = problem?.sentence ?? note;
  const condition: Omit<Condition, "lastTransitionTime"> = {
    ...(local !== undefined && { localRef: reference(local) }),
    message: cut(message),
    reason: problem?.reason ?? "Mirrored",
    status: problem === undefined ? "True" : "False",
    type: "Mirrored",
  };
  const earlier = before?.conditions?.find(({ type }) => type === "Mirrored");
  const unchanged = earlier?.status === condition.status;
  const lastTransitionTime = unchanged
    ? earlier.lastTransitionTime
    : now.toISOString().replace(/\.\d+Z$/, "Z");
  return {
    controllerName: "linkerd.io/service-mirror",
    remoteRef: reference(remote),
    conditions: [{ ...condition, lastTransitionTime }],
  };
}

/** Never half a character, of which a server would make another one. */
function cut(message: string): string {
  if (message.length <= longest) return message;
  return `${message.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function reference(key: ObjectKey): ServiceReference {
  const [namespace = "", name = ""] = key.split("/");
  return { ...anyService, name, namespace };
}

function refKey({ namespace, name }: ServiceReference): ObjectKey {
  return objectKey(namespace, name);
}
