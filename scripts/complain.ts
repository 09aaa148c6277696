import { inspect } from "node:util";
import { isBug, messageOf } from "@linkerd-multicluster/engine/base";

/** Prints a mistake in its sentence, a misspelt option as the usage, and a bug with its stack. The exit code is 1. */
export function complain(error: unknown, usage = ""): void {
  const isOption =
    error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  const text = isBug(error) ? inspect(error) : messageOf(error);
  process.stderr.write(`${isOption ? usage : text}\n`);
  process.exitCode = 1;
}
