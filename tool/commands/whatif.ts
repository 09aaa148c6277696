import type { Command } from "commander";
import type { Documents } from "../documents.ts";
import { exitCode, written } from "../output.ts";
import { examples, factsCommand, type FactsOptions } from "./options.ts";
import { factsFor } from "./reading.ts";

interface WhatIfOptions extends FactsOptions {
  readonly lose: string;
}

export function addWhatIf(program: Command): void {
  factsCommand(
    program,
    "whatif",
    "says which mirrors become unavailable or degraded, if something is lost",
  )
    .requiredOption("--lose <what>", "a cluster, gateway/west, link/east/west, namespace/west/shop")
    .addHelpText(
      "after",
      examples(
        ["whatif --lose west", "before a maintenance of the cluster west"],
        ["whatif --lose link/east/west", "the mirrors in east of what is in west"],
      ),
    )
    .action(run);
}

async function run({ lose, ...options }: WhatIfOptions): Promise<void> {
  const { lossIn, whatIf, whatIfText } = await import("../whatif.ts");
  const found = await factsFor(options);
  const stacks = found.map((facts) => whatIf(facts, lossIn(lose, facts)));
  const document: Documents["whatif"] = { version: 1, stacks };
  process.stdout.write(written(document, options.output, () => stacks.map(whatIfText).join("\n")));
  if (stacks.some(({ undecided = [] }) => undecided.length > 0))
    process.exitCode = exitCode.notInOrder;
}
