import { isDeepStrictEqual } from "node:util";

import { isRecord, now } from "./objects.ts";

interface Managed {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: object;
}

export interface Entry {
  readonly manager: string;
  readonly operation: "Update" | "Apply";
  readonly apiVersion: string;
  /** An entry for fields that were there before has no time. */
  readonly time?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: Tree;
  readonly subresource?: string;
}

export interface Writer {
  readonly manager: string;
  readonly subresource?: string | undefined;
}

interface Tree {
  readonly [key: string]: Tree;
}

/** Fields by path, with their values. Unlike in Kubernetes, a list is one field. */
type Fields = ReadonlyMap<string, unknown>;

const separator = "\n";
const maps = ["f:labels", "f:annotations"].map((map) => `f:metadata${separator}${map}`);
const tracked = new Set(["labels", "annotations", "finalizers", "ownerReferences"]);

function fieldsOf(object: Managed): Fields {
  const { apiVersion: _, kind, metadata, ...rest } = object;
  const fields = new Map<string, unknown>();
  const kept = Object.entries(metadata).filter(([key]) => tracked.has(key));
  addFields(fields, "", { ...rest, metadata: Object.fromEntries(kept) });
  for (const map of kind === "Link" ? [...maps, "f:spec", "f:status"] : maps)
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

/**
 * Returns who owns which fields after an update. The writer owns what it has changed now or earlier, and the others
 * what nobody has changed since. An object without managers stays without them.
 */
export function managedAfter(
  after: Managed,
  live: Managed | undefined,
  writer: Writer,
): readonly Entry[] {
  const known = entriesOf(after);
  if (live !== undefined && known.length === 0) return [];
  const entries = known.map((entry): Owned => ({ ...entry, paths: pathsOf(entry) }));
  const is = fieldsOf(after);
  const was = live === undefined ? new Map<string, unknown>() : fieldsOf(live);
  const changed = [...is].filter(
    ([path, value]) =>
      !isDeepStrictEqual(was.get(path), value) && !isAllocated(path, value, live === undefined),
  );
  const own = entries.find((entry) => isOf(entry, writer)) ?? begun(writer);
  if (!entries.includes(own)) entries.push(own);
  for (const entry of entries) {
    for (const [path] of changed) entry.paths.delete(path);
    for (const path of entry.paths) if (!is.has(path)) entry.paths.delete(path);
  }
  for (const [path] of changed) own.paths.add(path);
  return entries.flatMap(({ paths, ...entry }) =>
    paths.size === 0
      ? []
      : [
          {
            ...entry,
            apiVersion: after.apiVersion ?? "v1",
            fieldsV1: treeOf([...paths].sort()),
          },
        ],
  );
}

/** The API server allocates the address of a new Service after it has recorded the managers. */
function isAllocated(path: string, value: unknown, isNew: boolean): boolean {
  return isNew && path === ["f:spec", "f:clusterIP"].join(separator) && value !== "None";
}

interface Owned extends Entry {
  readonly paths: Set<string>;
}

function begun({ manager, subresource }: Writer): Owned {
  return {
    manager,
    operation: "Update",
    apiVersion: "",
    time: now,
    fieldsType: "FieldsV1",
    fieldsV1: {},
    paths: new Set(),
    ...(subresource !== undefined && { subresource }),
  };
}

function isOf(entry: Entry, { manager, subresource }: Writer): boolean {
  return (
    entry.manager === manager && entry.operation === "Update" && entry.subresource === subresource
  );
}

function entriesOf({ metadata }: Managed): readonly Entry[] {
  const { managedFields = [] } = metadata as { readonly managedFields?: readonly Entry[] };
  return managedFields;
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
