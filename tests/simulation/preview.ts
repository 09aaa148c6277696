import type { StringMap } from "../../engine/kubernetes/objects/objects.ts";
import type { Planned } from "../../engine/model/state.ts";

/** What a preview announces, by mirror: `shop/web-west`. */
export interface Previewed {
  /** The line of each new mirror. */
  readonly comes: StringMap;
  readonly goes: StringMap;
  /** Changed fields in words, by mirror. */
  readonly changes: Readonly<Record<string, StringMap>>;
  /** All mirrors that are created, deleted or changed, sorted. */
  readonly keys: readonly string[];
}

interface EngineStep {
  readonly urn: string;
  readonly oldState?: { readonly inputs?: object };
  readonly newState?: { readonly inputs?: object };
}

/** The inputs of a resource in the previous run and this one. */
interface Step {
  readonly before: object | undefined;
  readonly after: object | undefined;
}

const type = "linkerd:Mirrors::";

/** Reads the output of `pulumi preview --json`. */
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
    keys: [...new Set([comes, goes, changes].flatMap((part) => Object.keys(part)))]
      .filter((key) => !isUntouched(changes[key] ?? {}))
      .sort(),
  };
}

/** These actions change only the list of mirrors, and write nothing. */
function isUntouched({ action = "" }: StringMap): boolean {
  return ["adopt: ", "list: ", "unlist: ", "leave: "].some((word) => action.startsWith(word));
}

function announced(step: Step): Omit<Previewed, "keys"> {
  const before: Partial<Planned> = step.before ?? {};
  const after: Partial<Planned> = step.after ?? {};
  return {
    comes: lacking(linesOf(after), linesOf(before)),
    goes: lacking(linesOf(before), linesOf(after)),
    changes: newTexts(flattened(before.changes), flattened(after.changes)),
  };
}

function linesOf({ mirrors }: Partial<Planned>): StringMap {
  if (typeof mirrors !== "object") return {};
  const parts = Object.values(mirrors);
  return merged(parts.flatMap((lines) => (typeof lines === "object" ? [lines] : [])));
}

/** Merges the parts of a map. No two parts share a mirror's key. */
function flattened<T>(parts: Readonly<Record<string, Readonly<Record<string, T>>>> = {}) {
  return merged(Object.values(parts));
}

function lacking(map: StringMap, other: StringMap): StringMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => other[key] === undefined));
}

/** Pulumi shows only lines that the previous run didn't have. */
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
