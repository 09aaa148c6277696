/** A problem its reader can solve: entry points print the message alone, without a stack. */
export class BedError extends Error {
  override readonly name = "BedError";
}

export function isMissing(error: unknown): boolean {
  return errorCodeOf(error) === "ENOENT";
}

export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
}

/** Ends an entry point after an error: prints what its reader can solve, a misspelt option as the usage, and throws the rest. */
export function complain(error: unknown, usage: string): void {
  const isOurs = error instanceof BedError;
  if (!isOurs && errorCodeOf(error)?.startsWith("ERR_PARSE_ARGS") !== true) throw error;
  console.error(isOurs ? error.message : usage);
  process.exitCode = 1;
}
