import { subscribe } from "node:diagnostics_channel";
import { type Cancellation, cancelledWords } from "../kubernetes/client/deadline.ts";
import { isRecord } from "../kubernetes/objects/checks.ts";
import { messageOf, UserError } from "../user-error.ts";

/** Milliseconds that requests under way get to be answered, so that their outcome is known. */
const grace = 2_000;

/**
 * Tells when this run is cancelled, as by Ctrl-C. The engine then calls `Cancel` of every provider and
 * waits for what is under way. Pulumi's server for dynamic providers ignores that call, but it is a
 * gRPC server on Node's http2, which publishes each request that it gets. A Node
 * that does not do so leaves a cancelled run to its deadlines.
 *
 * @param path of the call, as gRPC puts it
 */
export function cancelCalls(called: () => void, path = "/pulumirpc.ResourceProvider/Cancel"): void {
  subscribe("http2.server.stream.created", (message) => {
    if (pathIn(message) === path) called();
  });
}

/** Of this process, which serves one phase of one run. */
export const cancellation = cancellationBy(cancelCalls);

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
 * Does the work of a method that leaves nothing half done: once the run is cancelled, nothing that
 * came of it counts, since what could not be read any more looks like a cluster that is away.
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
