import { cancelledWords } from "../../kubernetes/client/deadline.ts";
import type { Clusters } from "../observe/clusters.ts";

/**
 * Ends a method that has not begun to write. What could no longer be read must not pass for a cluster
 * that is away.
 *
 * @throws Error where the run was cancelled
 */
export function endIfCancelled({ isCancelled }: Pick<Clusters, "isCancelled">, source: string) {
  if (isCancelled)
    throw new Error(
      `${cancelledWords} before anything was written to ${source}; the next run begins there again`,
    );
}
