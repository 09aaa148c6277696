import { parseDuration } from "@linkerd-multicluster/engine/duration";
import { type Command, InvalidArgumentError, Option } from "commander";
import { messageOf, UserError } from "@linkerd-multicluster/engine/base";
import { exitCode, type Format, formats } from "../output.ts";
import type { Facts } from "../facts/facts.ts";
import type { FactsReading } from "../read-facts.ts";
import type { Chosen, StackOptions } from "../stack/stacks.ts";

export const programName = "linkerd-clusters";

export interface FactsOptions extends StackOptions {
  readonly output: Format;
  readonly from?: string;
}

type Examples = readonly (readonly [words: string, what: string])[];

export function stackCommand(
  program: Command,
  name: string,
  what: string,
  examples: Examples,
): Command {
  const width = Math.max(...examples.map(([words]) => words.length));
  const rows = examples.map(([words, does]) => `  ${programName} ${words.padEnd(width)}  ${does}`);
  return program
    .command(name)
    .description(what)
    .addHelpText("after", `\nExamples:\n${rows.join("\n")}`)
    .option("-s, --stack <name>", "name of the stack")
    .option("--cwd <folder>", "folder of the Pulumi program")
    .option(
      "--config-file <path>",
      "stack config file (default: Pulumi.<stack>.yaml in that folder)",
    );
}

export function factsCommand(...of: Parameters<typeof stackCommand>): Command {
  return stackCommand(...of)
    .addOption(formatOption())
    .option(...fromOption);
}

export const fromOption = [
  "--from <folder>",
  "read what gather wrote to this folder, not the clusters",
] as const;

export function formatOption(...more: readonly string[]): Option {
  const all = [...formats, ...more];
  return new Option("-o, --output <format>", "output format").choices(all).default("table");
}

/** @param shown the default, as a user would write it */
export function durationOption(
  flags: string,
  what: string,
  parse: (text: string) => number,
  shown: string,
): Option {
  return new Option(flags, what).argParser(parse).default(parse(shown), shown);
}

export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError("It must be a duration such as 30s or 5m.");
  return milliseconds;
}

export function wait(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : duration(text);
}

/** Modules are imported on demand, so that completion is quick. */
export async function factsFor(
  { from, ...options }: Omit<FactsOptions, "output">,
  reading: FactsReading = {},
): Promise<readonly Facts[]> {
  const { factsIn, readFacts } = await import("../read-facts.ts");
  if (from !== undefined) return factsIn(from);
  const stacks = await stacksOf(options);
  return readable(stacks, (each) => readFacts(each, reading));
}

/** One registered stack that can't be read must not hide the others: it is named, and the command fails at its end. */
export async function readable<T>(
  stacks: readonly Chosen[],
  read: (stack: Chosen) => Promise<T>,
): Promise<readonly T[]> {
  if (stacks.length === 1) return Promise.all(stacks.map(read));
  const found = await Promise.all(
    stacks.map((each) =>
      read(each).then(
        (value) => ({ value }),
        (error: unknown) => ({ why: `${each.stack ?? ""}@${each.folder}: ${messageOf(error)}` }),
      ),
    ),
  );
  const values = found.flatMap((each) => ("value" in each ? [each.value] : []));
  const unread = found.flatMap((each) => ("why" in each ? [each.why] : []));
  if (values.length === 0) throw new UserError(unread.join("\n"));
  if (unread.length > 0) {
    process.stderr.write(`${unread.join("\n")}\n`);
    process.exitCode = exitCode.failed;
  }
  return values;
}

async function stacksOf(options: StackOptions): Promise<Chosen[]> {
  const { stacksFor } = await import("../stack/stacks.ts");
  return stacksFor(options, process.cwd(), process.env);
}

export async function stackOf(options: StackOptions): Promise<Chosen> {
  const { onlyStack } = await import("../stack/stacks.ts");
  return onlyStack(await stacksOf(options));
}
