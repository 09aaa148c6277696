import { isDeepStrictEqual } from "node:util";

import { isRecord, now, type Stored } from "./objects.ts";

/** One entry of `managedFields`. */
export interface Entry {
  readonly manager: string;
  readonly operation: "Update" | "Apply";
  readonly apiVersion: string;
  /** When it was changed last; none where something was applied that was there. */
  readonly time?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: Tree;
  readonly subresource?: string;
}

/** Who writes, and how. */
export interface Writer {
  readonly manager: string;
  readonly operation: Entry["operation"];
  readonly subresource: string | undefined;
}

interface Tree {
  readonly [key: string]: Tree;
}

/** Fields as paths, with their values. A list is one field, unlike in Kubernetes. */
export type Fields = ReadonlyMap<string, unknown>;

/** Server-side apply began to be used after the object was made. */
const beforeFirstApply = "before-first-apply";

const separator = "\n";
const maps = ["f:labels", "f:annotations"].map((map) => `f:metadata${separator}${map}`);
const tracked = new Set(["labels", "annotations", "finalizers", "ownerReferences"]);

/**
 * The fields of an object that somebody manages.
 *
 * @param isWhole whether maps of labels and annotations count besides their keys, as in what is
 *   updated, but not in what is applied
 */
export function fieldsOf(object: Partial<Stored>, isWhole = true): Fields {
  const { apiVersion: _, kind: _kind, metadata = {}, ...rest } = object;
  const fields = new Map<string, unknown>();
  const kept = Object.entries(metadata).filter(([key]) => tracked.has(key));
  addFields(fields, "", { ...rest, metadata: Object.fromEntries(kept) });
  if (isWhole)
    for (const map of object.kind === "Link" ? [...maps, "f:spec", "f:status"] : maps)
      if ([...fields.keys()].some((key) => key.startsWith(map))) fields.set(map, {});
  return fields;
}

function addFields(fields: Map<string, unknown>, path: string, value: unknown): void {
  if (!isRecord(value) || (Object.keys(value).length === 0 && path !== "")) {
    if (value !== undefined) fields.set(path, value);
    return;
  }
  for (const [key, part] of Object.entries(value)) {
    if (key === "metadata" && path === "" && Object.keys(part as object).length === 0) continue;
    addFields(fields, path === "" ? `f:${key}` : `${path}${separator}f:${key}`, part);
  }
}

/** Which of these fields are as they are by another manager, and have another value there. */
export function conflictsWith(live: Stored, wanted: Fields, manager: string): string[] {
  const is = fieldsOf(live);
  const others = entriesOf(live).filter((entry) => !isApplied(entry, manager));
  return [...wanted].flatMap(([path, value]) =>
    is.has(path) && !isDeepStrictEqual(is.get(path), value)
      ? others.filter((entry) => pathsOf(entry).has(path)).map(() => path)
      : [],
  );
}

/** What a manager has applied before and doesn't any more, and nobody else has. */
export function abandoned(live: Stored, wanted: Fields, manager: string): string[][] {
  const entries = entriesOf(live);
  const others = entries.filter((entry) => !isApplied(entry, manager));
  const left = entries
    .filter((entry) => isApplied(entry, manager))
    .flatMap((entry) => [...pathsOf(entry)])
    .filter((path) => !wanted.has(path) && !others.some((entry) => pathsOf(entry).has(path)));
  return left.map((path) => path.split(separator).map((key) => key.slice("f:".length)));
}

/**
 * Who has what after a write: the writer what it has changed or applied and what it has had, and
 * everybody else what nobody has changed since. Objects that nobody has are nobody's, until something
 * is applied to them.
 */
export function managedAfter(
  after: Stored,
  live: Stored | undefined,
  writer: Writer,
  applied?: Fields,
): readonly Entry[] {
  const known = entriesOf(after);
  if (live !== undefined && known.length === 0 && applied === undefined) return [];
  const entries = known.map((entry): Owned => ({ ...entry, paths: pathsOf(entry) }));
  const is = fieldsOf(after);
  const was = live === undefined ? new Map<string, unknown>() : fieldsOf(live);
  if (live !== undefined && known.length === 0)
    entries.push(begun({ ...writer, manager: beforeFirstApply, operation: "Update" }, was.keys()));
  const changed = [...is].filter(
    ([path, value]) =>
      !isDeepStrictEqual(was.get(path), value) && !isAllocated(path, value, live === undefined),
  );
  const own = entries.find((entry) => isOf(entry, writer)) ?? begun(writer, []);
  if (!entries.includes(own)) entries.push(own);
  for (const entry of entries) {
    for (const [path] of changed) entry.paths.delete(path);
    for (const path of entry.paths) if (!is.has(path)) entry.paths.delete(path);
  }
  if (applied === undefined) for (const [path] of changed) own.paths.add(path);
  else {
    own.paths.clear();
    for (const path of applied.keys()) own.paths.add(path);
    if (!isDeepStrictEqual(is, was)) own.time = now;
  }
  return entries.flatMap(({ paths, ...entry }) =>
    paths.size === 0
      ? []
      : [{ ...entry, apiVersion: after.apiVersion, fieldsV1: treeOf([...paths].sort()) }],
  );
}

/** An address that the API server gives a new Service after it has noted who has set what. */
function isAllocated(path: string, value: unknown, isNew: boolean): boolean {
  return isNew && path === ["f:spec", "f:clusterIP"].join(separator) && value !== "None";
}

interface Owned extends Omit<Entry, "time"> {
  time?: string;
  readonly paths: Set<string>;
}

function begun({ manager, operation, subresource }: Writer, paths: Iterable<string>): Owned {
  return {
    ...{ manager, operation, apiVersion: "" },
    ...(operation === "Update" && { time: now }),
    ...{ fieldsType: "FieldsV1", fieldsV1: {}, paths: new Set(paths) },
    ...(subresource !== undefined && { subresource }),
  };
}

function isOf(entry: Omit<Entry, "time">, { manager, operation, subresource }: Writer): boolean {
  return (
    entry.manager === manager && entry.operation === operation && entry.subresource === subresource
  );
}

function isApplied(entry: Entry, manager: string): boolean {
  return entry.manager === manager && entry.operation === "Apply";
}

function entriesOf({ metadata }: Stored): readonly Entry[] {
  return (metadata.managedFields ?? []) as readonly Entry[];
}

function pathsOf({ fieldsV1 }: Entry): Set<string> {
  const paths = new Set<string>();
  const add = (tree: Tree, path: readonly string[]) => {
    const keys = Object.entries(tree);
    const isOne = keys.length === 0 || "." in tree;
    if (isOne && path.length > 0) paths.add(path.join(separator));
    for (const [key, part] of keys) if (key !== ".") add(part, [...path, key]);
  };
  add(fieldsV1, []);
  return paths;
}

function treeOf(paths: readonly string[]): Tree {
  const groups = new Map<string, string[]>();
  const own = new Set<string>();
  for (const path of paths) {
    const [key = "", ...rest] = path.split(separator);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    if (rest.length > 0) group.push(rest.join(separator));
    else own.add(key);
  }
  return Object.fromEntries(
    [...groups].map(([key, group]) => {
      const isMapToo = own.has(key) && group.length > 0;
      return [key, { ...(isMapToo && { ".": {} }), ...treeOf(group) }];
    }),
  );
}
