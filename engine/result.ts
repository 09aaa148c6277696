import { type Cause, UserError } from "./user-error.ts";

/** A value that was read, or a sentence that says why it could not be. */
export type Result<T> = { readonly value: T } | Failure;

export interface Failure {
  readonly why: string;
  readonly cause: Cause;
}

/** A mistake in a text of the user or of a cluster. */
export function invalid(why: string): Failure {
  return { why, cause: "invalid" };
}

/** @throws whatever is no failure that a user can do something about, with its stack */
export async function resultOf<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return failureOf(error);
  }
}

/** @throws the error itself if it is a bug */
export function failureOf(error: unknown): Failure {
  if (error instanceof UserError) return { why: error.message, cause: error.failure };
  throw error;
}

/** The value, unless it could not be read, or nobody has tried. */
export function valueIn<T>(result: Result<T> | undefined): T | undefined {
  return result !== undefined && "value" in result ? result.value : undefined;
}
