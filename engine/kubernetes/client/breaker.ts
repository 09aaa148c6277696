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
  let failures = 0;
  /** True while none but writes have failed in this row. */
  let isOfWrites = false;
  let last: RequestFailure | undefined;
  let closedUntil = -Infinity;
  let probing = false;
  return {
    /** The failure that the cluster ended the last call with, if no call is to be sent now; asked before each call. */
    refusal(): RequestFailure | undefined {
      if (failures < breakerPolicy.failures) return undefined;
      if (probing || time.now() < closedUntil) return last;
      probing = true;
      return undefined;
    },

    /** Learns from a call that was sent: the failure that it ended with, or undefined. */
    ended(failure: RequestFailure | undefined, isRead: boolean): void {
      probing = false;
      if (failure === undefined || !mayConcernAll(failure.kind)) {
        // Each update reads first, which may go well where no write does.
        if (!isRead || !isOfWrites) failures = 0;
        return;
      }
      if (!isRead && mayConcernOne(failure)) return;
      isOfWrites = !isRead && (failures === 0 || isOfWrites);
      failures += 1;
      last = failure;
      closedUntil = time.now() + breakerPolicy.coolDown;
    },
  };
}

/** True for a kind of failure that can mean that the cluster as a whole is unavailable. */
export function mayConcernAll(kind: FailureKind): boolean {
  return ["unreachable", "late", "throttled", "server"].includes(kind);
}

/**
 * True for a failure that one write can have by itself. A broken admission webhook, a quota that cannot be
 * evaluated and an object too large for etcd are each a 500 of this one write. A webhook may also answer with a
 * status of its own choice. What stands in front of the API server answers with 502, 503 or 504.
 */
function mayConcernOne({ status, detail = "" }: RequestFailure): boolean {
  return status === 500 || (status !== undefined && /\b(webhook|admission)\b/i.test(detail));
}
