import type { TimeLimit } from "./deadline.ts";
import { inSeconds } from "../objects/duration.ts";
import { KubernetesError } from "./errors.ts";
import { isRecord } from "../objects/checks.ts";
import { type RequestFailure } from "./failure.ts";
import type { Time } from "./retry.ts";
import { inMiB, type SizeLimits } from "./size-limits.ts";

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The token for the page after it. */
  readonly next: string | undefined;
  /** The version of the cluster that it shows, if it says so. */
  readonly version: string | undefined;
  /** The length of the answer. */
  readonly bytes: number;
}

export type PageQuery = Readonly<Record<string, string>>;

export interface Paging {
  /** Objects on a page. */
  readonly pageSize: number;
  /** No more than these; all without it. */
  readonly first?: number;
  /** Milliseconds for the whole list. */
  readonly within: number;
  readonly limits: SizeLimits;
  readonly time: Pick<Time, "now">;
  /** The error for a list that does not come to an end. */
  readonly errorOf: (failure: RequestFailure) => KubernetesError;
}

/** Pages in a row without a new object after which a list is given up. API servers send none. */
const mostWithoutNews = 20;

/** Reads one page in the time that is left for the list. */
type ReadPage<T> = (query: PageQuery, limit: TimeLimit) => Promise<Page<T>>;

/**
 * All items of a list, read page by page, so that all show one state of the cluster. If the server drops that state
 * half-way (410), everything is read again in a single page, which can't expire; where that is too long, by pages once
 * more. Whatever `read` throws is thrown: a list is complete or an error.
 */
export async function readAll<T>(read: ReadPage<T>, paging: Paging): Promise<T[]> {
  const { pageSize, first, within, time, errorOf } = paging;
  const end = time.now() + within;
  const readInTime = async (query: PageQuery, number: number) => {
    const milliseconds = end - time.now();
    const pages = `${number - 1} page${number === 2 ? "" : "s"}`;
    const tooLate = `the list is not complete after ${inSeconds(within)} and ${pages}`;
    if (milliseconds > 0) return read(query, { milliseconds, tooLate });
    throw errorOf({ kind: "late", transient: false, detail: tooLate });
  };
  if (first !== undefined) return [...(await readInTime({ limit: String(first) }, 1)).items];
  try {
    return await readPages(readInTime, pageSize, paging);
  } catch (error) {
    if (!isOfKind(error, "gone")) throw error;
    return readPages(readInTime, Infinity, paging);
  }
}

function isOfKind(error: unknown, kind: KubernetesError["kind"]): boolean {
  return error instanceof KubernetesError && error.kind === kind;
}

/** @param first objects on the first page; Infinity: all in one piece, if it is not too long */
async function readPages<T>(
  read: (query: PageQuery, number: number) => Promise<Page<T>>,
  first: number,
  { pageSize, limits, errorOf }: Paging,
): Promise<T[]> {
  const items: T[] = [];
  const seen = new Set<string | undefined>();
  let bytes = 0;
  let withoutNews = 0;
  let size = first;
  let next: string | undefined;
  for (let number = 1; number === 1 || next !== undefined;) {
    const query = {
      ...(size < Infinity && { limit: String(size) }),
      ...(next !== undefined && { continue: next }),
    };
    let page: Page<T>;
    try {
      page = await read(query, number);
    } catch (error) {
      if (size === 1 || !isOfKind(error, "tooLong")) throw error;
      // Each object is short enough, so that some page is.
      size = size === Infinity ? pageSize : Math.ceil(size / 4);
      continue;
    }
    number++;
    const known = seen.size;
    for (const item of page.items) {
      seen.add(identityOf(item));
      items.push(item);
    }
    withoutNews = seen.size === known && number > 2 ? withoutNews + 1 : 0;
    if (withoutNews === mostWithoutNews) {
      const detail = `${mostWithoutNews} pages in a row bring nothing new, and each is followed by another`;
      throw errorOf({ kind: "server", transient: false, detail });
    }
    bytes += page.bytes;
    if (items.length > limits.items || bytes > limits.list) {
      const most =
        bytes > limits.list ? inMiB(limits.list) : `${limits.items.toLocaleString("en")} objects`;
      const detail = `the list is longer than ${most}`;
      throw errorOf({ kind: "server", transient: false, detail });
    }
    next = page.next;
    // The larger the objects, the fewer of them a page has: half of what it may hold.
    if (size < Infinity)
      size = Math.max(1, Math.min(pageSize, Math.floor((size * limits.answer) / 2 / page.bytes)));
  }
  return items;
}

/** Two objects of a list are the same if this is; one without metadata is no news. */
function identityOf(item: unknown): string | undefined {
  const metadata = isRecord(item) && isRecord(item.metadata) ? item.metadata : undefined;
  return metadata && JSON.stringify([metadata.namespace, metadata.name]);
}
