import type { ClusterSnapshot } from "../model/snapshot.ts";
import { federatedPart } from "../model/owner.ts";
import { type Decision, isUnmarked, namespacesToCreate, ofPart } from "../decide/decision.ts";
import { statusUpdate } from "./status.ts";
import { count } from "../model/text.ts";
import { pendingTexts, withHistory } from "./change-texts.ts";
import type { PlannedOutcome } from "./outcome.ts";
import type { Report } from "./report.ts";
import {
  type Before,
  type ByPart,
  type ChangeTexts,
  type MirrorsArgs,
  mirrorsBefore,
} from "../model/state.ts";

/** What stands for a part of which nothing can be said before its gateway has been made. */
export function awaitedText(
  { observedGateways }: MirrorsArgs,
  part: string,
  decisions: readonly Decision[],
): string | undefined {
  const awaited = observedGateways?.[part];
  // Of a gateway that is yet to be made only this can be foretold: what there will be that is new.
  const bringsOnly = decisions.every(({ verdict }) => verdict === "create" || verdict === "skip");
  return typeof awaited === "string" && !bringsOnly ? awaited : undefined;
}

export function pendingChanges(
  before: Before,
  args: MirrorsArgs,
  { decided, removed, report, source }: PlannedOutcome,
): ByPart<ChangeTexts> {
  const { judged } = decided;
  const namespaces = [...namespacesToCreate(decided.decisions, source)];
  const pending = new Map<string, ChangeTexts>();
  for (const part of judged) {
    const decisions = ofPart(decided.decisions, part);
    if (awaitedText(args, part, decisions) !== undefined) continue;
    const created = namespaces.flatMap(([name, by]) => (by === part ? [name] : []));
    const texts = pendingTexts(decisions, created, mirrorsBefore(before, part));
    // One whose fields change as well says so by these.
    const confirmed = decisions
      .filter(isUnmarked)
      .map(({ key }) => key)
      .filter((key) => texts[key]?.["action"]?.startsWith("adopt: ") ?? texts[key] === undefined);
    const mark = { action: "confirm: it exists, and gets this stack's mark" };
    pending.set(part, { ...texts, ...Object.fromEntries(confirmed.map((key) => [key, mark])) });
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
  const seen = new Set([...judged, ...known, federatedPart]);
  const { mirrors: listed } = before;
  for (const part of typeof listed === "object" ? Object.keys(listed) : []) {
    if (!seen.has(part)) pending.set(part, pendingTexts([], [], mirrorsBefore(before, part)));
  }
  for (const [part, texts] of statusTexts(source, report, args)) {
    pending.set(part, { ...pending.get(part), ...texts });
  }
  return Object.fromEntries([...pending].filter(([, texts]) => Object.keys(texts).length > 0));
}

/** By part: what the status of its Link is going to say, where it does not say so already. */
export function statusTexts(
  { links }: ClusterSnapshot,
  { statuses }: Report,
  { statusIn }: MirrorsArgs,
): (readonly [string, ChangeTexts])[] {
  return statuses.flatMap((status) => {
    const live = links?.get(status.link);
    // Without the Link resource there is no status to keep.
    if (live === undefined || statusIn === undefined) return [];
    if (statusUpdate(status, live, new Map(), new Date()) === undefined) return [];
    const mirrored = status.entries.filter(({ problem }) => problem === undefined).length;
    const text = `${count(mirrored, "Service")} mirrored, ${status.entries.length - mirrored} not`;
    const part = status.list === "federatedServices" ? federatedPart : live.metadata.name;
    return [[part, { [`Link ${status.link}`]: { [`status.${status.list}`]: text } }] as const];
  });
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
