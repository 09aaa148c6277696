import type { StringMap } from "../../engine/kubernetes/objects/objects.ts";
import type { Planned } from "../../engine/mirroring/model/state.ts";

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

interface EngineStep {
  readonly urn: string;
  readonly oldState?: { readonly inputs?: object };
  readonly newState?: { readonly inputs?: object };
}

/** Inputs of a resource, of the run before and of this one. */
interface Step {
  readonly before: object | undefined;
  readonly after: object | undefined;
}

const type = "linkerd:Mirrors::";

/** Reads what `pulumi preview --json` prints. */
export function readPreview(text: string): Previewed {
  const { steps } = JSON.parse(text) as { readonly steps: readonly EngineStep[] };
  return readSteps(
    steps
      .filter(({ urn }) => urn.includes(type))
      .map(({ oldState, newState }) => ({ before: oldState?.inputs, after: newState?.inputs })),
  );
}

export function readSteps(steps: readonly Step[]): Previewed {
  const parts = steps.map(announced);
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

/** The line of a preview about a mirror that is adopted. */
export const takenOver = { action: "confirm: it exists, and gets this stack's mark" };

/** Nothing is written to a mirror that comes into the list, goes from it, or is left to a controller. */
function isUntouched({ action = "" }: StringMap): boolean {
  return ["adopt: ", "forget: ", "leave: "].some((word) => action.startsWith(word));
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

function announced(step: Step): Announced {
  const before: Partial<Planned> = step.before ?? {};
  const after: Partial<Planned> = step.after ?? {};
  return {
    comes: lacking(linesOf(after), linesOf(before)),
    goes: lacking(linesOf(before), linesOf(after)),
    changes: newTexts(flattened(before.changes), flattened(after.changes)),
    skipped: flattened(after.notMirrored),
  };
}

function linesOf({ mirrors }: Partial<Planned>): StringMap {
  if (typeof mirrors !== "object") return {};
  const parts = Object.values(mirrors);
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
