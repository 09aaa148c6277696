import { parseDuration } from "@linkerd-multicluster/engine/duration";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Format, formats } from "../output.ts";
import type { Said } from "../stacks.ts";

export const programName = "linkerd-clusters";

/** Options of the commands that project facts. */
export interface FactsOptions extends Said {
  readonly output: Format;
  readonly from?: string;
}

export function examples(...lines: readonly (readonly [words: string, what: string])[]): string {
  const width = Math.max(...lines.map(([words]) => words.length));
  const rows = lines.map(([words, what]) => `  ${programName} ${words.padEnd(width)}  ${what}`);
  return `\nExamples:\n${rows.join("\n")}`;
}

export function stackCommand(program: Command, name: string, what: string): Command {
  return program
    .command(name)
    .description(what)
    .option("-s, --stack <name>", "which stack")
    .option("--cwd <folder>", "the folder of its program")
    .option("--config-file <path>", "its config file, where it is not beside the program");
}

export function factsCommand(program: Command, name: string, what: string): Command {
  const command = stackCommand(program, name, what)
    .addOption(formatOption())
    .option(...fromOption);
  return withoutOption(command, "--state", "run gather, and use --from with its folder");
}

/** Scripts that still set a removed option get a sentence instead of an unknown option. */
export function withoutOption(command: Command, flags: string, instead: string): Command {
  const option = new Option(flags).hideHelp();
  return command.addOption(option).on(`option:${option.name()}`, () => {
    command.error(`error: ${option.long ?? flags} has been removed: ${instead}`);
  });
}

export const fromOption = ["--from <folder>", "by what gather has written to this folder"] as const;

export function formatOption(): Option {
  return new Option("-o, --output <format>", "how to print it").choices(formats).default("table");
}

export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined)
    throw new InvalidArgumentError("It must be a duration, as 30s or 5m.");
  return milliseconds;
}

export function wait(text: string): number {
  return /^\d{1,6}$/.test(text) ? Number(text) * 1000 : duration(text);
}
