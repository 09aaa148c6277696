/** `npm run check`: whether the mesh of a stack is in order. Exit code 0 if it is, else 1. */
import { meshOf, type StackChoice } from "../config/stack-file.ts";
import { checkMesh, table } from "@linkerd-multicluster/engine/health";
import { commonOptions, runIfStarted, stackIn, valuesIn } from "./command-line.ts";

const usage =
  "Usage: npm run check -- [--stack NAME] [--config-file PATH] [--output table|json] [--wait SECONDS]";

const options = {
  ...commonOptions,
  output: { type: "string", short: "o", default: "table" },
  wait: { type: "string", default: "0" },
} as const;

export interface Options extends StackChoice {
  readonly help: boolean;
  readonly output: "table" | "json";
  /** In seconds. */
  readonly wait: number;
}

/** @throws Error whose message is the one sentence to print */
export function optionsIn(args: readonly string[]): Options {
  const { help, output, wait, ...choice } = valuesIn(args, { options, usage });
  if (output !== "table" && output !== "json")
    throw new Error(`--output is ${JSON.stringify(output)}; it must be table or json.`);
  if (!/^\d{1,6}$/.test(wait))
    throw new Error(`--wait is ${JSON.stringify(wait)}; it must be a number of seconds.`);
  return { help, output, wait: Number(wait), ...stackIn(choice) };
}

async function main(): Promise<void> {
  const { help, output, wait, ...choice } = optionsIn(process.argv.slice(2));
  if (help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const mesh = await meshOf(choice, process.cwd(), process.env);
  const report = await checkMesh(mesh, { within: wait * 1000, every: 2_000 });
  process.stdout.write(output === "json" ? `${JSON.stringify(report, null, 2)}\n` : table(report));
  process.exitCode = report.healthy ? 0 : 1;
}

await runIfStarted(import.meta.filename, main);
