// The types are written out for the schema of the commands' output.
export type Verdict = "create" | "update" | "replace" | "keep" | "delete" | "handOver" | "skip";

/** The next run changes the object. */
export type Pending = "create" | "update" | "replace" | "delete";

type OfObject = Exclude<Verdict, "skip">;

interface Words {
  /** Stands before counts and names: `+12 ~1 -2`. Without one, the next run changes nothing. */
  readonly sign: Sign | "";
  /** The object's state now. */
  readonly state: string;
  /** The same state as a predicate. */
  readonly predicate: string;
  /** What the next run does, behind the object's line. */
  readonly next: string;
}

type Sign = "+" | "~" | "-";

const replaced = "differs from what it should be and must be recreated";
const leftover = "is left over, since no link wants it";

/** What a verdict is called wherever a run, a check, a command or a picture speaks of it. */
export const verdicts: Readonly<Record<OfObject, Words>> = {
  create: words("+", "missing", "is missing", "pending: create"),
  update: words("~", "differs", "differs from what it should be", "pending: update"),
  replace: words("~", "differs", replaced, "pending: replace"),
  delete: words("-", "leftover", leftover, "pending: delete"),
  handOver: words("", "managed by others", "is managed by others", "managed by others"),
  keep: words("", "ok", "is in order", ""),
};

function words(sign: Words["sign"], state: string, predicate: string, next: string): Words {
  return { sign, state, predicate, next: next === "" ? "" : ` (${next})` };
}

export function isPending<T extends { readonly verdict: Verdict }>(
  object: T,
): object is T & { readonly verdict: Pending } {
  return object.verdict !== "skip" && verdicts[object.verdict].sign !== "";
}

/** Groups objects by sign, in the order `+`, `~`, `-`, without empty groups. */
export function bySign<T extends { readonly verdict: OfObject }>(
  objects: readonly T[],
): readonly (readonly [sign: Sign, objects: readonly T[]])[] {
  const groups = Map.groupBy(objects, ({ verdict }) => verdicts[verdict].sign);
  return (["+", "~", "-"] as const).flatMap((sign) => {
    const found = groups.get(sign);
    return found === undefined ? [] : [[sign, found] as const];
  });
}
