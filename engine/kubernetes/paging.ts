import { isRecord } from "./failure.ts";
import type { Resource } from "./resources.ts";

/** One page of a list, as `items` and the token for the page after it. */
export interface Page<T = unknown> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export type PageQuery = Readonly<Record<string, string>>;

/** Whether an error says that the server no longer has the state that a list was begun from. */
export type IsExpired = (error: unknown) => boolean;

/**
 * All items of a list, read page by page. All pages show one state of the cluster; if the server
 * drops that state half-way (410) everything is read again in a single page, which can't expire.
 * Whatever `read` throws is thrown: a list is complete or an error.
 */
export async function readAll<T>(
  read: (query: PageQuery) => Promise<Page<T>>,
  limit: number,
  isExpired: IsExpired,
): Promise<T[]> {
  try {
    return await readPages(read, { limit: String(limit) });
  } catch (error) {
    if (!isExpired(error)) {
      throw error;
    }
    return readPages(read, {});
  }
}

async function readPages<T>(
  read: (query: PageQuery) => Promise<Page<T>>,
  query: PageQuery,
): Promise<T[]> {
  const first = await read(query);
  const items = [...first.items];
  for (let { next } = first; next !== undefined;) {
    const page = await read({ ...query, continue: next });
    // Not `push(...items)`: a page may have more items than a call can have arguments.
    for (const item of page.items) items.push(item);
    next = page.next;
  }
  return items;
}

/**
 * The page in a response, or why it is none. An API server sends `items: []` for an empty list; an
 * answer without `items` comes from something else and must not pass for an empty cluster.
 */
export function pageIn(
  body: unknown,
  resource: Resource<unknown>,
  query: PageQuery,
): Page | string {
  const expected = `${resource.kind}List`;
  if (!isRecord(body) || body.kind !== expected) {
    return `the answer is not a ${expected}`;
  }
  const items = body.items === null ? [] : body.items;
  if (!Array.isArray(items)) {
    return `the ${expected} in the answer has no items`;
  }
  const token = isRecord(body.metadata) ? body.metadata.continue : undefined;
  if (typeof token === "string" && token !== "" && token === query.continue) {
    return `the ${expected} in the answer is followed by itself`;
  }
  return { items, next: typeof token === "string" && token !== "" ? token : undefined };
}
