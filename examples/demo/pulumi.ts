import { stripVTControlCharacters } from "node:util";

import { UserError } from "@linkerd-multicluster/engine/base";
import type { EngineParts } from "../../tests/bed/pulumi.ts";
import { configFile, newStack } from "../../tests/bed/stack.ts";
import type { Cleanup } from "./cleanup.ts";
import type { Screen } from "./screen.ts";

export type Pulumi = Awaited<ReturnType<typeof pulumiFor>>;

/** Runs `pulumi` with this repository's program and the stack `demo`, on the screen. */
export async function pulumiFor(
  bed: EngineParts,
  config: Readonly<Record<string, unknown>>,
  screen: Screen,
  cleanup: Cleanup,
) {
  const stack = await newStack(bed, "demo", config);
  const variables = {
    PULUMI_OPTION_COLOR: screen.colored ? "always" : "never",
    PULUMI_OPTION_SUPPRESS_PERMALINK: "true",
    PULUMI_OPTION_SUPPRESS_PROGRESS: "true",
  };
  const show = (line: string): void => {
    const text = readable(line);
    if (text !== undefined) screen.output(text);
  };
  return {
    /** Variables by which `pulumi preview` finds the stack and its config. */
    settings: stack.settings,
    config: configFile(config).trimEnd(),
    async run(...words: readonly string[]) {
      screen.command(`pulumi ${words.join(" ")}`);
      const interruption = new AbortController();
      const running = stack.run(words, { show, signal: interruption.signal, variables });
      const ended = cleanup.add(async () => {
        interruption.abort();
        await running;
      });
      const { code } = await running;
      ended();
      if (code !== 0)
        throw new UserError(`"pulumi ${words.join(" ")}" failed: what it says about it is above.`);
    },
  };
}

/** Pulumi prints these lines for those who watch it live or in its cloud. */
const NOISE = [
  /warning: using .* from \$PATH/,
  // Another line says how "updating...." and a resource under way ended.
  /^@ /,
  /^([^\w\s]+ +)?\S+ \S+ (creating|updating|replacing|deleting) \(/,
  // Messages of the stack itself stand under "Diagnostics" too.
  /^pulumi:pulumi:Stack [^\s(]+( running .*| +\d+ messages?)?$/,
  // The demo's stack goes with its clusters.
  /^The resources in the stack have been deleted, but/,
  /^If you want to remove the stack completely, run/,
];

/** Returns a line of Pulumi's output as it is worth showing. */
function readable(line: string): string | undefined {
  const text = stripVTControlCharacters(line).trim();
  if (NOISE.some((noise) => noise.test(text))) return undefined;
  // The types of a resource's parents, which stand right above it, would fill a line and more.
  return line.trimEnd().replace(/\[urn=urn:\S*::([^\s:\]]+)\]/, "[urn=...::$1]");
}
