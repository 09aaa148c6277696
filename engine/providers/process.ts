import { subscribe } from "node:diagnostics_channel";
import { type Cancellation, cancelledWords } from "../kubernetes/client/deadline.ts";
import { isRecord } from "../kubernetes/objects/checks.ts";
import { Clusters } from "../mesh/clusters.ts";
import { messageOf, UserError } from "../user-error.ts";

/** Milliseconds for which requests under way may still be answered, so that their outcome is known. */
const grace = 2_000;

/**
 * Calls back when this run is cancelled, as by Ctrl-C. The engine then calls `Cancel` of every provider and waits for
 * what is under way. Pulumi's server for dynamic providers ignores that call, but Node's http2 publishes each request
 * to the server. A Node that does not leaves a cancelled run to its deadlines.
 *
 * @param path of the call, as gRPC puts it
 */
export function cancelCalls(called: () => void, path = "/pulumirpc.ResourceProvider/Cancel"): void {
  subscribe("http2.server.stream.created", (message) => {
    if (pathIn(message) === path) called();
  });
}

export const cancellation = cancellationBy(cancelCalls);

/**
 * The clusters as all resources of this process see them, so that each is connected to, and its credential plugin run,
 * once. One process serves one phase of one operation.
 */
export const clusters = new Clusters({ cancellation });

/**
 * The clusters that this run must not contact, since they are no longer trusted. A resource whose cluster has left the
 * config gets nothing but its own state when it is deleted, and would contact the cluster. The engine checks
 * everything before it deletes.
 */
export const revokedInThisRun = new Set<string>();

/**
 * @param listen calls back when the run is cancelled
 * @param milliseconds between the two signals
 */
export function cancellationBy(
  listen: (cancel: () => void) => void,
  milliseconds = grace,
): Cancellation {
  const stop = new AbortController();
  const abort = new AbortController();
  listen(() => {
    if (stop.signal.aborted) return;
    stop.abort();
    setTimeout(() => {
      abort.abort();
    }, milliseconds);
  });
  return { stop: stop.signal, abort: abort.signal };
}

/** The channel's message is `{ stream, headers, flags }` (Node, http2 documentation). */
function pathIn(message: unknown): unknown {
  return isRecord(message) && isRecord(message.headers) ? message.headers[":path"] : undefined;
}

/**
 * Does the work of a method that leaves nothing half done. Once the run is cancelled, its result is dropped, because
 * a cluster that couldn't be read would look unreachable.
 */
export async function unlessCancelled<T>(
  run: { readonly isCancelled: boolean },
  work: () => Promise<T>,
): Promise<T> {
  try {
    const value = await work();
    if (!run.isCancelled) return value;
  } catch (error) {
    if (!run.isCancelled) throw error;
    messageOf(error);
  }
  throw new UserError(`${cancelledWords}; the next run begins there again`);
}
