import { once } from "node:events";
import type { RequestFailure } from "./failure.ts";
import type { Time } from "./retry.ts";

/** The two steps in which a run is ended early. */
export interface Cancellation {
  /** From then on no request is sent, and nothing is waited for. */
  readonly stop: AbortSignal;
  /** Requests under way are given up; a moment after `stop`. */
  readonly abort: AbortSignal;
}

/** The reason of what was not attempted, or given up, after that. */
export const cancelledWords = "the run was cancelled";

export const cancelled: RequestFailure = { kind: "cancelled", transient: false };

export interface TimeLimit {
  readonly milliseconds: number;
  /** The failure's sentence once it is over. */
  readonly tooLate: string;
}

/**
 * Does the work, or gives it up once its time is over or `abort` says so. Work that is given up gets its signal, and
 * nobody waits for it any longer.
 *
 * @returns what the work does, or the failure
 */
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
    // Work that fails after it was given up is nobody's error.
    doing.catch(() => undefined);
    await Promise.race([once(own.signal, "abort"), doing]);
    return own.signal.aborted ? { failure: reason } : await doing;
  } finally {
    silence();
    abort?.removeEventListener("abort", cancel);
  }
}
