import type { Fault } from "../../simulation/faults.ts";
import { status } from "../../simulation/refusals.ts";

/** What happens to the `at`th request of an operation, whichever cluster it is for. */
export interface RequestFault {
  readonly at: number;
  readonly fault: "reset" | "drop" | "duplicate" | "crash" | "carry out and crash" | "unavailable";
}

const unavailable: Fault = {
  answer: status(503, "ServiceUnavailable", "the server is currently unable to handle the request"),
};

export function faultOf({ fault }: RequestFault): Fault {
  return fault === "unavailable" ? unavailable : fault;
}
