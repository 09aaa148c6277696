import { parseArgs } from "node:util";

export const usage =
  "Usage: npm run check -- [--stack NAME] [--config-file PATH] [--output table|json] [--wait SECONDS]";

/** A mistake of the user's: its message is the one sentence to print. */
export class CheckError extends Error {
  override readonly name = "CheckError";
}

export interface Options {
  readonly help: boolean;
  readonly stack?: string;
  readonly configFile?: string;
  readonly output: "table" | "json";
  /** In seconds. */
  readonly wait: number;
}

/** @throws CheckError */
export function optionsIn(args: readonly string[]): Options {
  const { help, stack, output, wait, "config-file": configFile } = parsed(args);
  if (output !== "table" && output !== "json")
    throw new CheckError(`--output is ${JSON.stringify(output)}; it must be table or json.`);
  if (!/^\d{1,6}$/.test(wait))
    throw new CheckError(`--wait is ${JSON.stringify(wait)}; it must be a number of seconds.`);
  return {
    ...{ help, output, wait: Number(wait) },
    ...(stack !== undefined && { stack }),
    ...(configFile !== undefined && { configFile }),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: "boolean", short: "h", default: false },
        stack: { type: "string", short: "s" },
        "config-file": { type: "string" },
        output: { type: "string", short: "o", default: "table" },
        wait: { type: "string", default: "0" },
      },
    }).values;
  } catch (error) {
    const why = error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error);
    throw new CheckError(`${why}. ${usage}`);
  }
}
