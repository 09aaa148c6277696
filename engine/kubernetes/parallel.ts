/**
 * Runs `work` on every item, at most `limit` at a time. What one item throws does not stop the
 * others: there is one result per item, in the order of the items.
 */
export async function inParallel<I, O>(
  items: readonly I[],
  work: (item: I) => Promise<O>,
  limit = 32,
): Promise<PromiseSettledResult<O>[]> {
  const results: PromiseSettledResult<O>[] = [];
  // All workers draw from this one iterator, so each item is taken once.
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      // The async function turns a throw before the first await into a rejection as well.
      const [result] = await Promise.allSettled([(async () => work(item))()]);
      results[index] = result;
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
