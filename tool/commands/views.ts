import { writeFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Documents } from "../documents.ts";
import { exitCode, type MapFormat, mapFormats, written } from "../output.ts";
import {
  duration,
  examples,
  factsCommand,
  type FactsOptions,
  fromOption,
  stackCommand,
  withoutOption,
  factsFor,
  stackOf,
} from "./options.ts";

/** The commands that show the facts of a mesh. */

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
    .action(showStatus);
}

/** Seconds between two looks of `--watch` and `--wait`. */
const interval = 3;

async function showStatus({ wait, watch = false, ...options }: StatusOptions): Promise<void> {
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
    .action(explainService);
}

async function explainService(service: string, options: FactsOptions): Promise<void> {
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

interface MapOptions extends Omit<FactsOptions, "output"> {
  readonly output: MapFormat;
  readonly preview?: boolean;
  /** A file; absent: the standard output. */
  readonly to?: string;
}

export function addMap(program: Command): void {
  const command = stackCommand(program, "map", "draws the mesh and lists its mirrors, as one page")
    .addOption(mapFormatOption())
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
    .action(drawMap);
  withoutOption(command, "--state", "run gather, and use --from with its folder");
}

function mapFormatOption(): Option {
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

async function drawMap({ preview = false, to, output, ...options }: MapOptions): Promise<void> {
  const { mapOf } = await import("../map/map.ts");
  if (options.from === undefined) await stackOf(options);
  const [facts] = await factsFor(options);
  if (facts === undefined) return;
  const drawn = await mapOf(facts, preview, output);
  if (to === undefined) process.stdout.write(drawn);
  else writeFileSync(to, drawn);
}

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
    .action(whatIfLost);
}

async function whatIfLost({ lose, ...options }: WhatIfOptions): Promise<void> {
  const { lossIn, whatIf, whatIfText } = await import("../whatif.ts");
  const found = await factsFor(options);
  const stacks = found.map((facts) => whatIf(facts, lossIn(lose, facts)));
  const document: Documents["whatif"] = { version: 1, stacks };
  process.stdout.write(written(document, options.output, () => stacks.map(whatIfText).join("\n")));
  if (stacks.some(({ undecided = [] }) => undecided.length > 0))
    process.exitCode = exitCode.notInOrder;
}
