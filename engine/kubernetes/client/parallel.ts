import pLimit from "p-limit";

/**
 * Runs `work` on every item, at most `limit` at a time. What one item throws does not stop the
 * others: there is one result per item, in the order of the items.
 */
export function inParallel<I, O>(
  items: readonly I[],
  work: (item: I) => Promise<O>,
  limit = 32,
): Promise<PromiseSettledResult<O>[]> {
  const limited = pLimit(limit);
  return Promise.allSettled(items.map((item) => limited(work, item)));
}
