import type { Skip } from "../model/reasons.ts";
import {
  type Change,
  type Decision,
  type FieldChange,
  isChange,
  isListed,
} from "../decide/decision.ts";
import type { ChangeTexts, MirrorLines } from "../model/state.ts";

/**
 * A line for everything about a part that the list of mirrors cannot show by itself. That list shows what comes
 * and goes between the last run and this one; it cannot show that a mirror it already had is
 * missing or altered, nor that one it never had is to be deleted, and it shows as coming what was
 * there before, and as going what is only given up.
 */
export function pendingTexts(
  decisions: readonly Decision[],
  namespaces: readonly string[],
  before: MirrorLines,
): ChangeTexts {
  const entries = decisions.filter(isChange).flatMap((change) => {
    const listed = before[change.key] !== undefined;
    const visible =
      (change.verdict === "create" && !listed) || (change.verdict === "delete" && listed);
    return visible ? [] : [[change.key, changeTexts(change)] as const];
  });
  const created = namespaces.map(
    (name) => [`namespace ${name}`, { action: "create, with its first mirrors" }] as const,
  );
  const { adopted, forgotten } = unwritten(decisions, before);
  const untouched = (keys: readonly string[], action: string) =>
    keys.map((key) => [key, { action }] as const);
  return Object.fromEntries([
    ...created,
    ...entries,
    ...untouched(adopted, "adopt: already exists"),
    ...untouched(forgotten, "forget: already deleted, or no longer owned"),
  ]);
}

/** The mirrors that the list gains and loses without anything being written. */
export function unwritten(
  decisions: readonly Decision[],
  before: MirrorLines,
): { readonly adopted: readonly string[]; readonly forgotten: readonly string[] } {
  const changed = new Set<string>(decisions.filter(isChange).map(({ key }) => key));
  const listed = new Set<string>(decisions.filter(isListed).map(({ key }) => key));
  const unchanged = (keys: Iterable<string>) => [...keys].filter((key) => !changed.has(key));
  return {
    adopted: unchanged(listed).filter((key) => !Object.hasOwn(before, key)),
    forgotten: unchanged(Object.keys(before)).filter((key) => !listed.has(key)),
  };
}

function changeTexts(change: Change): Readonly<Record<string, string>> {
  switch (change.verdict) {
    case "create":
      return {
        action:
          change.live.endpoints === undefined
            ? "create again: it is missing"
            : "create again: its Service is missing",
      };
    case "delete":
      return {
        action:
          change.live.service === undefined
            ? "delete: Endpoints left behind without their Service"
            : "delete: left behind, nothing that is exported asks for it",
      };
    case "replace":
      return { action: "replace: delete and create again", ...fieldTexts(change.fields) };
    case "update":
      return fieldTexts(change.fields);
  }
}
function fieldTexts(fields: readonly FieldChange[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.map(({ field, live, wanted }) => [field, `${live} → ${wanted}`]),
  );
}

/**
 * Pulumi shows how inputs differ from those of the last run. So lines of that run stay in, where
 * they show as nothing, until a run finds all in order; a line that comes up again is told apart.
 */
export function withHistory(before: ChangeTexts = {}, pending: ChangeTexts = {}): ChangeTexts {
  const told = Object.entries(pending).map(([key, texts]) => {
    const earlier = before[key] ?? {};
    const lines = Object.entries(texts).map(
      ([field, text]) => [field, earlier[field] === text ? `${text} (again)` : text] as const,
    );
    return [key, { ...earlier, ...Object.fromEntries(lines) }] as const;
  });
  return { ...before, ...Object.fromEntries(told) };
}

/** Skips by what they are about. */
export function notMirrored(skips: readonly Skip[]): Record<string, string> {
  return Object.fromEntries(
    skips.map((skip) => [subject(skip), `${skip.reason}: ${skip.sentence}`]),
  );
}

/** How many Services, and how many sentences, one line gives before it only counts. */
const named = 3;

/**
 * One line for each reason for the person at the terminal, however many Services it is about: a
 * gateway that is missing is the same news for every Service behind it. `notMirrored` has them all.
 */
export function skipNotes(skips: readonly Skip[]): string[] {
  return [...groupedBy(skips, ({ reason }) => reason)].map(([reason, group]) => {
    const causes = [...groupedBy(group, ({ sentence }) => sentence)];
    const [first] = causes;
    if (first !== undefined && causes.length === 1) {
      const verb = group.length === 1 ? "is" : "are";
      return `${subjects(group)} ${verb} not mirrored (${reason}): ${first[0]}`;
    }
    const shown = causes.slice(0, named);
    const rest = group.length - shown.reduce((sum, [, some]) => sum + some.length, 0);
    const texts = shown.map(([sentence, some]) => `${subjects(some)}: ${sentence}`);
    const more = rest === 0 ? [] : [`and ${rest} more, each in notMirrored`];
    return `${group.length} are not mirrored (${reason}): ${[...texts, ...more].join("; ")}`;
  });
}

function subjects(group: readonly Skip[]): string {
  const names = group.slice(0, named).map(subject).join(", ");
  return group.length > named ? `${names} and ${group.length - named} more` : names;
}

function groupedBy(
  skips: readonly Skip[],
  keyOf: (skip: Skip) => string,
): ReadonlyMap<string, readonly Skip[]> {
  const groups = new Map<string, Skip[]>();
  for (const skip of skips) {
    const group = groups.get(keyOf(skip));
    if (group === undefined) groups.set(keyOf(skip), [skip]);
    else group.push(skip);
  }
  return groups;
}

/** What a skip is about: `shop/web`, `shop/db pod db-0`, `shop/web of west`. */
function subject({ origin, cluster, hostname }: Skip): string {
  const pod = hostname === undefined ? "" : ` pod ${hostname}`;
  return `${origin}${pod}${cluster === undefined ? "" : ` of ${cluster}`}`;
}
