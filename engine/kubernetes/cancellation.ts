/** The two steps in which a run is ended early. */
export interface Cancellation {
  /** From then on no request is sent, and nothing is waited for. */
  readonly stop: AbortSignal;
  /** Requests under way are given up; a moment after `stop`. */
  readonly abort: AbortSignal;
}

/** The reason of what was not attempted, or given up, after that. */
export const cancelledWords = "the run was cancelled";
