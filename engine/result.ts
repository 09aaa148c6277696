import { type Cause, UserError } from "./user-error.ts";

/** Has the value, or a sentence that says why it could not be read. */
export type Result<T> = { readonly value: T } | Failure;

export interface Failure {
  readonly why: string;
  readonly cause: Cause;
}

/** Reports a mistake in a text of the user or of a cluster. */
export function invalid(why: string): Failure {
  return { why, cause: "invalid" };
}

/** @throws bugs, which keep their stack */
export async function resultOf<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof UserError) return { why: error.message, cause: error.failure };
    throw error;
  }
}

/** Returns undefined if the value could not be read, or nobody has tried. */
export function valueIn<T>(result: Result<T> | undefined): T | undefined {
  return result !== undefined && "value" in result ? result.value : undefined;
}
