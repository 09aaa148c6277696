import { federatedPart } from "../model/owner.ts";
import { type Decision, isSkip, ofPart, type Verdict } from "../decide/decision.ts";
import { awaitedText } from "./pending-changes.ts";
import { unwritten } from "./change-texts.ts";
import type { PlannedOutcome } from "./outcome.ts";
import { type Before, type MirrorLines, type MirrorsArgs, mirrorsBefore } from "../model/state.ts";
import { about } from "./notes.ts";

/** How many mirrors with the same sign are named; where there are more, they are only counted. */
const named = 3;

const signs: readonly (readonly [sign: string, verdicts: readonly Verdict[]])[] = [
  ["+", ["create"]],
  ["~", ["update", "replace"]],
  ["-", ["delete"]],
];

/**
 * One line for each part whose mirrors are going to change, so that a run tells what comes and goes
 * without `--diff`. A part that stays as it is has none: why Services are not mirrored is told anyway.
 */
export function summaries(
  before: Before,
  args: MirrorsArgs,
  { decided: { decisions, judged } }: PlannedOutcome,
): string[] {
  return [...judged].flatMap((part) => {
    const own = ofPart(decisions, part);
    // Pulumi says that these are not known yet.
    if (awaitedText(args, part, own) !== undefined) return [];
    const summary = summaryOf(own, mirrorsBefore(before, part));
    if (summary === undefined) return [];
    const what = part === federatedPart ? "federated Services " : "";
    return [`${about(args.source, part)}${what}${summary}`];
  });
}

/**
 * `+12 ~1 -2, 4 not mirrored (~ shop/web-west; - shop/cart-west, shop/db-west)`; undefined where no
 * mirror comes, changes or goes.
 */
export function summaryOf(decisions: readonly Decision[], before: MirrorLines): string | undefined {
  const groups = signs.flatMap(([sign, verdicts]) => {
    const keys = decisions.flatMap(({ verdict, key }) => (verdicts.includes(verdict) ? key : []));
    return keys.length === 0 ? [] : [{ sign, keys }];
  });
  const { adopted, forgotten } = unwritten(decisions, before);
  if (groups.length + adopted.length + forgotten.length === 0) return undefined;
  const counts = [
    groups.map(({ sign, keys }) => `${sign}${keys.length}`).join(" "),
    counted(adopted, "adopted"),
    counted(forgotten, "forgotten"),
    counted(decisions.filter(isSkip), "not mirrored"),
  ].filter((text) => text !== "");
  const names = groups.flatMap(({ sign, keys }) =>
    keys.length > named ? [] : [`${sign} ${keys.join(", ")}`],
  );
  return counts.join(", ") + (names.length === 0 ? "" : ` (${names.join("; ")})`);
}

function counted({ length }: readonly unknown[], words: string): string {
  return length === 0 ? "" : `${length} ${words}`;
}
