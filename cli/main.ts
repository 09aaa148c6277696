import { readFileSync } from "node:fs";
import { inspect } from "node:util";
import complete from "@bomb.sh/tab/commander";
import { CommanderError } from "commander";
import { commandLine } from "./command-line.ts";
import { exitCode } from "./output.ts";
import { messageOf, isBug } from "@linkerd-multicluster/engine/kubernetes";

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
