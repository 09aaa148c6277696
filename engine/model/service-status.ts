import { isDeepStrictEqual } from "node:util";
import { bounds } from "../kubernetes/objects/bounds.ts";
import type {
  Condition,
  LinkResource,
  ServiceReference,
  ServiceStatus,
} from "../kubernetes/objects/link-resource.ts";
import { objectKey, type ObjectKey } from "../kubernetes/objects/objects.ts";
import { count } from "../base/message.ts";
import { timestamp } from "../kubernetes/objects/timestamp.ts";

export interface StatusEntry {
  readonly remote: ObjectKey;
  readonly local: ObjectKey;
  /** The problem is absent if the Service is mirrored. */
  readonly problem?: { readonly reason: string; readonly sentence: string };
}

/** A list is due if the live one differs. */
export interface LinkStatusList {
  readonly link: ObjectKey;
  readonly list: "mirrorServices" | "federatedServices";
  readonly entries: readonly StatusEntry[];
  /** The entries of these exported Services are another stack's, and stay as they are. */
  readonly others?: ReadonlySet<ObjectKey>;
  readonly live: LinkResource;
  readonly isDue: boolean;
}

type StatusEntryContent = Omit<StatusEntry, "local"> & {
  readonly local?: ObjectKey;
  readonly note?: string;
  /** The entry that another stack has written. */
  readonly as?: ServiceStatus;
};

/**
 * Returns undefined if the live list is equal (linkerd-behaviour.md 1.3). The list is always complete, so that the last
 * entry can be removed too, and a condition keeps its time as long as it doesn't change.
 *
 * @param failed sentences about mirrors that couldn't be written, by the mirror's key
 */
export function statusUpdate(
  { list, entries, others = new Set() }: Pick<LinkStatusList, "list" | "entries" | "others">,
  live: LinkResource,
  failed: ReadonlyMap<ObjectKey, string>,
  now: Date,
): ServiceStatus[] | undefined {
  const there = live.status?.[list] ?? [];
  const before = new Map(there.map((entry) => [refKey(entry.remoteRef), entry]));
  const own = entries.filter(({ remote }) => !others.has(remote));
  const contents = own.map(({ remote, local, problem }): StatusEntryContent => {
    const sentence = failed.get(local);
    if (problem !== undefined) return { remote, problem };
    return sentence === undefined
      ? { remote, local }
      : { remote, problem: { reason: "Error", sentence } };
  });
  const kept = [...before].flatMap(([remote, as]) => (others.has(remote) ? [{ remote, as }] : []));
  const sorted = [...contents, ...kept].sort((a, b) => (a.remote < b.remote ? -1 : 1));
  const wanted = fitting(
    sorted,
    (each) => each.as ?? serviceStatus(each, before.get(each.remote), now),
  );
  return isDeepStrictEqual(normalised(wanted), normalised(there)) ? undefined : wanted;
}

/**
 * etcd accepts objects of 1.5 MiB, managed fields included. The two lists of a Link may take 1 MiB of JSON; the
 * remaining third is for other fields and for JSON that escapes more.
 */
const mostBytes = bounds.status.most;
const bytesForRest = 1024;

/** This reference to the rest is valid, but no Service's name contains a dot. */
const rest: ObjectKey = "more/more.services";

/** Keeps as many entries as fit, problems first; the last entry then counts the others. */
function fitting(
  all: readonly StatusEntryContent[],
  write: (content: StatusEntryContent) => ServiceStatus,
): ServiceStatus[] {
  const written = all.map((content) => {
    const status = write(content);
    return { content, status, size: Buffer.byteLength(JSON.stringify(status)) + 1 };
  });
  if (written.reduce((sum, { size }) => sum + size, 2) <= mostBytes)
    return written.map(({ status }) => status);
  let left = mostBytes - bytesForRest;
  const kept = new Set<StatusEntryContent>();
  const isMirrored = ({ problem }: StatusEntryContent) => Number(problem === undefined);
  for (const { content, size } of written.toSorted(
    (a, b) => isMirrored(a.content) - isMirrored(b.content),
  )) {
    left -= size;
    if (left >= 0) kept.add(content);
  }
  return [
    ...written.flatMap(({ content, status }) => (kept.has(content) ? [status] : [])),
    write({ remote: rest, ...countOf(all.filter((content) => !kept.has(content))) }),
  ];
}

function countOf(omitted: readonly StatusEntryContent[]): Omit<StatusEntryContent, "remote"> {
  const bad = omitted.filter(({ problem }) => problem !== undefined).length;
  const more = `${count(omitted.length - bad, "more Service")} mirrored`;
  const why = "which don't fit into the Link";
  if (bad === 0) return { note: `${more}, ${why}` };
  return { problem: { reason: "Error", sentence: `${more} and ${bad} not, ${why}` } };
}

/** Sorts a list and fills in defaults, so that equal entries compare as equal. */
function normalised(list: readonly ServiceStatus[]) {
  return list
    .map(({ remoteRef, conditions = [], ...entry }) => ({
      ...entry,
      remoteRef: { ...anyService, ...remoteRef },
      conditions: conditions.map(({ localRef, ...condition }) => ({
        ...condition,
        ...(localRef !== undefined && { localRef: { ...anyService, ...localRef } }),
      })),
    }))
    .sort((a, b) => (refKey(a.remoteRef) < refKey(b.remoteRef) ? -1 : 1));
}

const anyService = { group: "", kind: "Service" };

const longest = 1_024;

/**
 * Formats an entry as Linkerd's controller does (linkerd-behaviour.md 1.3), and keeps fields that later versions of
 * Linkerd may have added.
 */
function serviceStatus(
  { remote, local, problem, note = "" }: StatusEntryContent,
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
  const lastTransitionTime = unchanged ? earlier.lastTransitionTime : timestamp(now);
  const { localRef: _, ...others } = earlier ?? {};
  return {
    ...before,
    controllerName: "linkerd.io/service-mirror",
    remoteRef: reference(remote),
    conditions: [{ ...others, ...condition, lastTransitionTime }],
  };
}

/** Cuts a message, which may quote a server, without splitting a character. */
function cut(message: string): string {
  if (message.length <= longest) return message;
  return `${message.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function reference(key: ObjectKey): ServiceReference {
  const [namespace = "", name = ""] = key.split("/");
  return { ...anyService, name, namespace };
}

export function refKey({ namespace, name }: ServiceReference): ObjectKey {
  return objectKey(namespace, name);
}
