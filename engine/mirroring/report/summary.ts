import type { ObjectKey, Service } from "../../kubernetes/objects/objects.ts";
import { listed } from "../../base/message.ts";
import { type Decision, isWrite } from "../../model/decision.ts";
import { bySign, type Pending } from "../../model/verdicts.ts";
import { originOf } from "../../model/live-mirrors.ts";
import { isProbe } from "../../model/owner.ts";
import type { Skip } from "../../model/reasons.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { label } from "../../model/vocabulary.ts";

const named = 3;

/** The lines of a source name every change, if there are no more than this. */
export const mostNamed = 20;

export interface Summary {
  /**
   * Such as `+12 ~1 -2, 4 not mirrored (~ shop/web-west; - shop/cart-west, shop/db-west)`, and the Services that lose their
   * last backend.
   */
  readonly text: string;
  /** The text has counts in place of some names. */
  readonly isCut: boolean;
}

/** What a run does about one part. */
export interface Counted {
  readonly changes: readonly { readonly verdict: Pending; readonly key: ObjectKey }[];
  /** Mirrors that get this stack's mark. */
  readonly adopted: number;
  /** Mirrors that carry this stack's mark already, as after a run that failed before it could list them. */
  readonly there: number;
  readonly forgotten: number;
  readonly refused: number;
  /** Names Services that lose their last backend. */
  readonly lost: readonly string[];
  /** However many there are. */
  readonly namesAll: boolean;
}

/** Returns undefined if nothing is created, changed or deleted. */
export function summaryOf(counts: Counted): Summary | undefined {
  const { changes, adopted, there, forgotten, refused, lost, namesAll } = counts;
  const groups = bySign(changes).map(([sign, some]) => ({
    sign,
    keys: some.map(({ key }) => key),
  }));
  if (groups.length + adopted + there + forgotten === 0) return undefined;
  const numbers = [
    groups.map(({ sign, keys }) => `${sign}${keys.length}`).join(" "),
    counted(adopted, "adopted"),
    counted(there, "already there"),
    counted(forgotten, "no longer listed"),
    counted(refused, "not mirrored"),
  ].filter((text) => text !== "");
  const shown = groups.filter(({ keys }) => namesAll || keys.length <= named);
  const names = shown.map(({ sign, keys }) => `${sign} ${keys.join(", ")}`);
  const those = names.length === 0 ? "" : ` (${names.join("; ")})`;
  const who = lost.length > named ? `${lost.length} Services` : lost.join(", ");
  const [loses, backend] =
    lost.length === 1 ? ["loses its", "backend"] : ["lose their", "backends"];
  const gone = lost.length === 0 ? "" : `; ${who} ${loses} last ${backend}`;
  return { text: `${numbers.join(", ")}${those}${gone}`, isCut: shown.length < groups.length };
}

function counted(number: number, words: string): string {
  return number === 0 ? "" : `${number} ${words}`;
}

/** Returns by part the names (`namespace/name`) under which no Service, mirror or federated Service remains. */
export function lastBackends(
  { services }: Pick<ClusterSnapshot, "services">,
  decisions: readonly Decision[],
): ReadonlyMap<string, readonly string[]> {
  const going = decisions.filter(({ verdict }) => verdict === "delete");
  const last = new Map<string, string[]>();
  if (going.length === 0) return last;
  const gone = new Set(going.map(({ key }) => key));
  const left = new Set([
    ...[...services].flatMap(([key, service]) =>
      gone.has(key) ? [] : (nameOf(key, service) ?? []),
    ),
    ...decisions.filter(isWrite).map(({ wanted }) => wanted.origin),
  ]);
  for (const { key, part } of going) {
    const service = services.get(key);
    const name = service && nameOf(key, service);
    if (name === undefined || left.has(name)) continue;
    left.add(name);
    last.set(part, [...(last.get(part) ?? []), name]);
  }
  return last;
}

/** Returns undefined for the mirror of a single pod, and for the probe of a gateway. */
function nameOf(key: ObjectKey, service: Service): string | undefined {
  const { labels = {} } = service.metadata;
  if (labels[label.headlessRoot] !== undefined || isProbe(labels)) return undefined;
  if (labels[label.mirrored] !== "true") return key;
  return originOf(key, { service }).service ?? key;
}

/** State keeps this many Services that aren't mirrored, and sentences for the first of them. */
const most = { listed: 1_000, explained: 100 };
const others = "more Services";

/** A target exports what it likes, so that only the number of the others is listed. */
export function notMirrored(skips: readonly Skip[]): Record<string, string> {
  const shown = skips.slice(0, most.listed).map((skip, index): [string, string] => {
    const sentence = index < most.explained ? `: ${skip.sentence}` : "";
    return [subject(skip), `${skip.reason}${sentence}`];
  });
  const more = skips.length - shown.length;
  return { ...Object.fromEntries(shown), ...(more > 0 && { [others]: String(more) }) };
}

export function countNotMirrored(list: Readonly<Record<string, string>> = {}): number {
  const { [others]: more, ...shown } = list;
  return Object.keys(shown).length + Number(more ?? 0);
}

/** Returns one line per reason: a missing gateway is the same news for every Service behind it. */
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
