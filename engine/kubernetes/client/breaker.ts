import type { RequestFailure, FailureKind } from "./failure.ts";
import type { Time } from "./retry.ts";

/** When calls to a cluster that does not answer are no longer sent. */
export interface BreakerPolicy {
  /** Calls that failed in a row, each after its retries. */
  readonly failures: number;
  /** Milliseconds until one call is sent again, to see whether the cluster is back. */
  readonly coolDown: number;
}

export const breakerPolicy: BreakerPolicy = { failures: 3, coolDown: 15_000 };

/**
 * Remembers of one cluster that it does not answer, so that 10,000 calls do not each find out for
 * themselves.
 */
export class Breaker {
  readonly #policy: BreakerPolicy;
  readonly #time: Pick<Time, "now">;
  #failures = 0;
  /** True while none but writes have failed in this row. */
  #isOfWrites = false;
  #last: RequestFailure | undefined;
  #closedUntil = -Infinity;
  #probing = false;

  constructor(policy: BreakerPolicy, time: Pick<Time, "now">) {
    this.#policy = policy;
    this.#time = time;
  }

  /**
   * The failure that the cluster ended the last call with, if no call is to be sent now; asked before each call.
   */
  refusal(): RequestFailure | undefined {
    if (this.#failures < this.#policy.failures) return undefined;
    if (this.#probing || this.#time.now() < this.#closedUntil) return this.#last;
    this.#probing = true;
    return undefined;
  }

  /** Learns from a call that was sent: the failure that it ended with, or undefined. */
  ended(failure: RequestFailure | undefined, isRead: boolean): void {
    this.#probing = false;
    if (failure === undefined || !mayConcernAll(failure.kind)) {
      // Each update reads first, which may go well where no write does.
      if (!isRead || !this.#isOfWrites) this.#failures = 0;
      return;
    }
    if (!isRead && mayConcernOne(failure)) return;
    this.#isOfWrites = !isRead && (this.#failures === 0 || this.#isOfWrites);
    this.#failures += 1;
    this.#last = failure;
    this.#closedUntil = this.#time.now() + this.#policy.coolDown;
  }
}

const unavailable = new Set<FailureKind>(["unreachable", "late", "throttled", "server"]);

/** True for a kind of failure that can mean that the cluster as a whole is unavailable. */
export function mayConcernAll(kind: FailureKind): boolean {
  return unavailable.has(kind);
}

/**
 * True for a failure that one write can have by itself. A broken admission webhook, a quota that cannot be
 * evaluated and an object too large for etcd are each a 500 of this one write. A webhook may also answer with a
 * status of its own choice. What stands in front of the API server answers with 502, 503 or 504.
 */
function mayConcernOne({ status, detail = "" }: RequestFailure): boolean {
  return status === 500 || (status !== undefined && /\b(webhook|admission)\b/i.test(detail));
}
