import { listed } from "../../message.ts";
import type { Skip } from "../model/reasons.ts";

export function notMirrored(skips: readonly Skip[]): Record<string, string> {
  return Object.fromEntries(
    skips.map((skip) => [subject(skip), `${skip.reason}: ${skip.sentence}`]),
  );
}

/** The rest is only counted. */
const named = 3;

/**
 * Returns one line per reason, however many Services it concerns: a missing gateway is the same news for every Service
 * behind it. `notMirrored` lists them all.
 */
export function skipNotes(skips: readonly Skip[]): string[] {
  return [...Map.groupBy(skips, ({ reason }) => reason)].map(([reason, group]) => {
    const causes = [...Map.groupBy(group, ({ sentence }) => sentence)];
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
  return listed(group.map(subject), named);
}

/** Returns `shop/web`, `shop/db pod db-0` or `shop/web of west`. */
function subject({ origin, cluster, hostname }: Skip): string {
  const pod = hostname === undefined ? "" : ` pod ${hostname}`;
  return `${origin}${pod}${cluster === undefined ? "" : ` of ${cluster}`}`;
}
