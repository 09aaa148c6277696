import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { isPending, type Verdict } from "../../model/verdicts.ts";
import type { FieldChange } from "../../model/mirror.ts";
import type { ChangeTexts, MirrorLines } from "../../model/state.ts";
import { setBy } from "./describe.ts";
import { type Summary, summaryOf } from "./summary.ts";

/** What a run does about objects that it reports together: the mirrors of a link, federated Services, or HTTPRoutes. */
export interface Part {
  /** Named as in state. */
  readonly part: string;
  readonly changes: readonly Change[];
  readonly refused: Refused;
}

type Texts = Readonly<Record<string, string>>;

/** What a run does about one object, if only to keep it. */
export interface Change {
  readonly key: ObjectKey;
  readonly verdict: Exclude<Verdict, "skip">;
  /** Its line in the run's list; absent if it isn't listed there. */
  readonly line?: string | undefined;
  readonly fields: readonly FieldChange[];
  /** Names what a listed object lacks. */
  readonly missing: string;
  /** Says why an object goes. */
  readonly unneeded: string;
  readonly mark?: "confirm" | "release";
  readonly keeper?: string;
}

/** What the user asks for and doesn't get. */
export interface Refused {
  readonly list: Texts;
  /** Says the same in fewer lines, for the notes. */
  readonly lines: readonly string[];
  /** The number that the summary gives as not mirrored. */
  readonly count: number;
}

export interface PartReport {
  readonly part: string;
  readonly mirrors: MirrorLines | string;
  readonly changes: ChangeTexts;
  readonly notMirrored: Texts;
  readonly summary?: Summary | undefined;
  readonly skips?: readonly string[];
}

/** What else a report says about a part. */
export interface Context {
  readonly before: MirrorLines;
  /** Stands for the mirrors behind a gateway that this run will create. */
  readonly pendingText?: string | undefined;
  readonly namespaces?: readonly string[];
  /** Names Services that lose their last backend. */
  readonly lost?: readonly string[];
  readonly namesAll?: boolean;
}

export function reportOn(
  { part, changes, refused }: Part,
  { before, pendingText, namespaces = [], lost = [], namesAll = true }: Context,
): PartReport {
  const about = { part, notMirrored: refused.list, skips: refused.lines };
  // While a gateway doesn't exist yet, only new mirrors can be predicted.
  if (pendingText !== undefined && changes.some(({ verdict }) => verdict !== "create"))
    return { ...about, mirrors: pendingText, changes: {} };
  const wasListed = (key: ObjectKey) => Object.hasOwn(before, key);
  const decided = new Map(changes.map((each) => [each.key, each]));
  const keys = new Set([...decided.keys(), ...(Object.keys(before) as ObjectKey[])]);
  const texts = [...keys].flatMap((key) => {
    const text = textsOf(decided.get(key), wasListed(key));
    return text === undefined ? [] : [[key, text] as const];
  });
  const created = namespaces.map(
    (name) => [`namespace ${name}`, { action: "create, with its first mirrors" }] as const,
  );
  const unlisted = changes.filter(({ verdict, key }) => verdict === "keep" && !wasListed(key));
  const adopted = unlisted.filter(({ mark }) => mark === "confirm").length;
  const verdictOf = (key: ObjectKey) => decided.get(key)?.verdict ?? "handOver";
  return {
    ...about,
    mirrors: Object.fromEntries(
      changes.flatMap(({ key, line }) => (line === undefined ? [] : [[key, line] as const])),
    ),
    changes: Object.fromEntries([...created, ...texts]),
    summary: summaryOf({
      changes: changes.filter(isPending),
      // The list gains or loses these entries although nothing is written.
      adopted,
      there: unlisted.length - adopted,
      forgotten: [...keys].filter((key) => verdictOf(key) === "handOver" && wasListed(key)).length,
      refused: refused.count,
      lost,
      namesAll,
    }),
  };
}

/**
 * Tells what a diff of the lists of two runs can't show. It can't show that a listed object is missing or altered, or
 * that an unlisted one will be deleted; and it shows an adopted one as new, and a released one as deleted.
 *
 * @param change absent if there is no such object any longer
 */
function textsOf(change: Change | undefined, wasListed: boolean): Texts | undefined {
  const action = (text: string) => ({ action: text });
  switch (change?.verdict) {
    case "create":
      return wasListed ? action(`recreate: ${change.missing} is missing`) : undefined;
    case "delete":
      return wasListed ? undefined : action(`delete: ${change.unneeded}`);
    case "replace":
      return { ...action("replace: delete and create again"), ...fieldTexts(change.fields) };
    case "update":
      // An object that also gets this stack's mark says so by its fields.
      return fieldTexts(change.fields);
    case "keep":
      if (change.mark === "confirm") return action("adopt: it exists and gets this stack's mark");
      return wasListed ? undefined : action("list: already there");
    case "handOver":
      if (!wasListed && change.mark === undefined) return undefined;
      return action(
        `leave: ${change.keeper === undefined ? "it carries no mark of this stack" : `${change.keeper} keeps it`}`,
      );
    default:
      return wasListed ? action("unlist: already deleted, or no longer this stack's") : undefined;
  }
}

/** State keeps these texts, and a target can change many fields of a mirror. */
export const mostFields = 20;

function fieldTexts(fields: readonly FieldChange[]): Texts {
  const lines = fields.map(
    ({ field, live, wanted, writer }) => [field, `${live}${setBy(writer)} → ${wanted}`] as const,
  );
  const more = lines.length - mostFields;
  return {
    ...Object.fromEntries(lines.slice(0, mostFields)),
    ...(more > 0 && { "more fields": String(more) }),
  };
}
