import { UserError } from "../base/user-error.ts";

/** Pulumi does nothing until the user has fixed the failures. */
export interface Checked<Inputs> {
  readonly inputs: Inputs;
  readonly failures: { readonly property: string; readonly reason: string }[];
}

/** Pulumi would print the value of a named property before the reason, and not as the user wrote it. */
export function failuresOf(reasons: readonly string[]): Checked<unknown>["failures"] {
  return reasons.map((reason) => ({ property: "", reason }));
}

/** Outputs of an update that failed have it, because a refresh makes the engine forget that an update has failed. */
export interface Unfinished {
  readonly unfinished?: boolean;
}

/** Pulumi records this error together with the state, so that the next run carries on. */
export class PartialFailure<Inputs extends object> extends UserError {
  readonly id: string;
  readonly properties: Inputs & Unfinished;
  readonly reasons: readonly string[];

  /** @param reasons what Pulumi shows, instead of the message */
  constructor(id: string, inputs: Inputs, reasons: readonly string[]) {
    super(`${id} is done in part`);
    this.id = id;
    // All inputs are passed on, since among them is the provider's own code, without which nothing can be deleted.
    this.properties = { ...inputs, unfinished: true };
    this.reasons = reasons;
  }
}

export const retried = "everything else is done, and the next pulumi up retries these";

/** Pulumi puts this in place of a value that is not known before an update has run. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export function awaitsUnknown(value: unknown): boolean {
  if (value === unknownValue) return true;
  return typeof value === "object" && value !== null && Object.values(value).some(awaitsUnknown);
}
