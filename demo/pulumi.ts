import { configFile, newStack } from "../testbed/stack.ts";
import type { DemoBed } from "./bed.ts";
import type { Cleanup } from "./cleanup.ts";
import { DemoError } from "./errors.ts";
import { readable } from "./pulumi-output.ts";
import type { Screen } from "./screen.ts";

/** `pulumi` with this repository's program and the stack `demo`, on the screen. */
export interface Pulumi {
  /** Besides the bed's: they let `pulumi preview` find the stack and its config. */
  readonly settings: Readonly<Record<string, string>>;
  readonly config: string;
  /** Runs the command and shows it with what it prints. */
  run(...words: readonly string[]): Promise<void>;
}

export async function pulumiFor(
  bed: DemoBed,
  config: Readonly<Record<string, unknown>>,
  screen: Screen,
  cleanup: Cleanup,
): Promise<Pulumi> {
  const stack = await newStack(bed, "demo", config);
  const variables = {
    PULUMI_OPTION_COLOR: screen.colored ? "always" : "never",
    PULUMI_OPTION_SUPPRESS_PERMALINK: "true",
    PULUMI_OPTION_SUPPRESS_PROGRESS: "true",
  };
  return {
    settings: stack.settings,
    config: configFile(config).trimEnd(),
    async run(...words) {
      screen.command(`pulumi ${words.join(" ")}`);
      const interruption = new AbortController();
      const show = (line: string): void => {
        const text = readable(line);
        if (text !== undefined) screen.output(text);
      };
      const options = { show, signal: interruption.signal, variables };
      const running = stack.run(words, options);
      const ended = cleanup.add(async () => {
        interruption.abort();
        await running;
      });
      const { code } = await running;
      ended();
      if (code !== 0)
        throw new DemoError(`"pulumi ${words.join(" ")}" failed: what it says about it is above.`);
    },
  };
}
