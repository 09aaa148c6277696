import { plain, withoutUserPart } from "@linkerd-multicluster/engine/kubernetes";
import type { Facts, MirrorFact } from "./facts.ts";

/** The file of a folder that `gather` writes, by which other commands read it. */
export const factsFile = "facts.json";

/**
 * Facts for others to read. They hold no credential: none of what they are made from does. What people write
 * themselves may quote one all the same: messages of updates, and what annotations say.
 */
export function redacted(facts: Facts): Facts {
  const { runs, mirrors } = facts;
  const known = {
    ...facts,
    runs: "why" in runs ? runs : runs.map((run) => ({ ...run, message: "" })),
    mirrors: mirrors.map(withoutValues),
  };
  return texts(known, withoutUserPart);
}

/** Of annotations and labels that differ the names alone. */
function withoutValues({ fields, ...mirror }: MirrorFact): MirrorFact {
  if (fields === undefined) return mirror;
  return {
    ...mirror,
    fields: fields.map((field) => /^((?:annotation|label) [^:]+): /.exec(field)?.[1] ?? field),
  };
}

/** Facts that somebody else may have written, so that a terminal may show them. */
export function printable(facts: Facts): Facts {
  return texts(facts, (text) => plain(text));
}

/** The same with each text as it is to be read; keys are names that this program gives. */
function texts<T>(value: T, read: (text: string) => string): T {
  const changed = (each: unknown): unknown => {
    if (typeof each === "string") return read(each);
    if (Array.isArray(each)) return each.map(changed);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([key, inner]) => [read(key), changed(inner)]),
    );
  };
  return changed(value) as T;
}
