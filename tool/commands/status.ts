import type { Command } from "commander";
import type { Documents } from "../documents.ts";
import { exitCode, written } from "../output.ts";
import { duration, examples, factsCommand, type FactsOptions } from "./options.ts";
import { factsFor } from "./reading.ts";

interface StatusOptions extends FactsOptions {
  /** In milliseconds; absent: it is not waited. */
  readonly wait?: number;
  readonly watch?: boolean;
}

export function addStatus(program: Command): void {
  factsCommand(program, "status", "shows links, clusters, federated Services and the next up")
    .option("--wait <duration>", "return when everything is in order, or fail after this", duration)
    .option("--watch", "show it anew every few seconds")
    .addHelpText(
      "after",
      examples(
        ["status", "one screen about the stack of this folder"],
        ["status --stack prod --wait 5m", "after an up: until everything is in order"],
        ["status --from bundle", "what gather has written, without asking a cluster"],
      ),
    )
    .action(run);
}

/** Seconds between two looks of `--watch` and `--wait`. */
const interval = 3;

async function run({ wait, watch = false, ...options }: StatusOptions): Promise<void> {
  const { statusOf, statusTable } = await import("../status.ts");
  const until = wait === undefined ? undefined : Date.now() + wait;
  for (;;) {
    const found = await factsFor(options);
    const stacks = found.map(statusOf);
    const isInOrder = stacks.every(({ inOrder }) => inOrder);
    const isLast = watch ? false : until === undefined || isInOrder || Date.now() >= until;
    if (watch || isLast) {
      if (watch && process.stdout.isTTY) process.stdout.write("\u001B[2J\u001B[H");
      const table = () => stacks.map(statusTable).join("\n");
      const document: Documents["status"] = { version: 1, stacks };
      process.stdout.write(written(document, options.output, table));
    }
    if (isLast) {
      if (stacks.some(({ inOrder }) => !inOrder)) process.exitCode = exitCode.notInOrder;
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, interval * 1000));
  }
}
