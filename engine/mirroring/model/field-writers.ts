import type { ManagedFields, ObjectMeta } from "../../kubernetes/objects/objects.ts";
import { isOfProgram } from "./marks.ts";
import { label } from "./vocabulary.ts";

/**
 * Reads in `managedFields` who wrote which field. Anybody may write under any name, so nothing depends on it but what a
 * report says and copied metadata. The API server records writers before admission changes the object.
 */

/** Such as `["spec", "type"]`, or `["metadata", "labels", "app"]`. */
type Path = readonly string[];

export interface FieldWriter {
  readonly manager: string;
  /** When it last wrote to this object (RFC 3339). */
  readonly time?: string;
}

/** Returns the last writer of a field that isn't this program, or whoever created the mirror. */
export function writerOf(
  { managedFields = [] }: Pick<ObjectMeta, "managedFields">,
  path: Path,
): FieldWriter | undefined {
  const makers = makersOf(managedFields);
  return managedFields
    .filter(({ manager, fieldsV1 }) => !makers.has(manager) && at(fieldsV1, path) !== undefined)
    .map(({ manager = "", time }) => ({ manager, ...(time !== undefined && { time }) }))
    .sort((a, b) => ((a.time ?? "") < (b.time ?? "") ? 1 : -1))[0];
}

/** Returns the fields below a path that others than this program and the mirror's creator have written. */
export function fieldsOfOthers(
  { managedFields = [] }: Pick<ObjectMeta, "managedFields">,
  path: Path,
): string[] {
  return keysBy(managedFields, path, false);
}

/** Returns the fields below a path that nobody but this program, or the mirror's creator, has written. */
export function fieldsOfMakers(
  { managedFields = [] }: Pick<ObjectMeta, "managedFields">,
  path: Path,
): ReadonlySet<string> {
  const others = new Set(keysBy(managedFields, path, false));
  return new Set(keysBy(managedFields, path, true).filter((key) => !others.has(key)));
}

function keysBy(entries: readonly ManagedFields[], path: Path, isMaker: boolean): string[] {
  const makers = makersOf(entries);
  return entries.flatMap(({ manager, fieldsV1 }) =>
    makers.has(manager) === isMaker ? keysIn(fieldsV1, path) : [],
  );
}

/** Whoever has set the label of a mirror makes mirrors, as Linkerd's controller does. */
function makersOf(entries: readonly ManagedFields[]): ReadonlySet<string | undefined> {
  const isMaker = ({ manager, fieldsV1 }: ManagedFields) =>
    isOfProgram(manager) || at(fieldsV1, ["metadata", "labels", label.mirrored]) !== undefined;
  return new Set(entries.filter(isMaker).map(({ manager }) => manager));
}

/** Fields are spelled `f:<name>`. */
function keysIn(fields: unknown, path: Path): string[] {
  const tree = at(fields, path);
  return Object.keys(typeof tree === "object" && tree !== null ? tree : {}).flatMap((key) =>
    key.startsWith("f:") ? [key.slice("f:".length)] : [],
  );
}

function at(fields: unknown, path: Path): unknown {
  return path.reduce(
    (tree: unknown, name) =>
      typeof tree === "object" && tree !== null
        ? new Map(Object.entries(tree)).get(`f:${name}`)
        : undefined,
    fields,
  );
}
