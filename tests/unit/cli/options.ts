import { commandLine } from "../../../cli/main.ts";
import type { WatchOptions } from "../../../cli/watch/watch.ts";

interface Called {
  readonly command: string;
  readonly args: readonly unknown[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Parses a command line. Rejects with commander's message. */
export async function called(words: readonly string[]): Promise<Called> {
  const calls: Called[] = [];
  const program = commandLine();
  program.exitOverride().configureOutput({ writeErr: () => undefined });
  for (const each of program.commands)
    each
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .action(() => {
        calls.push({ command: each.name(), args: each.processedArgs, options: each.opts() });
      });
  await program.parseAsync(words, { from: "user" });
  const [call] = calls;
  if (call === undefined) throw new Error("no command was called");
  return call;
}

export async function watchOptions(words: readonly string[]): Promise<WatchOptions> {
  const { command, options } = await called(["watch", ...words]);
  if (command !== "watch") throw new Error("not watch");
  return options as unknown as WatchOptions;
}
