import type { RequestFailure, FailureKind } from "./failure.ts";
import type { Time } from "./retry.ts";

export const breakerPolicy = {
  /** This many calls may fail in a row, each after its retries. */
  failures: 3,
  /** After this many milliseconds, one call is sent to see whether the cluster is back. */
  coolDown: 15_000,
};

export type Breaker = ReturnType<typeof breakerOf>;

/** Remembers that a cluster does not answer, so that 10,000 calls don't each have to find out. */
export function breakerOf(time: Pick<Time, "now">) {
  // Each update reads first, and reads may succeed where no write does.
  const failed = { reads: 0, writes: 0 };
  let last: RequestFailure | undefined;
  let closedUntil = -Infinity;
  let probing = false;
  return {
    /** Returns the failure of the last call if none may be sent now. Every call asks first. */
    refusal(): RequestFailure | undefined {
      if (Math.max(failed.reads, failed.writes) < breakerPolicy.failures) return undefined;
      if (probing || time.now() < closedUntil) return last;
      probing = true;
      return undefined;
    },

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

/** Such a failure can mean that the cluster as a whole is unavailable. */
export function mayConcernAll(kind: FailureKind): boolean {
  return ["unreachable", "late", "throttled", "server"].includes(kind);
}
