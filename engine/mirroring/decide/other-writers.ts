import { listed } from "../../base/message.ts";
import { type Decision, isSent, isWanted } from "../../model/decision.ts";
import { constantFields, keptFields } from "../../model/difference.ts";
import type { FieldChange, Mirror } from "../../model/mirror.ts";
import type { Rivals } from "../../model/state.ts";
import { isFreelyCopied, keyOfField, leavingNotes } from "../../model/metadata.ts";

/** A copied key is left to its other writer if runs have undone this many of its writes within this time. */
const rounds = { most: 3, within: 600_000 } as const;

/**
 * Leaves copied labels and annotations to another writer who doesn't give up. Everything else is restored in each run,
 * because whoever may write Services could claim it under any name.
 */
export function leftToOthers(decision: Decision, rivals: Rivals = {}): Decision {
  if (!isWanted(decision) || decision.verdict === "replace") return decision;
  const left = decision.fields.filter((change) => isLeft(decision.key, change, rivals));
  if (left.length === 0) return decision;
  const names = new Set(left.map(({ field }) => field));
  const fields = decision.fields.filter(({ field }) => !names.has(field));
  const without = <T extends Pick<Mirror, "labels" | "annotations">>(mirror: T): T => ({
    ...mirror,
    labels: unnamed(mirror.labels, (key) => names.has(`label ${key}`)),
    annotations: unnamed(mirror.annotations, (key) => names.has(`annotation ${key}`)),
  });
  const { claim } = decision;
  const rest = {
    ...decision,
    fields,
    left,
    wanted: without(decision.wanted),
    ...(claim?.details && { claim: { ...claim, details: without(claim.details) } }),
  };
  return fields.length === 0 ? { ...rest, verdict: "keep" } : rest;
}

function unnamed(map: Mirror["labels"], isNamed: (key: string) => boolean): Mirror["labels"] {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !isNamed(key)));
}

function isLeft(mirror: string, { field, writer }: FieldChange, rivals: Rivals): boolean {
  if (writer === undefined || !isCopied(field)) return false;
  const known = rivals[`${mirror} ${field}`];
  if (typeof known === "string") return known === writer.manager;
  return earlier(known, writer.time).length >= rounds.most;
}

function isCopied(field: string): boolean {
  const key = keyOfField(field);
  return key !== undefined && isFreelyCopied(key);
}

function earlier(times: readonly string[] = [], time = ""): string[] {
  return times.filter(
    (each) => each < time && Date.parse(time) - Date.parse(each) <= rounds.within,
  );
}

/** Remembers which writes of others a run undoes, and what it leaves to them. */
export function rivalsAfter(decisions: readonly Decision[], rivals: Rivals = {}): Rivals {
  const decided = new Map(decisions.map((each) => [each.key, each] as const));
  const known = Object.entries(rivals).filter(([id, value]) => {
    const decision = decided.get(id.split(" ", 1).join() as Decision["key"]);
    return decision === undefined || (isWanted(decision) && typeof value !== "string");
  });
  const seen = decisions.filter(isWanted).flatMap(({ key, fields, left = [] }) => [
    ...left.map(({ field, writer }) => [`${key} ${field}`, writer?.manager ?? ""] as const),
    ...fields.flatMap(({ field, writer: { time } = {} }) => {
      const id = `${key} ${field}`;
      const times = rivals[id];
      if (time === undefined || !isCopied(field)) return [];
      const before = typeof times === "string" ? [] : earlier(times, time);
      return [[id, [...before, time].slice(-rounds.most)] as const];
    }),
  ]);
  return Object.fromEntries([...known, ...seen]);
}

/** Reports keys that leave mirrors, and what others have set on mirrors and this program leaves. */
export function othersNotes(decisions: readonly Decision[]): string[] {
  const wanted = decisions.filter(isWanted);
  const kept = wanted.flatMap(({ key, live: { service } }) =>
    service === undefined ? [] : keptFields(service).map((field) => `${key}: ${field}`),
  );
  const lost = wanted.flatMap(({ key, left = [] }) =>
    left.map(({ field, writer }) => `${key}: ${field}, set by ${writer?.manager ?? ""}`),
  );
  return [
    ...leavingNotes(decisions),
    ...(kept.length === 0
      ? []
      : [
          `others have set fields of mirrors that this program leaves as they are (${listed(kept, 5)}): have them leave out Services with the label mirror.linkerd.io/mirrored-service`,
        ]),
    ...(lost.length === 0
      ? []
      : [
          `copied metadata is left to others who set it again after each run (${listed(lost, 5)}): have them leave out mirrors, or take the keys out of copiedMetadata of the link`,
        ]),
  ];
}

/** Names what others have set, if a run would do nothing but restore it; undefined otherwise. */
export function contested(decisions: readonly Decision[]): readonly string[] | undefined {
  const sent = decisions.filter(isSent);
  const texts = sent.flatMap((each) =>
    each.verdict === "update"
      ? each.fields.map(({ field, writer }) => ({
          isTheirs: writer !== undefined || constantFields.has(field),
          text: `${each.key}: ${field}, set by ${writer?.manager ?? "an unnamed writer, such as an admission webhook"}`,
        }))
      : [{ isTheirs: false, text: "" }],
  );
  return texts.length > 0 && texts.every(({ isTheirs }) => isTheirs)
    ? texts.map(({ text }) => text)
    : undefined;
}
