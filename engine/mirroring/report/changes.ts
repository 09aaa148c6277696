import { federatedPart } from "../model/owner.ts";
import {
  type Before,
  type ByPart,
  type ChangeTexts,
  type MirrorLines,
  type MirrorsArgs,
  mirrorsBefore,
} from "../model/state.ts";
import { count } from "../model/text.ts";
import {
  type Change,
  type Decision,
  type FieldChange,
  isChange,
  isListed,
  isUnmarked,
  namespacesToCreate,
} from "../decide/decision.ts";
import type { PlannedOutcome } from "./outcome.ts";

/** The decisions about one part beside the list of mirrors that the run before has left. */
export interface PartView {
  readonly decisions: readonly Decision[];
  readonly before: MirrorLines;
  /** The mirrors that the list gains and loses without anything being written. */
  readonly adopted: readonly string[];
  readonly forgotten: readonly string[];
  /** The text in the place of a part of which nothing can be said before its gateway has been made. */
  readonly awaited: string | undefined;
}

/** @param awaited stands for a gateway that is yet to be made */
export function viewOf(
  decisions: readonly Decision[],
  before: MirrorLines,
  awaited?: string,
): PartView {
  const changed = new Set<string>(decisions.filter(isChange).map(({ key }) => key));
  const listed = new Set<string>(decisions.filter(isListed).map(({ key }) => key));
  const unchanged = (keys: Iterable<string>) => [...keys].filter((key) => !changed.has(key));
  // Of a gateway that is yet to be made only this can be foretold: what there will be that is new.
  const bringsOnly = decisions.every(({ verdict }) => verdict === "create" || verdict === "skip");
  return {
    ...{ decisions, before },
    adopted: unchanged(listed).filter((key) => !Object.hasOwn(before, key)),
    forgotten: unchanged(Object.keys(before)).filter((key) => !listed.has(key)),
    awaited: bringsOnly ? undefined : awaited,
  };
}

/** By part: those about which a conclusion could be drawn. */
export function viewsOf(
  before: Before,
  { observedGateways = {} }: MirrorsArgs,
  { decided: { judged } }: PlannedOutcome,
): ReadonlyMap<string, PartView> {
  return new Map(
    [...judged].map(([part, decisions]) => {
      const { [part]: observed } = observedGateways;
      const awaited = typeof observed === "string" ? observed : undefined;
      return [part, viewOf(decisions, mirrorsBefore(before, part), awaited)];
    }),
  );
}

/** By part: a line for everything that is to happen and that the lists of mirrors cannot show. */
export function pendingChanges(
  before: Before,
  args: MirrorsArgs,
  { decided, removed, report, source }: PlannedOutcome,
  views: ReadonlyMap<string, PartView>,
): ByPart<ChangeTexts> {
  const namespaces = [...namespacesToCreate(decided.decisions, source)];
  const pending = new Map<string, ChangeTexts>();
  for (const [part, view] of views) {
    if (view.awaited !== undefined) continue;
    const created = namespaces.flatMap(([name, by]) => (by === part ? [name] : []));
    pending.set(part, pendingTexts(view, created));
  }
  for (const each of removed) {
    if (each.disposition !== "handOver") continue;
    const { target } = each.link;
    const lines = Object.keys(mirrorsBefore(before, target));
    const text = { action: `leave: ${each.controller} mirrors it now` };
    pending.set(target, Object.fromEntries(lines.map((key) => [key, text] as const)));
  }
  // A removed link of which nothing was left takes its list along, and nothing with it.
  const known = [...args.links, ...removed.map(({ link }) => link)].map(({ target }) => target);
  const seen = new Set([...views.keys(), ...known, federatedPart]);
  const { mirrors: listed } = before;
  for (const part of typeof listed === "object" ? Object.keys(listed) : [])
    if (!seen.has(part)) pending.set(part, pendingTexts(viewOf([], mirrorsBefore(before, part))));
  for (const { link, list, live, entries, isDue } of report.statuses) {
    if (!isDue) continue;
    const mirrored = entries.filter(({ problem }) => problem === undefined).length;
    const text = `${count(mirrored, "Service")} mirrored, ${entries.length - mirrored} not`;
    const part = list === "federatedServices" ? federatedPart : live.metadata.name;
    pending.set(part, { ...pending.get(part), [`Link ${link}`]: { [`status.${list}`]: text } });
  }
  return Object.fromEntries([...pending].filter(([, texts]) => Object.keys(texts).length > 0));
}

/**
 * A line for everything about a part that the list of mirrors cannot show by itself. That list shows what comes
 * and goes between the last run and this one; it cannot show that a mirror it already had is
 * missing or altered, nor that one it never had is to be deleted, and it shows as coming what was
 * there before, and as going what is only given up.
 */
export function pendingTexts(
  { decisions, before, adopted, forgotten }: PartView,
  namespaces: readonly string[] = [],
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
  // One whose fields change as well says so by these.
  const confirmed = decisions.flatMap((each) =>
    isUnmarked(each) && !isChange(each) ? each.key : [],
  );
  const untouched = (keys: readonly string[], action: string) =>
    keys.map((key) => [key, { action }] as const);
  return Object.fromEntries([
    ...created,
    ...entries,
    ...untouched(adopted, "adopt: already exists"),
    ...untouched(forgotten, "forget: already deleted, or no longer owned"),
    ...untouched(confirmed, "confirm: it exists, and gets this stack's mark"),
  ]);
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

export function historyOf(before: Before, pending: ByPart<ChangeTexts>): ByPart<ChangeTexts> {
  const parts = new Set([...Object.keys(before.changes ?? {}), ...Object.keys(pending)]);
  return Object.fromEntries(
    [...parts].sort().flatMap((part) => {
      const texts = withHistory(before.changes?.[part], pending[part]);
      return Object.keys(texts).length === 0 ? [] : [[part, texts] as const];
    }),
  );
}
