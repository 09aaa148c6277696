import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Documents } from "../documents.ts";
import type { Status } from "../views/status.ts";
import { type MapFormat, mapFormats, print } from "../output.ts";
import {
  duration,
  factsCommand,
  type FactsOptions,
  fromOption,
  stackCommand,
  factsFor,
  stackOf,
} from "./options.ts";

interface StatusOptions extends FactsOptions {
  /** The time is in milliseconds. */
  readonly wait?: number;
  readonly watch?: boolean;
  readonly traffic?: readonly string[];
}

export function addStatus(program: Command): void {
  factsCommand(program, "status", "Show links, clusters, federated Services and the next up", [
    ["status", "the stack of this folder on one screen"],
    ["status --stack prod --wait 5m", "after an up, until everything is ok"],
    ["status --from bundle", "a support bundle, without reading clusters"],
    ["status --traffic http://localhost:9090", "with requests of each link and mirror"],
  ])
    .option("--wait <duration>", "return once everything is ok, or fail after this", duration)
    .option("--watch", "refresh every few seconds")
    .option(
      "--traffic <[source=]url>",
      "show requests of the last 5 minutes, from the Prometheus of each source",
      (value: string, others?: readonly string[]) => [...(others ?? []), value],
    )
    .action(showStatus);
}

/** With `--watch`, the status is printed again after this many seconds. */
const interval = 3;

async function showStatus(given: StatusOptions): Promise<void> {
  const { wait, watch = false, traffic, ...options } = given;
  const { statusOf, statusTable } = await import("../views/status.ts");
  if (traffic !== undefined && options.from === undefined) await stackOf(options);
  const until = Date.now() + (wait ?? 0);
  for (;;) {
    const facts = await factsFor(options);
    const stacks = await Promise.all(facts.map((each) => withTraffic(statusOf(each), traffic)));
    const isOk = stacks.every(({ ok }) => ok);
    const isDone = isOk || Date.now() >= until;
    if (watch && process.stdout.isTTY) process.stdout.write("\u001B[2J\u001B[H");
    const document: Documents["status"] = { version: 1, stacks };
    if (watch || isDone)
      print(document, options.output, () => stacks.map(statusTable).join("\n"), isOk);
    if (isDone && !watch) return;
    await sleep(interval * 1000);
  }
}

async function withTraffic(status: Status, values?: readonly string[]): Promise<Status> {
  if (values === undefined) return status;
  const { prometheusesOf } = await import("../traffic/sources.ts");
  const { trafficOf } = await import("../traffic/traffic.ts");
  return {
    ...status,
    traffic: await trafficOf(status, prometheusesOf(values, status, process.env)),
  };
}

export function addExplain(program: Command): void {
  factsCommand(program, "explain", "Show where a Service is mirrored, and why not elsewhere", [
    ["explain shop/web", "every cluster, with reasons"],
    ["explain shop/web-west", "the same by the name of a mirror"],
  ])
    .argument("<service>", "namespace/name of a Service or of a mirror, or a name alone")
    .action(explainService);
}

async function explainService(service: string, options: FactsOptions): Promise<void> {
  const { explain, isExplained } = await import("../views/explain.ts");
  const { explanationText } = await import("../views/explanation-text.ts");
  const all = await factsFor(options, { mirrorsOnly: true });
  const explained = all.map((facts) => explain(facts, service));
  const found = explained.filter(({ services }) => services.length > 0);
  const stacks = found.length > 0 ? found : explained.slice(0, 1);
  const document: Documents["explain"] = { version: 1, stacks };
  const text = () => stacks.map(explanationText).join("\n");
  print(document, options.output, text, stacks.every(isExplained));
}

interface MapOptions extends Omit<FactsOptions, "output"> {
  readonly output: MapFormat;
  readonly preview?: boolean;
  readonly to?: string;
}

export function addMap(program: Command): void {
  stackCommand(program, "map", "Draw the mesh and list its mirrors on one page", [
    ["map --to mesh.html", "a page without scripts that you can share"],
    ["map --preview --to next.html", "with what the next up would change"],
    ["map --output mermaid", "for a README"],
  ])
    .addOption(
      new Option("-o, --output <format>", "output format").choices(mapFormats).default("html"),
    )
    .option(...fromOption)
    .option("--preview", "mark what the next up would change")
    .option("--to <file>", "output file (default: standard output)")
    .action(drawMap);
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
  factsCommand(program, "whatif", "Show which mirrors a loss makes unavailable or degraded", [
    ["whatif --lose west", "before maintenance of cluster west"],
    ["whatif --lose link/east/west", "mirrors in east of Services in west"],
  ])
    .requiredOption(
      "--lose <what>",
      "west, gateway/west, link/east/west or namespace/west/shop",
      (what: string, before: string | undefined) => {
        if (before === undefined) return what;
        throw new InvalidArgumentError("Only one loss can be named.");
      },
    )
    .action(whatIfLost);
}

async function whatIfLost({ lose, ...options }: WhatIfOptions): Promise<void> {
  const { lossIn, whatIf, whatIfText } = await import("../views/whatif.ts");
  const found = await factsFor(options, { mirrorsOnly: true });
  const stacks = found.map((facts) => whatIf(facts, lossIn(lose, facts)));
  const document: Documents["whatif"] = { version: 1, stacks };
  const isDecided = stacks.every(({ undecided = [] }) => undecided.length === 0);
  print(document, options.output, () => stacks.map(whatIfText).join("\n"), isDecided);
}
