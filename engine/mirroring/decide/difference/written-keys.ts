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
  withheld?: Withheld,
): string[] {
  const extra = Object.entries(live[field] ?? {}).filter(([key]) => !Object.hasOwn(wanted, key));
  if (extra.length === 0) return [];
  const written = keysWritten(field, live.managedFields ?? []);
  return extra
    .filter(([key]) => vocabulary.has(key) || written.has(key))
    .filter(
      ([key, value]) =>
        withheld === undefined ||
        !excludes(withheld.patterns, key) ||
        withheld.values[key] === value,
    )
    .map(([key]) => key);
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
  const makers = new Set(
    entries
      .filter(
        (entry) =>
          stackOf(entry.manager) !== undefined || keysOf("labels", entry).has(label.mirrored),
      )
      .map(({ manager }) => manager),
  );
  return new Set(
    entries
      .filter(({ manager }) => makers.has(manager))
      .flatMap((entry) => [...keysOf(field, entry)]),
  );
}

/** `f:metadata` / `f:labels` / `f:<key>` of an entry. */
function keysOf(field: KeyField, { fieldsV1 }: ManagedFields): ReadonlySet<string> {
  const keys = child(child(fieldsV1, "f:metadata"), `f:${field}`);
  if (typeof keys !== "object" || keys === null) return new Set();
  return new Set(
    Object.keys(keys).flatMap((key) => (key.startsWith("f:") ? [key.slice("f:".length)] : [])),
  );
}

function child(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? new Map<string, unknown>(Object.entries(value)).get(key)
    : undefined;
}
