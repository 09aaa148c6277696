/**
 * `invalid` is a mistake in the config or the kubeconfig, `refused` is what somebody has to fix in the cluster, such as a
 * credential without the right to read, and `unreachable` is all that may pass by itself.
 */
export type Cause = "invalid" | "refused" | "unreachable";

/**
 * An error that tells a user what is wrong and what to do about it. The message says everything, so there is no stack:
 * Pulumi and Node print the stack of every error. All other errors are bugs and keep theirs.
 */
export class UserError extends Error {
  /** The cause that it implies for a cluster that can't be read because of it. */
  get failure(): Cause {
    return "unreachable";
  }

  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

/**
 * The code of an error from the operating system or a library, whose message may quote what it was given.
 *
 * @throws the error itself if it has no code, because it is a bug
 */
export function codeOf(error: unknown): string {
  const code = codeIn(error);
  if (code === undefined) throw error;
  return code;
}

/** Node's own TypeErrors and RangeErrors have codes as well, and are bugs. */
function codeIn(error: unknown): string | undefined {
  if (error instanceof DOMException) return error.name;
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError)
    return undefined;
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export function isBug(error: unknown): boolean {
  return !(error instanceof UserError) && codeIn(error) === undefined;
}

/**
 * The message for a user, for sentences in which it is one part.
 *
 * @throws the error itself if it is a bug
 */
export function messageOf(error: unknown): string {
  if (isBug(error)) throw error;
  return error instanceof Error ? error.message : String(error);
}

/** Handles a rejection with a value to use instead, and rethrows a bug. */
export function unlessBug<T>(value: T): (error: unknown) => T {
  return (error) => {
    messageOf(error);
    return value;
  };
}

/** Puts the stack of a bug into its message, for a caller that shows nothing else. */
export function withStack(error: unknown): unknown {
  if (error instanceof Error && !(error instanceof UserError))
    error.message = error.stack ?? error.message;
  return error;
}
