import type { MeshConfig } from "../../config/mesh.ts";
import type { Facts } from "../facts.ts";
import type { Chosen, Said } from "../stacks.ts";
import type { FactsOptions } from "./options.ts";

/** What commands read; each loads that only when it is called, since a completion is to be there at once. */

type Which = Omit<FactsOptions, "output">;

/** The facts of each stack that options mean. */
export async function factsFor({ from, ...options }: Which): Promise<readonly Facts[]> {
  const { factsIn, readFacts } = await import("../read.ts");
  if (from !== undefined) return factsIn(from);
  const now = new Date();
  const stacks = await stacksOf(options);
  return Promise.all(stacks.map((each) => readFacts(each, process.env, now)));
}

export async function configFor(stack: Chosen): Promise<MeshConfig> {
  const { configOf } = await import("../../config/stack-file.ts");
  const { folder, ...choice } = stack;
  return configOf(choice, folder, process.env);
}

export async function stacksOf(said: Said): Promise<Chosen[]> {
  const { stacksFor } = await import("../stacks.ts");
  return stacksFor(said, process.cwd(), process.env);
}

export async function stackOf(said: Said): Promise<Chosen> {
  const { onlyStack } = await import("../stacks.ts");
  return onlyStack(await stacksOf(said));
}
