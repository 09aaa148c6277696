import type { Bed } from "../../testbed/bed.ts";
import { type Config, newStack as newPulumiStack } from "../../testbed/stack.ts";

export type { Config };

/** `pulumi` with this repository's program, and a stack that is nowhere but in the bed. */
export interface Stack {
  configure(config: Config): Promise<void>;
  /** What it prints; that is also in the error where it fails. */
  pulumi(...words: readonly string[]): Promise<string>;
}

export async function newStack(bed: Bed<string>, name: string, config: Config): Promise<Stack> {
  const stack = await newPulumiStack(bed, name, config);
  return {
    configure: (config) => stack.configure(config),
    async pulumi(...words) {
      const { code, text } = await stack.pulumi(words);
      if (code !== 0) throw new Error(`pulumi ${words.join(" ")} failed:\n${text}`);
      return text;
    },
  };
}
