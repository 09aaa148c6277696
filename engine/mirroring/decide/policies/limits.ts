import { bounds } from "../../../kubernetes/objects/bounds.ts";
import { omitUndefined } from "../../../base/omit-undefined.ts";
import { inDigits } from "../../../base/message.ts";
import { type Decision, isSkip, isTaken, isWrite } from "../../../model/decision.ts";
import type { LinkSpec } from "../../../model/link.ts";
import type { LiveMirror } from "../../../model/mirror.ts";
import type { Fix, Why } from "../../../model/reasons.ts";
import type { Size, Sized } from "./mirror-sizes.ts";

export interface Item<T> {
  readonly one: T;
  readonly part: string;
  readonly live: LiveMirror;
  /** The mirror is undefined if the run doesn't write it. */
  readonly wanted: Sized | undefined;
}

export interface Limit<T> {
  readonly items: readonly Item<T>[];
  readonly most: number;
  readonly size: Size;
  readonly sentence: string;
  readonly fix?: Fix;
}

/** Skips write nothing, and a mirror that another link takes over is that link's. */
export function itemsOf(decisions: readonly Decision[]) {
  return decisions
    .filter((decision) => !isSkip(decision))
    .filter((decision) => !isTaken(decision))
    .map((decision) => ({
      one: `${decision.part} ${decision.key}`,
      key: decision.key,
      part: decision.part,
      live: decision.live,
      wanted: isWrite(decision) ? decision.wanted : undefined,
      decision,
    }));
}

/** Returns those that don't fit. What exists has its place, and the rest goes first to parts that have brought least. */
export function beyond<T>({ items, most, size, sentence, fix }: Limit<T>): [T, Why][] {
  const weighed = items.map(({ one, part, live, wanted }) => {
    const before = size.live(live);
    const after = wanted === undefined ? before : size.wanted(wanted);
    return { one, part, least: Math.min(before, after), growth: Math.max(after - before, 0) };
  });
  let left = weighed.reduce((rest, { least }) => rest - least, most);
  const brought = new Map<string, number>();
  const bring = (part: string, more: number) => {
    const total = (brought.get(part) ?? 0) + more;
    brought.set(part, total);
    return total;
  };
  for (const { part, least } of weighed) bring(part, least);
  return weighed
    .filter(({ growth }) => growth > 0)
    .map((each) => ({ ...each, total: bring(each.part, each.growth) }))
    .sort((a, b) => a.total - b.total)
    .flatMap(({ one, growth }): [T, Why][] => {
      if (growth > left)
        return [[one, { reason: "TooManyMirrors", sentence, ...omitUndefined({ fix }) }]];
      left -= growth;
      return [];
    });
}

export function countLimit<T>(
  { source, target, maxMirrors }: LinkSpec,
  items: readonly Item<T>[],
  { number, what }: { readonly number: number; readonly what: string },
): Limit<T> {
  return {
    items,
    most: maxMirrors,
    size: { live: ({ service }) => (service === undefined ? 0 : 1), wanted: () => 1 },
    sentence: `${target} exports what would be ${number} ${what} on ${source}, and maxMirrors of link ${source} → ${target} allows ${maxMirrors}: check that all of it should be exported, then raise maxMirrors on the link`,
    fix: `maxMirrors: ${number}`,
  };
}

export function bytesLimit<T>(
  { source, target }: LinkSpec,
  items: readonly Item<T>[],
  what: string,
  size: Size,
): Limit<T> {
  const { most } = bounds.linkBytes;
  return {
    items,
    most,
    size,
    sentence: `${target} exports what would be ${what} of more than ${inDigits(most)} bytes on ${source}: export fewer Services, or Services with fewer labels, annotations and ports`,
  };
}
