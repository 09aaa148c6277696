import { UserError } from "../user-error.ts";

/** Pulumi takes mistakes in this form from `check`. The user has to fix them before anything is done. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

export interface Checked<Inputs> {
  readonly inputs: Inputs;
  readonly failures: CheckFailure[];
}

/** Pulumi records this error together with the state, so that the next run carries on. */
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

/** This is the last reason if the rest was done. */
export const retried = "everything else is done, and the next pulumi up retries these";

/** Pulumi puts this in place of a value that is not known before an update has run. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Tells whether anything in a resource's inputs is unknown, which makes the plan unknown as well. */
export function awaitsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(awaitsUnknown);
}
