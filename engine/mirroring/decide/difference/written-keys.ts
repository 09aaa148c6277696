import type { ManagedFields, ObjectMeta, StringMap } from "../../../kubernetes/objects/objects.ts";
import { excludes } from "../../model/metadata.ts";
import type { Withheld } from "../../model/mirror.ts";
import { stackOf } from "../../model/owner.ts";
import { annotation, label } from "../../model/vocabulary.ts";

export type KeyField = "labels" | "annotations";

/**
 * Keys of a live object that have to go: not wanted, and either Linkerd's own words about mirrors or
 * written by a program that makes them. Whatever admission or a person has put there is left alone, or each run would fight over it. A key
 * that the link excludes goes only where it is the copy made before it was excluded.
 */
export function staleKeys(
  field: KeyField,
  live: ObjectMeta,
  wanted: StringMap,
  { patterns, values }: Withheld = { patterns: [], values: {} },
): string[] {
  const extra = Object.entries(live[field] ?? {}).filter(([key]) => !Object.hasOwn(wanted, key));
  if (extra.length === 0) return [];
  const written = keysWritten(field, live.managedFields ?? []);
  return extra.flatMap(([key, value]) => {
    const isOurs = vocabulary.has(key) || written.has(key);
    return isOurs && (!excludes(patterns, key) || values[key] === value) ? [key] : [];
  });
}

/** Keys that say what a mirror is, whoever has written them; opaque ports are copied like any other. */
const vocabulary = new Set<string>(
  [...Object.values(label), ...Object.values(annotation)].filter(
    (key) => key !== annotation.opaquePorts,
  ),
);

/** The map to send: what is wanted, and of the live keys those that are nobody's business here. */
export function mergedKeys(
  field: KeyField,
  live: ObjectMeta | undefined,
  wanted: StringMap,
  withheld?: Withheld,
): StringMap {
  if (live === undefined) return wanted;
  const stale = new Set(staleKeys(field, live, wanted, withheld));
  const kept = Object.entries(live[field] ?? {}).filter(([key]) => !stale.has(key));
  return { ...Object.fromEntries(kept), ...wanted };
}

/**
 * Keys that the makers of a mirror have set: this program, and whoever has set the label by which
 * it is known as a mirror, as Linkerd's controller does.
 */
function keysWritten(field: KeyField, entries: readonly ManagedFields[]): ReadonlySet<string> {
  const isMaker = (entry: ManagedFields) =>
    stackOf(entry.manager) !== undefined || keysOf("labels", entry).includes(label.mirrored);
  const makers = new Set(entries.filter(isMaker).map(({ manager }) => manager));
  return new Set(
    entries.flatMap((entry) => (makers.has(entry.manager) ? keysOf(field, entry) : [])),
  );
}

/** What the check of objects lets through of `fieldsV1`. */
interface FieldsV1 {
  readonly "f:metadata"?: Readonly<Partial<Record<`f:${KeyField}`, object>>>;
}

/** The keys that an entry has below `f:metadata` and `f:labels`, as `f:<key>`. */
export function keysOf(field: KeyField, { fieldsV1 }: ManagedFields): string[] {
  const { "f:metadata": metadata = {} } = (fieldsV1 ?? {}) as FieldsV1;
  return Object.keys(metadata[`f:${field}`] ?? {}).flatMap((key) =>
    key.startsWith("f:") ? [key.slice("f:".length)] : [],
  );
}
