import type { TimeLimit } from "./deadline.ts";
import { inSeconds } from "./duration.ts";
import { type Failure, isRecord } from "./failure.ts";
import type { Resource } from "./resources.ts";
import type { Time } from "./retry.ts";
import { inMiB, type SizeLimits } from "./size-limits.ts";

/** One page of a list, as `items` and the token for the page after it. */
export interface Page<T = unknown> {
  readonly items: readonly T[];
  readonly next: string | undefined;
  /** How long the answer is. */
  readonly bytes: number;
}

export type PageQuery = Readonly<Record<string, string>>;

/** Whether an error says that the server no longer has the state that a list was begun from. */
export type IsExpired = (error: unknown) => boolean;

export interface Paging {
  /** Objects on a page. */
  readonly pageSize: number;
  /** No more than these; all without it. */
  readonly first?: number;
  /** Milliseconds for the whole list. */
  readonly within: number;
  readonly limits: Pick<SizeLimits, "items" | "list">;
  readonly time: Pick<Time, "now">;
}

/** Pages in a row without a new object after which a list is given up. API servers send none. */
const mostWithoutNews = 20;

/** A list that does not come to an end. */
export class ListTooLong extends Error {
  readonly failure: Failure;

  constructor(failure: Omit<Failure, "transient">) {
    super(failure.detail);
    this.failure = { ...failure, transient: false };
  }
}

/** Reads one page in the time that is left for the list. */
type ReadPage<T> = (query: PageQuery, limit: TimeLimit) => Promise<Page<T>>;

/**
 * All items of a list, read page by page. All pages show one state of the cluster; if the server
 * drops that state half-way (410) everything is read again in a single page, which can't expire.
 * Whatever `read` throws is thrown: a list is complete or an error.
 *
 * @throws ListTooLong
 */
export async function readAll<T>(
  read: ReadPage<T>,
  { pageSize, first, within, limits, time }: Paging,
  isExpired: IsExpired,
): Promise<T[]> {
  const end = time.now() + within;
  const readInTime = async (query: PageQuery, number: number) => {
    const milliseconds = end - time.now();
    const pages = `${number - 1} page${number === 2 ? "" : "s"}`;
    const tooLate = `the list is not complete after ${inSeconds(within)} and ${pages}`;
    if (milliseconds > 0) return read(query, { milliseconds, tooLate });
    throw new ListTooLong({ kind: "late", detail: tooLate });
  };
  if (first !== undefined) return [...(await readInTime({ limit: String(first) }, 1)).items];
  try {
    return await readPages(readInTime, { limit: String(pageSize) }, limits);
  } catch (error) {
    if (!isExpired(error)) {
      throw error;
    }
    return readPages(readInTime, {}, limits);
  }
}

async function readPages<T>(
  read: (query: PageQuery, number: number) => Promise<Page<T>>,
  query: PageQuery,
  limits: Paging["limits"],
): Promise<T[]> {
  const first = await read(query, 1);
  const items = [...first.items];
  let { bytes } = first;
  refuseBeyond(limits, items.length, bytes);
  const seen = new Set(items.map(identityOf));
  let withoutNews = 0;
  for (let { next } = first, number = 2; next !== undefined; number++) {
    const page = await read({ ...query, continue: next }, number);
    const { size } = seen;
    for (const item of page.items) seen.add(identityOf(item));
    withoutNews = seen.size === size ? withoutNews + 1 : 0;
    if (withoutNews === mostWithoutNews) {
      const detail = `${mostWithoutNews} pages in a row bring nothing new, and each is followed by another`;
      throw new ListTooLong({ kind: "server", detail });
    }
    // Not `push(...items)`: a page may have more items than a call can have arguments.
    for (const item of page.items) items.push(item);
    bytes += page.bytes;
    refuseBeyond(limits, items.length, bytes);
    next = page.next;
  }
  return items;
}

/** @throws ListTooLong */
function refuseBeyond({ items, list }: Paging["limits"], length: number, bytes: number): void {
  if (length <= items && bytes <= list) return;
  const most = length > items ? `${items.toLocaleString("en")} objects` : inMiB(list);
  throw new ListTooLong({ kind: "server", detail: `the list is longer than ${most}` });
}

/** Two objects of a list are the same if this is; one without metadata is no news. */
function identityOf(item: unknown): string | undefined {
  const metadata = isRecord(item) && isRecord(item.metadata) ? item.metadata : undefined;
  return metadata && JSON.stringify([metadata.namespace, metadata.name]);
}

/**
 * The page in a response, or why it is none. An API server sends `items: []` for an empty list; an
 * answer without `items` comes from something else and must not pass for an empty cluster.
 */
export function pageIn(
  body: unknown,
  resource: Resource<unknown>,
  query: PageQuery,
): Omit<Page, "bytes"> | string {
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
