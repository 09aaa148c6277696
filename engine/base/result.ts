import { aboutCluster, BugAtCluster, type Cause, UserError } from "./user-error.ts";

/** Has the value, or a sentence that says why it could not be read. */
export type Result<T> = { readonly value: T } | Failure;

export interface Failure {
  readonly why: string;
  readonly cause: Cause;
  /** A bug of this program prevents it, and not the cluster. */
  readonly isBug?: true;
}

/** Reports a mistake in a text of the user or of a cluster. */
export function invalid(why: string): Failure {
  return { why, cause: "invalid" };
}

/**
 * @param cluster is refused if its data leads to a bug
 * @throws bugs without it, so that they refuse the cluster as a whole
 */
export async function resultOf<T>(work: () => Promise<T>, cluster?: string): Promise<Result<T>> {
  try {
    return { value: await (cluster === undefined ? work() : aboutCluster(cluster, work)) };
  } catch (error) {
    const isBug = error instanceof BugAtCluster;
    if (!(error instanceof UserError) || (isBug && cluster === undefined)) throw error;
    return { why: error.message, cause: error.failure, ...(isBug && { isBug }) };
  }
}

/** Returns undefined if the value could not be read, or nobody has tried. */
export function valueIn<T>(result: Result<T> | undefined): T | undefined {
  return result !== undefined && "value" in result ? result.value : undefined;
}
