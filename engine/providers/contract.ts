import { UserError } from "../user-error.ts";

/** A mistake that the user has to fix before anything is done, in the form that Pulumi takes from `check`. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

export interface Checked<Inputs> {
  readonly inputs: Inputs;
  readonly failures: CheckFailure[];
}

/** An error that Pulumi records together with the state, so that the next run carries on. */
export class PartialFailure<Inputs extends object> extends UserError {
  readonly id: string;
  readonly properties: Inputs;
  readonly reasons: readonly string[];

  /** @param reasons what Pulumi shows, instead of the message */
  constructor(id: string, inputs: Inputs, reasons: readonly string[]) {
    super(`${id} is done in part`);
    this.id = id;
    // All inputs, since among them is the provider's own code, without which nothing can be deleted.
    this.properties = inputs;
    this.reasons = reasons;
  }
}

/** The last reason, if the rest was done. */
export const retried = "everything else is done, and the next pulumi up retries these";

/** Pulumi's placeholder for a value that is not known before an update has run. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Whether anything in a resource's inputs is unknown. The plan is unknown then as well. */
export function awaitsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(awaitsUnknown);
}
