import {
  type CheckOptions,
  type Commands,
  commandLine,
  type DiffOptions,
  type FactsOptions,
  type MapOptions,
  type StatusOptions,
  type WatchOptions,
  type WhatIfOptions,
} from "../../../tool/command-line.ts";

type Called =
  | { readonly command: "status"; readonly options: StatusOptions }
  | { readonly command: "explain"; readonly service: string; readonly options: FactsOptions }
  | { readonly command: "map"; readonly options: MapOptions }
  | { readonly command: "diff"; readonly options: DiffOptions }
  | { readonly command: "whatif"; readonly options: WhatIfOptions }
  | { readonly command: "check"; readonly options: CheckOptions }
  | { readonly command: "watch"; readonly options: WatchOptions };

/** What a command line comes to; rejects with what commander says of it. */
export async function called(words: readonly string[]): Promise<Called> {
  const calls: Called[] = [];
  const note = (call: Called): Promise<void> => {
    calls.push(call);
    return Promise.resolve();
  };
  const commands: Commands = {
    status: (options) => note({ command: "status", options }),
    explain: (service, options) => note({ command: "explain", service, options }),
    map: (options) => note({ command: "map", options }),
    diff: (options) => note({ command: "diff", options }),
    whatif: (options) => note({ command: "whatif", options }),
    check: (options) => note({ command: "check", options }),
    watch: (options) => note({ command: "watch", options }),
    verify: () => Promise.resolve(),
    gather: () => Promise.resolve(),
  };
  const program = commandLine(commands);
  for (const each of [program, ...program.commands])
    each.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync(words, { from: "user" });
  const [call] = calls;
  if (call === undefined) throw new Error("no command was called");
  return call;
}

/** The options of `watch` that words come to. */
export async function watchOptions(words: readonly string[]): Promise<WatchOptions> {
  const call = await called(["watch", ...words]);
  if (call.command !== "watch") throw new Error("not watch");
  return call.options;
}
