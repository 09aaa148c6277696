import { isRecord } from "../kubernetes/objects/checks.ts";
import type { ManagedFields, ObjectMeta } from "../kubernetes/objects/objects.ts";
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
export function fieldsOfOthers(metadata: Pick<ObjectMeta, "managedFields">, path: Path): string[] {
  return fieldsIn(metadata, path).others;
}

/** Returns the fields below a path that nobody but this program, or the mirror's creator, has written. */
export function fieldsOfMakers(
  metadata: Pick<ObjectMeta, "managedFields">,
  path: Path,
): ReadonlySet<string> {
  const { makers, others } = fieldsIn(metadata, path);
  const shared = new Set(others);
  return new Set(makers.filter((key) => !shared.has(key)));
}

/** Divides the fields below a path by their writers. */
function fieldsIn(
  { managedFields = [] }: Pick<ObjectMeta, "managedFields">,
  path: Path,
): Readonly<Record<"makers" | "others", string[]>> {
  const known = makersOf(managedFields);
  const [makers, others]: [string[], string[]] = [[], []];
  for (const { manager, fieldsV1 } of managedFields)
    for (const key of keysIn(fieldsV1, path)) (known.has(manager) ? makers : others).push(key);
  return { makers, others };
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
  return Object.keys(isRecord(tree) ? tree : {}).flatMap((key) =>
    key.startsWith("f:") ? [key.slice("f:".length)] : [],
  );
}

function at(fields: unknown, path: Path): unknown {
  return path.reduce(
    (tree: unknown, name) =>
      isRecord(tree) && Object.hasOwn(tree, `f:${name}`) ? tree[`f:${name}`] : undefined,
    fields,
  );
}
