/** How a run is ended before it is through. */
export interface Cancellation {
  /** From then on no request is sent, and nothing is waited for. */
  readonly stop: AbortSignal;
  /** Requests under way are given up; a moment after `stop`. */
  readonly abort: AbortSignal;
}

/** As a reason of "not attempted", and what a method says that has nothing else to tell. */
export const cancelledWords = "the run was cancelled";
