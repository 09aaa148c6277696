import type { RequestFailure, FailureKind } from "./failure.ts";
import type { Time } from "./retry.ts";

/** When calls to a cluster that does not answer are no longer sent. */
export const breakerPolicy = {
  /** Calls that failed in a row, each after its retries. */
  failures: 3,
  /** Milliseconds until one call is sent again, to see whether the cluster is back. */
  coolDown: 15_000,
};

export type Breaker = ReturnType<typeof breakerOf>;

/**
 * Remembers of one cluster that it does not answer, so that 10,000 calls do not each find out for
 * themselves.
 */
export function breakerOf(time: Pick<Time, "now">) {
  /** Calls that failed in a row. Each update reads first, which may go well where no write does. */
  const failed = { reads: 0, writes: 0 };
  let last: RequestFailure | undefined;
  let closedUntil = -Infinity;
  let probing = false;
  return {
    /** The failure that the cluster ended the last call with, if no call is to be sent now; asked before each call. */
    refusal(): RequestFailure | undefined {
      if (Math.max(failed.reads, failed.writes) < breakerPolicy.failures) return undefined;
      if (probing || time.now() < closedUntil) return last;
      probing = true;
      return undefined;
    },

    /** Learns from a call that was sent: the failure that it ended with, or undefined. */
    ended(failure: RequestFailure | undefined, isRead: boolean): void {
      probing = false;
      const row = isRead ? "reads" : "writes";
      if (failure === undefined || !mayConcernAll(failure.kind)) {
        failed[row] = 0;
        return;
      }
      // A broken webhook, a quota that can't be evaluated and an object too large for etcd fail one write with 500.
      if (!isRead && failure.status === 500) return;
      failed[row] += 1;
      last = failure;
      closedUntil = time.now() + breakerPolicy.coolDown;
    },
  };
}

/** True for a kind of failure that can mean that the cluster as a whole is unavailable. */
export function mayConcernAll(kind: FailureKind): boolean {
  return ["unreachable", "late", "throttled", "server"].includes(kind);
}
