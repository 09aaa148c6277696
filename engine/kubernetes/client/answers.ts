import { isRecord, Wrong } from "../objects/checks.ts";
import { SharedValues } from "../objects/shared-values.ts";
import type { Page } from "./paging.ts";
import { type RequestFailure, unreadable } from "./failure.ts";
import type { Reader } from "./request.ts";
import type { Resource } from "../objects/resources.ts";
import { inMiB } from "./size-limits.ts";

/** Reads one object from an answer, with all its fields. */
export function objectOf<T>({ kind, shape }: Resource<T>): Reader<T> {
  return (body) => {
    if (!isRecord(body) || body.kind !== kind) return another(`the answer is not a ${kind}`);
    // Without a shape, nothing reads the fields of the answer.
    const read = shape === undefined ? (body as T) : shape(body);
    return read instanceof Wrong
      ? { failure: unreadable(`the answer is not a valid ${kind}: ${problemOf(read)}`) }
      : { value: read };
  };
}

/**
 * Reads a page of a list from an answer. An API server sends `items: []` for an empty list; an answer without `items`
 * comes from something else and must not pass for an empty cluster.
 *
 * @param keep counts the bytes that are kept of all pages, at most `most`
 */
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
    return keep.bytes > most
      ? { failure: unreadable(`what is kept of it takes more than ${inMiB(most)}`) }
      : { value: { items, next, version: versionIn(body), bytes } };
  };
}

/** Something in front of the API server has answered, so another attempt may reach the server itself. */
function another(problem: string): { readonly failure: RequestFailure } {
  return { failure: unreadable(problem, true) };
}

/**
 * The items of a list, or the problem with one of them. No item is left out, since the program takes an object that a
 * list lacks for deleted.
 */
export function itemsOf<T>(
  { kind, shape }: Resource<T>,
  items: readonly unknown[],
  keep = new SharedValues(),
): T[] | string {
  if (shape === undefined) return items as T[];
  const objects: T[] = [];
  for (const [index, item] of items.entries()) {
    const read = shape(item, keep);
    if (read instanceof Wrong)
      return `item ${index + 1} of the answer is not a valid ${kind}: ${problemOf(read)}`;
    objects.push(read);
  }
  return objects;
}

/** The `resourceVersion` of an object or a list. */
export function versionIn(body: unknown): string | undefined {
  const metadata = isRecord(body) && isRecord(body.metadata) ? body.metadata : {};
  const { resourceVersion } = metadata;
  return typeof resourceVersion === "string" && /^[!-~]{1,253}$/.test(resourceVersion)
    ? resourceVersion
    : undefined;
}

/** Turns the words of checks.ts into the end of a sentence: `.metadata.name is missing` -> `metadata.name is missing`. */
function problemOf({ words }: Wrong): string {
  return words.replace(/^[. ]/, "");
}
