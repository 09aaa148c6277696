import { setTimeout as sleep } from "node:timers/promises";

/** The clock, injected so that tests neither wait nor depend on chance. */
export interface Time {
  /** Returns milliseconds since any fixed moment. */
  now(): number;
  /** Ends early once the signal is aborted, and after 24 days. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls once after that time. The function that it returns prevents the call. */
  alarm(milliseconds: number, call: () => void): () => void;
  /** Returns a number from 0 up to, but not including, 1. */
  random(): number;
}

/** Node's timers fire at once if the delay is longer. */
const longestTimer = 2 ** 31 - 1;

export const systemTime: Time = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) =>
    // Only the signal makes it reject.
    sleep(Math.min(milliseconds, longestTimer), undefined, signal && { signal }).catch(
      () => undefined,
    ),
  alarm: (milliseconds, call) => {
    const timer = setTimeout(call, Math.min(milliseconds, longestTimer));
    return () => {
      clearTimeout(timer);
    };
  },
  random: () => Math.random(),
};

/** A call is retried until either of the two limits is reached. */
export interface RetryBudget {
  readonly attempts: number;
  /** Milliseconds after the start of the first attempt in which another may start. */
  readonly within: number;
}

export interface RetryPolicy {
  /**
   * The budget for a cluster that answered last time, for overload, restarts and lost connections. `within` is also the
   * deadline of every call, at which an attempt in progress is given up.
   */
  readonly working: RetryBudget;
  /** The budget for a cluster that has never answered, since a wrong address should not cost a minute. */
  readonly connecting: RetryBudget;
  readonly backoff: Backoff;
}

/** Each wait between two attempts is twice the last one, in milliseconds. */
export interface Backoff {
  readonly first: number;
  readonly longest: number;
}

/** A working cluster gets about 11 s of waits, which is longer than a restart of its API server. */
export const retryPolicy: RetryPolicy = {
  working: { attempts: 8, within: 60_000 },
  connecting: { attempts: 2, within: 3_000 },
  backoff: { first: 100, longest: 5_000 },
};

/**
 * Computes the milliseconds to wait after the `attempts`th failure in a row, from 1 up. Half of the wait is random, so
 * that calls that failed together are not repeated together.
 */
export function backoff(
  attempts: number,
  { first, longest }: Backoff,
  time: Pick<Time, "random">,
): number {
  const whole = Math.min(longest, first * 2 ** (attempts - 1));
  return whole * (0.5 + time.random() / 2);
}

/** The duration and interval of `poll`, in milliseconds. */
export interface Polling {
  readonly within: number;
  readonly every: number;
  readonly time?: Pick<Time, "now" | "sleep">;
  /** Aborting it ends the polling. */
  readonly stop?: AbortSignal;
}

/** Looks until there is enough or the time is over, and returns what it saw last. */
export async function poll<T>(
  look: () => Promise<T>,
  isEnough: (seen: T) => boolean,
  { within, every, time = systemTime, stop }: Polling,
): Promise<T> {
  const start = time.now();
  for (;;) {
    const seen = await look();
    if (isEnough(seen) || time.now() - start + every > within) return seen;
    await time.sleep(every, stop);
    if (stop?.aborted === true) return seen;
  }
}
