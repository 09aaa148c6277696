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

export interface TimeLimit {
  readonly milliseconds: number;
  /** The failure's sentence once it is over. */
  readonly tooLate: string;
}

/** Reasons to give work up. */
interface Limits extends TimeLimit {
  readonly abort: AbortSignal | undefined;
  readonly time: Pick<Time, "alarm">;
}

/**
 * Does the work, or gives it up once its time is over or `abort` says so. Work that is given up gets its signal, and
 * nobody waits for it any longer.
 *
 * @returns what the work does, or the failure
 */
export async function within<T>(
  { milliseconds, tooLate, abort, time }: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | { readonly failure: RequestFailure }> {
  const own = new AbortController();
  let giveUp: (failure: RequestFailure) => void = () => undefined;
  const givenUp = new Promise<{ readonly failure: RequestFailure }>((resolve) => {
    giveUp = (failure) => {
      resolve({ failure });
      own.abort();
    };
  });
  const cancel = () => {
    giveUp(cancelled);
  };
  const silence = time.alarm(milliseconds, () => {
    giveUp({ kind: "late", transient: false, detail: tooLate });
  });
  abort?.addEventListener("abort", cancel, { once: true });
  try {
    if (abort?.aborted === true) return { failure: cancelled };
    const doing = work(own.signal);
    // Work that fails after it was given up is nobody's error.
    doing.catch(() => undefined);
    return await Promise.race([givenUp, doing]);
  } finally {
    silence();
    abort?.removeEventListener("abort", cancel);
  }
}

export const cancelled: RequestFailure = { kind: "cancelled", transient: false };
