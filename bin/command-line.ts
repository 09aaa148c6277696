/** What the commands that take a stack have in common: how they read their options, and how they end. */
import { realpathSync } from "node:fs";
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { StackChoice } from "../config/stack-file.ts";

/** Options that each of them takes. */
export const commonOptions = {
  help: { type: "boolean", short: "h", default: false },
  stack: { type: "string", short: "s" },
  "config-file": { type: "string" },
} as const;

/**
 * The values of options.
 *
 * @throws Error whose message is the one sentence to print, with the usage
 */
export function valuesIn<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: readonly string[],
  { options, usage }: { readonly options: Options; readonly usage: string },
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    const why = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    throw new Error(`${why}. ${usage}`, { cause: error });
  }
}

/** Which stack the common options name. */
export function stackIn(values: {
  readonly stack?: string | undefined;
  readonly "config-file"?: string | undefined;
}): StackChoice {
  const { stack, "config-file": configFile } = values;
  return { ...(stack !== undefined && { stack }), ...(configFile !== undefined && { configFile }) };
}

/**
 * Runs a command if its file is the one that was started, and not where a test imports it for its
 * options. An error is one sentence for the user.
 *
 * @param file of the command, `import.meta.filename`
 */
export async function runIfStarted(file: string, main: () => Promise<void>): Promise<void> {
  if (realpathSync(process.argv[1] ?? "") !== file) return;
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
