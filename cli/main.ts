import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import complete from "@bomb.sh/tab/commander";
import { Command, CommanderError } from "commander";
import {
  addCheck,
  addGather,
  addProber,
  addRotate,
  addVerify,
  addWatch,
} from "./commands/actions.ts";
import { programName } from "./commands/options.ts";
import { addExplain, addMap, addStatus, addWhatIf } from "./commands/views.ts";
import { exitCode } from "./output.ts";
import { messageOf, isBug } from "@linkerd-multicluster/engine/base";

/** Runs a command line. Never rejects: it prints errors, and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader such as head may close the pipe once it has enough.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  const manifest = new URL("../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  const program = commandLine(version);
  for (const each of [program, ...program.commands]) each.exitOverride();
  complete(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    // Commander has printed the mistake or the help already.
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? exitCode.ok : exitCode.failed;
    else {
      process.stderr.write(`${isBug(error) ? inspect(error) : messageOf(error)}\n`);
      process.exitCode = exitCode.failed;
    }
  }
}

export function commandLine(version = ""): Command {
  const program = new Command(programName)
    .description(
      "Inspect the mesh of a linkerd-multicluster stack. Only rotate, watch and verify write anything.",
    )
    .version(version)
    .showHelpAfterError("(run with --help for usage)")
    .showSuggestionAfterError()
    .addHelpText("after", about);
  const all = [
    addStatus,
    addExplain,
    addVerify,
    addMap,
    addWhatIf,
    addCheck,
    addRotate,
    addWatch,
    addGather,
    addProber,
  ];
  for (const add of all) add(program);
  return program;
}

const about = `
Stack: --stack and --cwd; else the stack that Pulumi has selected in this folder; else those listed
in ~/.config/linkerd-multicluster/stacks.yaml. "linkerd check" uses only that file.

With this program on PATH, "linkerd clusters ..." and "kubectl linkerd clusters ..." run it, and
"linkerd check" includes its checks.

Exit codes: 0 ok; 1 problems found, or the Service not found; 2 the command itself failed.
Colors: on a terminal, unless NO_COLOR is set.

Completion for bash, zsh and fish:
  source <(${programName} complete bash)`;
