import { writeFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type MapFormat, mapFormats } from "../output.ts";
import { examples, type FactsOptions, fromOption, stackCommand, withoutOption } from "./options.ts";
import { factsFor, stackOf } from "./reading.ts";

interface MapOptions extends Omit<FactsOptions, "output"> {
  readonly output: MapFormat;
  readonly preview?: boolean;
  /** A file; absent: the standard output. */
  readonly to?: string;
}

export function addMap(program: Command): void {
  const command = stackCommand(program, "map", "draws the mesh and lists its mirrors, as one page")
    .addOption(formatOption())
    .option(...fromOption)
    .option("--preview", "mark what the next up would change")
    .option("--to <file>", "where to; the standard output")
    .addHelpText(
      "after",
      examples(
        ["map --to mesh.html", "a page without scripts, to look at and to send on"],
        ["map --preview --to next.html", "with what the next up would change"],
        ["map --output mermaid", "for a README"],
      ),
    )
    .action(run);
  withoutOption(command, "--state", "run gather, and use --from with its folder");
}

function formatOption(): Option {
  const option = new Option("-o, --output <format>", "what to make").choices(mapFormats);
  const { parseArg } = option;
  return option.default("html").argParser((format, before) => {
    if (format === "dot")
      throw new InvalidArgumentError(
        "map no longer writes dot: use svg, which Graphviz has drawn.",
      );
    return parseArg?.(format, before);
  });
}

async function run({ preview = false, to, output, ...options }: MapOptions): Promise<void> {
  const { mapOf } = await import("../map/map.ts");
  if (options.from === undefined) await stackOf(options);
  const [facts] = await factsFor(options);
  if (facts === undefined) return;
  const drawn = await mapOf(facts, preview, output);
  if (to === undefined) process.stdout.write(drawn);
  else writeFileSync(to, drawn);
}
