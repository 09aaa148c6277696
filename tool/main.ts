import { readFileSync } from "node:fs";
import complete from "@bomb.sh/tab/commander";
import { CommanderError } from "commander";
import { commandLine } from "./command-line.ts";
import { exitCode } from "./output.ts";

/** Never rejects: an error is a sentence, and a usage that there is not has one of commander's. */
export async function main(argv: readonly string[]): Promise<void> {
  // Whoever has read enough, as head has, has not made a mistake.
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
    // It has printed what is wrong, or the help that was asked for.
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? exitCode.fine : exitCode.failed;
    else {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = exitCode.failed;
    }
  }
}
