/**
 * `invalid` is a mistake in the config or the kubeconfig. Somebody has to fix what is `refused` in the cluster, such as
 * a missing right. Everything that may pass by itself is `unreachable`.
 */
export type Cause = "invalid" | "refused" | "unreachable";

/**
 * Tells a user what is wrong and what to do. Pulumi and Node print the stack of every error, so it has none. All other
 * errors are bugs and keep theirs.
 */
export class UserError extends Error {
  get failure(): Cause {
    return "unreachable";
  }

  constructor(message: string) {
    super(message);
    this.stack = message;
  }
}

/**
 * Returns the code of an error whose message may quote its input.
 *
 * @throws the error itself if it has none, because it is a bug
 */
export function codeOf(error: unknown): string {
  const code = codeIn(error);
  if (code === undefined) throw error;
  return code;
}

/** Node's own TypeErrors and RangeErrors are bugs, although they have codes. */
function codeIn(error: unknown): string | undefined {
  if (error instanceof DOMException) return error.name;
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError)
    return undefined;
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export function isBug(error: unknown): boolean {
  return !(error instanceof UserError) && codeIn(error) === undefined;
}

/** @throws the error itself if it is a bug */
export function messageOf(error: unknown): string {
  if (isBug(error)) throw error;
  return error instanceof Error ? error.message : String(error);
}

/** Replaces a rejection with a value, and rethrows a bug. */
export function unlessBug<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof BugAtCluster) throw error;
    messageOf(error);
    return value;
  };
}

/** A bug that one cluster's data has brought to light, which refuses that cluster alone. */
export class BugAtCluster extends UserError {
  override get failure(): Cause {
    return "refused";
  }
}

/** Prints the stack trace of a bug, and returns what refuses the cluster in its place. */
export function atCluster(cluster: string, error: unknown): UserError {
  if (error instanceof UserError) return error;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(`Bug in linkerd-multicluster, with what cluster ${cluster} answers: ${stack}`);
  const what = error instanceof Error ? `${error.name}: ${error.message}` : "an error";
  return new BugAtCluster(
    `cluster ${cluster} is refused, because what it answers leads to a bug in linkerd-multicluster (${what}): report it with the stack trace that this run has printed`,
  );
}

/** Lets a bug in work on one cluster's data refuse that cluster alone. */
export async function aboutCluster<T>(cluster: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw atCluster(cluster, error);
  }
}

/** Puts the stack of a bug into its message, for a caller that shows nothing else. */
export function withStack(error: unknown): unknown {
  if (error instanceof Error && !(error instanceof UserError))
    error.message = error.stack ?? error.message;
  return error;
}
