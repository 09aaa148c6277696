/** `npm run check`: whether the mesh of a stack is in order. Exit code 0 if it is, else 1. */
import { realpathSync } from "node:fs";
import { parseArgs } from "node:util";
import { meshOf, type StackChoice } from "../config/stack-file.ts";
import { checkMesh, table } from "@linkerd-multicluster/engine/health";

const usage =
  "Usage: npm run check -- [--stack NAME] [--config-file PATH] [--output table|json] [--wait SECONDS]";

export interface Options extends StackChoice {
  readonly help: boolean;
  readonly output: "table" | "json";
  /** In seconds. */
  readonly wait: number;
}

/** @throws Error whose message is the one sentence to print */
export function optionsIn(args: readonly string[]): Options {
  const { help, stack, output, wait, "config-file": configFile } = parsed(args);
  if (output !== "table" && output !== "json")
    throw new Error(`--output is ${JSON.stringify(output)}; it must be table or json.`);
  if (!/^\d{1,6}$/.test(wait))
    throw new Error(`--wait is ${JSON.stringify(wait)}; it must be a number of seconds.`);
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
    throw new Error(`${why}. ${usage}`, { cause: error });
  }
}

async function main(): Promise<void> {
  const options = optionsIn(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const mesh = await meshOf(options, process.cwd(), process.env);
  const report = await checkMesh(mesh, { within: options.wait * 1000, every: 2_000 });
  const { output } = options;
  process.stdout.write(output === "json" ? `${JSON.stringify(report, null, 2)}\n` : table(report));
  process.exitCode = report.healthy ? 0 : 1;
}

// Not when a test imports it for its options.
if (realpathSync(process.argv[1] ?? "") === import.meta.filename) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
