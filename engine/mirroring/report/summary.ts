import type { Decision, Verdict } from "../model/decision.ts";

/** The rest is only counted. */
const named = 3;

const signs: readonly (readonly [sign: string, verdicts: readonly Verdict[]])[] = [
  ["+", ["create"]],
  ["~", ["update", "replace"]],
  ["-", ["delete"]],
];

/**
 * Returns `+12 ~1 -2, 4 not mirrored (~ shop/web-west; - shop/cart-west, shop/db-west)`, and the Services that lose
 * their last backend; undefined if no mirror is created, changed or deleted.
 */
export function summaryOf(
  decisions: readonly Pick<Decision, "verdict" | "key">[],
  adopted: number,
  forgotten: number,
  lost: readonly string[],
): string | undefined {
  const groups = signs.flatMap(([sign, verdicts]) => {
    const keys = decisions.flatMap(({ verdict, key }) => (verdicts.includes(verdict) ? key : []));
    return keys.length === 0 ? [] : [{ sign, keys }];
  });
  if (groups.length + adopted + forgotten === 0) return undefined;
  const counts = [
    ...(groups.length === 0
      ? []
      : [groups.map(({ sign, keys }) => `${sign}${keys.length}`).join(" ")]),
    ...counted(adopted, "adopted"),
    ...counted(forgotten, "no longer listed"),
    ...counted(decisions.filter(({ verdict }) => verdict === "skip").length, "not mirrored"),
  ].join(", ");
  const names = groups.flatMap(({ sign, keys }) =>
    keys.length > named ? [] : [`${sign} ${keys.join(", ")}`],
  );
  const left = lost.length > named ? `${lost.length} Services` : lost.join(", ");
  return [
    counts,
    ...(names.length === 0 ? [] : [` (${names.join("; ")})`]),
    ...(lost.length === 0 ? [] : [`; nothing is left of ${left}`]),
  ].join("");
}

function counted(number: number, words: string): string[] {
  return number === 0 ? [] : [`${number} ${words}`];
}
