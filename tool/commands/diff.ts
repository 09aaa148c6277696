import type { StackLocation } from "@linkerd-multicluster/engine/watch";
import type { Command } from "commander";
import type { Documents } from "../documents.ts";
import { exitCode, type Format, written } from "../output.ts";
import type { Said } from "../stacks.ts";
import { examples, formatOption } from "./options.ts";
import { factsFor, stackOf } from "./reading.ts";

interface DiffOptions extends Omit<Said, "stack"> {
  readonly output: Format;
  /** None, one, or two to compare. */
  readonly stack: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly mirror?: string;
}

export function addDiff(program: Command): void {
  const several = (name: string, before: readonly string[]) => [...before, name];
  program
    .command("diff")
    .description("says which mirrors came, changed and went between updates, stacks or files")
    .option(
      "-s, --stack <name>",
      "which stack; twice: compare the last updates of both",
      several,
      [],
    )
    .option("--cwd <folder>", "the folder of its program")
    .option("--config-file <path>", "its config file, where it is not beside the program")
    .addOption(formatOption())
    .option("--from <side>", "an update (7, last, last-2), live, or a file of a state", "last")
    .option("--to <side>", "likewise", "live")
    .option("--mirror <name>", "instead: what has become of a mirror, update by update")
    .addHelpText(
      "after",
      examples(
        ["diff", "what is not as the last update has left it"],
        ["diff --from last-1 --to last", "what the last update has changed"],
        ["diff --mirror shop/web-west", "since when it is there, and by which run"],
        ["diff --stack prod --stack lab", "what one has and the other has not"],
      ),
    )
    .action(run);
}

async function run(options: DiffOptions): Promise<void> {
  const { stack: names, from, to, mirror, output, ...where } = options;
  const diff = await import("../diff.ts");
  const { stateNamed, updatesOf } = await import("../updates.ts");
  const called = async (name: string | undefined): Promise<StackLocation> => {
    const { folder, stack } = await stackOf({ ...where, stack: name });
    return { folder, variables: process.env, ...(stack !== undefined && { stack }) };
  };
  if (mirror !== undefined) {
    const changes = await diff.historyOf(await updatesOf(await called(names[0])), mirror);
    const document: Documents["diff --mirror"] = { version: 1, mirror, changes };
    process.stdout.write(written(document, output, () => diff.historyText(changes)));
    if (changes.length === 0) process.exitCode = exitCode.notInOrder;
    return;
  }
  const side = async (text: string, stack = names[0]) => {
    if (text === "live") {
      const [facts] = await factsFor({ ...where, ...(stack !== undefined && { stack }) });
      if (facts !== undefined) return diff.sideOfLive(facts);
    }
    const { name, exported } = await stateNamed(text, await called(stack));
    return diff.sideOfState(name, exported);
  };
  const [, other] = names;
  const document: Documents["diff"] = diff.difference(
    await side(from),
    other === undefined ? await side(to) : await side("last", other),
  );
  process.stdout.write(written(document, output, () => diff.differenceText(document)));
}
