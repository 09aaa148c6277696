import type { StringMap } from "../../../engine/kubernetes/objects.ts";
import type { Planned } from "../../../engine/mirroring/reconcile/state.ts";

/** What a preview announces, by mirror: `shop/web-west`. */
export interface Announced {
  /** Mirrors that appear, each in its line. */
  readonly comes: StringMap;
  readonly goes: StringMap;
  /** Fields in words, by mirror. */
  readonly changes: Readonly<Record<string, StringMap>>;
  /** Exported Services without a mirror, with reason and sentence. */
  readonly skipped: StringMap;
}

export interface Previewed extends Announced {
  /** Everything that comes, goes or changes, sorted. */
  readonly keys: readonly string[];
}

interface Step {
  readonly urn: string;
  readonly oldState?: { readonly inputs?: Planned };
  readonly newState?: { readonly inputs?: Planned };
}

const type = "pulumi-nodejs:dynamic/linkerd:Mirrors";

/** Reads, of a link that has anything to do at all, what `pulumi preview --json` prints. */
export function readPreview(text: string): Previewed {
  const { steps } = JSON.parse(text) as { readonly steps: readonly Step[] };
  const mirrors = steps.filter(({ urn }) => urn.includes(`${type}::`));
  const parts = mirrors.map(announced);
  const comes = merged(parts.map((part) => part.comes));
  const goes = merged(parts.map((part) => part.goes));
  const changes = merged(parts.map((part) => part.changes));
  return {
    comes,
    goes,
    changes,
    skipped: merged(parts.map((part) => part.skipped)),
    keys: [...new Set([comes, goes, changes].flatMap((part) => Object.keys(part)))]
      .filter((key) => !isUntouched(changes[key] ?? {}))
      .sort(),
  };
}

/** What a preview says of a mirror that comes into the list, or goes from it, without a write. */
export const takenOver = { action: "adopt: already exists" };
export const givenUp = { action: "forget: already deleted, or no longer owned" };

function isUntouched({ action }: StringMap): boolean {
  return action === takenOver.action || action === givenUp.action;
}

/** The part of it that is about one namespace. */
export function within(namespace: string, whole: Announced): Announced {
  const part = <T>(map: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(map).filter(([key]) => key.startsWith(`${namespace}/`)));
  const changes = Object.entries(part(whole.changes)).map(
    ([key, texts]) => [key, mapped(texts, withoutAddresses)] as const,
  );
  return {
    comes: part(whole.comes),
    goes: part(whole.goes),
    changes: Object.fromEntries(changes),
    skipped: part(whole.skipped),
  };
}

/** ClusterIPs of east differ from run to run. */
export function withoutAddresses(text: string): string {
  return text.replace(/10\.101\.\d+\.\d+/g, "(ClusterIP)");
}

function mapped(map: StringMap, change: (text: string) => string): StringMap {
  return Object.fromEntries(Object.entries(map).map(([key, text]) => [key, change(text)]));
}

function announced({ oldState, newState }: Step): Announced {
  const before = linesOf(oldState?.inputs);
  const after = linesOf(newState?.inputs);
  const { changes = {}, notMirrored = {} } = newState?.inputs ?? {};
  return {
    comes: lacking(after, before),
    goes: lacking(before, after),
    changes: newTexts(flattened(oldState?.inputs?.changes), flattened(changes)),
    skipped: flattened(notMirrored),
  };
}

function linesOf(inputs: Planned | undefined): StringMap {
  if (typeof inputs?.mirrors !== "object") return {};
  const parts = Object.values(inputs.mirrors);
  return merged(parts.flatMap((lines) => (typeof lines === "object" ? [lines] : [])));
}

/** All parts of a map by part, since a mirror's key says where it is and no two parts share one. */
function flattened<T>(parts: Readonly<Record<string, Readonly<Record<string, T>>>> = {}) {
  return merged(Object.values(parts));
}

/** The entries of `map` whose keys `other` has not. */
function lacking(map: StringMap, other: StringMap): StringMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => other[key] === undefined));
}

/** Lines that the run before did not show: Pulumi shows these alone. */
function newTexts(
  before: Readonly<Record<string, StringMap>>,
  after: Readonly<Record<string, StringMap>>,
): Record<string, StringMap> {
  const entries = Object.entries(after).map(([key, texts]) => {
    const fresh = Object.entries(texts).filter(([field, text]) => before[key]?.[field] !== text);
    return [key, Object.fromEntries(fresh)] as const;
  });
  return Object.fromEntries(entries.filter(([, texts]) => Object.keys(texts).length > 0));
}

function merged<T>(maps: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  return Object.fromEntries(maps.flatMap((map) => Object.entries(map)));
}
