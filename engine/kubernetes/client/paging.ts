import type { TimeLimit } from "./deadline.ts";
import { omitUndefined } from "../../base/omit-undefined.ts";
import { inSeconds } from "../objects/duration.ts";
import { KubernetesError } from "./errors.ts";
import { type RequestFailure } from "./failure.ts";
import type { Time } from "./retry.ts";
import type { SizeLimits } from "./interface.ts";
import { count, inDigits, inMiB } from "../../base/message.ts";

export interface Items<T> {
  readonly items: T[];
  readonly version: string | undefined;
}

export interface Page<T> extends Items<T> {
  /** The server continues the list with this token. */
  readonly next: string | undefined;
  readonly bytes: number;
}

export interface ListSettings {
  readonly pageSize: number;
  /** The whole list may take this many milliseconds. */
  readonly within: number;
  readonly limits: SizeLimits;
  readonly time: Pick<Time, "now">;
}

interface Paging extends ListSettings {
  readonly errorOf: (failure: RequestFailure) => KubernetesError;
}

/** A list may have this many more pages than objects. API servers send no empty pages. */
const mostEmpty = 20;

type PageQuery = Readonly<Record<string, string>>;

/**
 * All pages show one state of the cluster. If the server drops that state half-way (410), everything is read again in a
 * single page, which can't expire. It throws whatever `read` throws, so that a list is never incomplete.
 *
 * @param first reads a single page of this many objects instead
 */
export async function readAll<T>(
  read: (query: PageQuery, limit: TimeLimit) => Promise<Page<T>>,
  first: number | undefined,
  paging: Paging,
): Promise<Items<T>> {
  const { pageSize, within, time, errorOf } = paging;
  const end = time.now() + within;
  const readInTime = async (query: PageQuery, pages: number) => {
    const milliseconds = end - time.now();
    const before = count(pages, "page");
    const tooLate = `the list is not complete after ${inSeconds(within)} and ${before}`;
    if (milliseconds > 0) return read(query, { milliseconds, tooLate });
    throw errorOf({ kind: "late", transient: false, detail: tooLate });
  };
  if (first !== undefined) return readInTime({ limit: String(first) }, 0);
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

/** @param size the number of objects on the first page; Infinity reads all in one page, unless it is too long */
async function readPages<T>(
  read: (query: PageQuery, pages: number) => Promise<Page<T>>,
  size: number,
  { pageSize, limits, errorOf }: Paging,
): Promise<Items<T>> {
  const items: T[] = [];
  let [pages, bytes] = [0, 0];
  let next: string | undefined;
  const endless = (detail: string) => errorOf({ kind: "server", transient: false, detail });
  for (;;) {
    const limit = size < Infinity ? String(size) : undefined;
    let page: Page<T>;
    try {
      page = await read(omitUndefined({ limit, continue: next }), pages);
    } catch (error) {
      if (size === 1 || !isOfKind(error, "tooLong")) throw error;
      // A page of large Endpoints may be too long, while each of them is short enough.
      size = Math.ceil(Math.min(size, pageSize) / 4);
      continue;
    }
    for (const item of page.items) items.push(item);
    pages += 1;
    if (page.next !== undefined && (page.next === next || pages > items.length + mostEmpty))
      throw endless(`after ${pages} pages, the same page or an empty one follows`);
    bytes += page.bytes;
    if (bytes > limits.list) throw endless(`the list is longer than ${inMiB(limits.list)}`);
    if (items.length > limits.items)
      throw endless(`the list is longer than ${inDigits(limits.items)} objects`);
    ({ next } = page);
    if (next === undefined) return { items, version: page.version };
  }
}
