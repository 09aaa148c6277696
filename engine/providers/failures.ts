/** What the user has to fix before anything can be done, as Pulumi takes it from `check`. */
export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

export interface Checked<Inputs> {
  readonly inputs: Inputs;
  readonly failures: CheckFailure[];
}

/** An error that Pulumi records together with the state, so that the next run carries on. */
export class PartialFailure<Inputs extends object> extends Error {
  readonly id: string;
  readonly properties: Inputs;
  readonly reasons: readonly string[];

  constructor(id: string, inputs: Inputs, reasons: readonly string[]) {
    super(`${id} is done in part`);
    this.id = id;
    // All inputs, since among them is the provider's own code, without which nothing can be deleted.
    this.properties = inputs;
    // Pulumi shows these and not the message.
    this.reasons = [...reasons, "everything else is done, and the next pulumi up retries these"];
  }
}

/** Pulumi prints the stack of what `read`, `delete` and `check` throw, which says nothing to a user. */
export async function withoutTrace<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error) error.stack = error.message;
    throw error;
  }
}
