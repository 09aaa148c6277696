import { setTimeout as sleep } from "node:timers/promises";

/** The clock, injected so that tests neither wait nor depend on chance. */
export interface Time {
  /** Milliseconds since any fixed moment. */
  now(): number;
  /** Ends early, as if time were up, once the signal is aborted, or after 24 days. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** Calls once, after that time, unless the function that it returns is called before. */
  alarm(milliseconds: number, call: () => void): () => void;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

/** Node's timers go off at once where they are told more. */
const longestTimer = 2 ** 31 - 1;

export const systemTime: Time = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) =>
    // The only way in which it fails is the signal.
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

/** A call is retried until either of the two is used up. */
export interface RetryBudget {
  readonly attempts: number;
  /** Milliseconds since the first attempt after which no other is started. */
  readonly within: number;
}

export interface RetryPolicy {
  /**
   * The budget for a cluster that answers, or did so last time: overload, restarts, lost connections. `within` is the
   * deadline of every call: what is under way then is given up.
   */
  readonly working: RetryBudget;
  /** The budget for a cluster that can't be reached at all: a wrong address should not cost a minute. */
  readonly connecting: RetryBudget;
  readonly backoff: Backoff;
}

/** First and longest wait between two attempts, in milliseconds; each wait doubles the last. */
export interface Backoff {
  readonly first: number;
  readonly longest: number;
}

/** About 11 s of waits for a cluster that answers, longer than a restart of its API server. */
export const retryPolicy: RetryPolicy = {
  working: { attempts: 8, within: 60_000 },
  connecting: { attempts: 2, within: 3_000 },
  backoff: { first: 100, longest: 5_000 },
};

/**
 * Milliseconds to wait after the `attempts`th failure in a row, from 1 up. Half of the wait is random,
 * so that what failed together is not tried again together.
 */
export function backoff(
  attempts: number,
  { first, longest }: Backoff,
  time: Pick<Time, "random">,
): number {
  const whole = Math.min(longest, first * 2 ** (attempts - 1));
  return whole * (0.5 + time.random() / 2);
}

/** The time for which something is waited for, and between two looks; in milliseconds. */
export interface Polling {
  readonly within: number;
  readonly every: number;
  /** The clock; the system's. */
  readonly time?: Pick<Time, "now" | "sleep">;
  /** Once it is aborted there is no other look. */
  readonly stop?: AbortSignal;
}

/** Looks until there is enough, or no time for another look; returns what it saw last. */
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
