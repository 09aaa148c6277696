import { once } from "node:events";
import type { RequestFailure } from "./failure.ts";
import type { Time } from "./retry.ts";

/** A run that is cancelled ends in two steps. */
export interface Cancellation {
  /** Once it is aborted, no request is sent, and nothing waits. */
  readonly stop: AbortSignal;
  /** A signal that is aborted a moment after `stop`, and ends requests in progress. */
  readonly abort: AbortSignal;
}

export const cancelledWords = "the run was cancelled";

export const cancelled: RequestFailure = { kind: "cancelled", transient: false };

export interface TimeLimit {
  readonly milliseconds: number;
  readonly tooLate: string;
}

/** Work that takes too long, or is aborted, sees its signal aborted, and nothing waits for it any longer. */
export async function within<T>(
  { milliseconds, tooLate }: TimeLimit,
  { time, abort }: { readonly time: Pick<Time, "alarm">; readonly abort?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | { readonly failure: RequestFailure }> {
  const own = new AbortController();
  let reason = cancelled;
  const cancel = () => {
    own.abort();
  };
  const silence = time.alarm(milliseconds, () => {
    reason = { kind: "late", transient: false, detail: tooLate };
    own.abort();
  });
  abort?.addEventListener("abort", cancel, { once: true });
  try {
    const doing = work(own.signal);
    // A failure after the work was given up must not count as an unhandled rejection.
    doing.catch(() => undefined);
    await Promise.race([once(own.signal, "abort"), doing]);
    return own.signal.aborted ? { failure: reason } : await doing;
  } finally {
    silence();
    abort?.removeEventListener("abort", cancel);
  }
}
