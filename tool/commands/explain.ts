import type { Command } from "commander";
import type { Documents } from "../documents.ts";
import { exitCode, written } from "../output.ts";
import { examples, factsCommand, type FactsOptions } from "./options.ts";
import { factsFor } from "./reading.ts";

export function addExplain(program: Command): void {
  factsCommand(program, "explain", "says where a Service is mirrored, and why not elsewhere")
    .argument("<service>", "namespace/name of a Service or of a mirror, or a name alone")
    .addHelpText(
      "after",
      examples(
        ["explain shop/web", "everywhere that it appears, and why not elsewhere"],
        ["explain shop/web-west", "the same, by the name of a mirror"],
      ),
    )
    .action(run);
}

async function run(service: string, options: FactsOptions): Promise<void> {
  const { explain, explanationText, isExplained } = await import("../explain.ts");
  const found = await factsFor(options);
  const all = found.map((facts) => explain(facts, service));
  const [only, ...more] = all.filter(({ services }) => services.length > 0);
  const stacks = more.length > 0 ? all : [only ?? all[0]].flatMap((each) => each ?? []);
  const table = () => stacks.map(explanationText).join("\n");
  const document: Documents["explain"] = { version: 1, stacks };
  process.stdout.write(written(document, options.output, table));
  if (!stacks.every(isExplained)) process.exitCode = exitCode.notInOrder;
}
