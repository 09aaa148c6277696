import { setTimeout as sleep } from "node:timers/promises";

/** Tests replace it, so that they neither wait nor depend on chance. */
export interface Time {
  /** Returns milliseconds since any fixed moment. */
  now(): number;
  /** Ends early once the signal is aborted, and after 24 days. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** The function that it returns prevents the call. */
  alarm(milliseconds: number, call: () => void): () => void;
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

/** A call is retried until either limit is reached. */
interface RetryBudget {
  readonly attempts: number;
  /** Another attempt may start within this many milliseconds of the first. */
  readonly within: number;
}

export interface RetryPolicy {
  /** The cluster answered last time. A call ends after `within`, even if an attempt is in progress. */
  readonly working: RetryBudget;
  /** The cluster has never answered: a wrong address should not cost a minute. */
  readonly connecting: RetryBudget;
  readonly backoff: Backoff;
}

/** Each wait, in milliseconds, is twice the last one. */
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

/** Returns milliseconds. Half of a wait is random, so that calls that failed together are not repeated together. */
export function backoff(
  attempts: number,
  { first, longest }: Backoff,
  time: Pick<Time, "random">,
): number {
  const whole = Math.min(longest, first * 2 ** (attempts - 1));
  return whole * (0.5 + time.random() / 2);
}

/** Times are in milliseconds. */
export interface Polling {
  readonly within: number;
  readonly every: number;
  readonly time?: Pick<Time, "now" | "sleep">;
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
