import { isRecord, Wrong } from "../objects/checks.ts";
import { SharedValues } from "../objects/shared-values.ts";
import type { Page } from "./paging.ts";
import { type RequestFailure, unreadable } from "./failure.ts";
import type { Reader } from "./request.ts";
import type { Resource } from "../objects/resources.ts";
import { printable } from "../objects/printable.ts";
import { inMiB } from "../../base/message.ts";

/** The object keeps all its fields. */
export function objectOf<T>({ kind, shape }: Resource<T>): Reader<T> {
  return (body) => {
    if (!isRecord(body) || body.kind !== kind) return another(`the answer is not a ${kind}`);
    const read = shape(body);
    return read instanceof Wrong
      ? { failure: unreadable(`the answer is not a valid ${kind}: ${problemOf(read)}`) }
      : { value: read };
  };
}

/** An answer without `items` comes from something else than an API server and must not pass for an empty cluster. */
export function pageOf<T>(
  resource: Resource<T>,
  keep: SharedValues,
  most: number,
): Reader<Page<T>> {
  const expected = `${resource.kind}List`;
  return (body, bytes) => {
    if (!isRecord(body) || body.kind !== expected)
      return another(`the answer is not a ${expected}`);
    const list = body.items === null ? [] : body.items;
    if (!Array.isArray(list)) return another(`the ${expected} in the answer has no items`);
    const token = isRecord(body.metadata) ? body.metadata.continue : undefined;
    const next = typeof token === "string" && token !== "" ? token : undefined;
    const items = itemsOf(resource, list, keep);
    if (typeof items === "string") return { failure: unreadable(items) };
    const largest = keep.makeRoom(most);
    if (largest === undefined) return { value: { items, next, version: versionIn(body), bytes } };
    const where = largest === "" ? "" : `, most of it in namespace ${printable(largest, 63)}`;
    return { failure: unreadable(`what is kept of it takes more than ${inMiB(most)}${where}`) };
  };
}

/** Something in front of the API server has answered, so another attempt may reach the server itself. */
function another(problem: string): { readonly failure: RequestFailure } {
  return { failure: unreadable(problem, true) };
}

/** Returns a sentence if an item is invalid. None is left out, since an object that a list lacks counts as deleted. */
export function itemsOf<T>(
  resource: Resource<T>,
  items: readonly unknown[],
  keep = new SharedValues(),
): T[] | string {
  const { kind, shape } = resource;
  const objects: T[] = [];
  for (const [index, item] of items.entries()) {
    const before = keep.begin();
    const read = shape(item, keep);
    if (read instanceof Wrong)
      return `item ${index + 1} of the answer is not a valid ${kind}: ${problemOf(read)}`;
    const head = "headOf" in resource ? () => resource.headOf?.(read) : undefined;
    if (isRecord(read)) keep.hold(namespaceIn(item), read, before, head);
    objects.push(read);
  }
  return objects;
}

function namespaceIn(item: unknown): string {
  const { namespace } = isRecord(item) && isRecord(item.metadata) ? item.metadata : {};
  return typeof namespace === "string" ? namespace : "";
}

export function versionIn(body: unknown): string | undefined {
  const { resourceVersion } = isRecord(body) && isRecord(body.metadata) ? body.metadata : {};
  return typeof resourceVersion === "string" && /^[!-~]{1,253}$/.test(resourceVersion)
    ? resourceVersion
    : undefined;
}

/** Turns `.metadata.name is missing` into `metadata.name is missing`. */
function problemOf({ words }: Wrong): string {
  return words.replace(/^[. ]/, "");
}
