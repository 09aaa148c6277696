import { subscribe } from "node:diagnostics_channel";
import { type Cancellation, cancelledWords } from "../kubernetes/client/deadline.ts";
import { isRecord } from "../kubernetes/objects/checks.ts";
import { foundByWatch } from "../mirroring/settled.ts";
import { Clusters } from "../reading/clusters.ts";
import { messageOf, UserError } from "../base/user-error.ts";

/** Requests under way may still be answered for this long, so that their outcome is known. */
const graceMilliseconds = 2_000;

/**
 * When a run is cancelled, the engine calls `Cancel` of every provider and waits for what is under way. Pulumi's server
 * for dynamic providers ignores that call, but Node's http2 publishes each request to the server. With a Node that
 * doesn't, a cancelled run ends at its deadlines.
 */
export function cancelCalls(called: () => void, path = "/pulumirpc.ResourceProvider/Cancel"): void {
  subscribe("http2.server.stream.created", (message) => {
    // The message is `{ stream, headers, flags }` (Node, http2 documentation).
    if (!isRecord(message) || !isRecord(message.headers)) return;
    if (message.headers[":path"] === path) called();
  });
}

export const cancellation = cancellationBy(cancelCalls);

/** All resources share the connections. One process serves one phase of one operation. */
export const clusters = new Clusters({ cancellation }, foundByWatch()?.away);

/**
 * This run must not contact these clusters. A resource that is deleted knows only its own state, and would contact its
 * cluster. The engine checks everything before it deletes.
 */
export const revokedInThisRun = new Set<string>();

/** @param listen calls back when the run is cancelled */
export function cancellationBy(
  listen: (cancel: () => void) => void,
  milliseconds = graceMilliseconds,
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

/** Drops the result of a cancelled run, in which a cluster that couldn't be read would look unreachable. */
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
