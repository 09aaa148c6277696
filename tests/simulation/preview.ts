import type { StringMap } from "../../engine/kubernetes/objects/objects.ts";
import type { Planned } from "../../engine/mirroring/model/state.ts";

/** What a preview announces, by mirror: `shop/web-west`. */
export interface Previewed {
  /** Mirrors that appear, each in its line. */
  readonly comes: StringMap;
  readonly goes: StringMap;
  /** Fields in words, by mirror. */
  readonly changes: Readonly<Record<string, StringMap>>;
  /** Exported Services without a mirror, with reason and sentence. */
  readonly skipped: StringMap;
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

/** Nothing is written to a mirror that comes into the list, goes from it, or is left to a controller. */
function isUntouched({ action = "" }: StringMap): boolean {
  return ["adopt: ", "unlist: ", "leave: "].some((word) => action.startsWith(word));
}

function announced(step: Step): Omit<Previewed, "keys"> {
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
