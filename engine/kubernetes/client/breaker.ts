import type { RequestFailure, FailureKind } from "./failure.ts";
import type { Time } from "./retry.ts";

/** Decides when a cluster that does not answer gets no more calls. */
export const breakerPolicy = {
  /** The number of calls that may fail in a row, each after its retries. */
  failures: 3,
  /** Milliseconds after which one call is sent again, to see whether the cluster is back. */
  coolDown: 15_000,
};

export type Breaker = ReturnType<typeof breakerOf>;

/** Remembers that a cluster does not answer, so that 10,000 calls do not each have to find out. */
export function breakerOf(time: Pick<Time, "now">) {
  // Each update reads first, and reads may succeed where no write does.
  const failed = { reads: 0, writes: 0 };
  let last: RequestFailure | undefined;
  let closedUntil = -Infinity;
  let probing = false;
  return {
    /** Returns the failure of the last call if no call may be sent now. Every call asks first. */
    refusal(): RequestFailure | undefined {
      if (Math.max(failed.reads, failed.writes) < breakerPolicy.failures) return undefined;
      if (probing || time.now() < closedUntil) return last;
      probing = true;
      return undefined;
    },

    /** Records how a call ended. */
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

/** Tells whether a failure of this kind can mean that the cluster as a whole is unavailable. */
export function mayConcernAll(kind: FailureKind): boolean {
  return ["unreachable", "late", "throttled", "server"].includes(kind);
}
