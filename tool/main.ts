import { readFileSync, writeFileSync } from "node:fs";
import complete from "@bomb.sh/tab/commander";
import { CommanderError } from "commander";
import { defined } from "@linkerd-multicluster/engine/kubernetes";
import { type Commands, commandLine, type FactsOptions } from "./command-line.ts";
import type { Documents } from "./documents.ts";
import type { Facts } from "./facts.ts";
import { exitCode, written } from "./output.ts";
import type { StackLocation } from "./pulumi.ts";
import type { RequestOptions } from "./request.ts";
import type { Chosen, Said } from "./stacks.ts";

/** Seconds between two looks of `--watch` and `--wait`. */
const interval = 3;

/** Each loads what it takes only when it is called: a completion is to be there at once. */
const commands: Commands = {
  async status({ wait, watch = false, ...options }) {
    const { statusOf, statusTable } = await import("./status.ts");
    const until = wait === undefined ? undefined : Date.now() + wait;
    for (;;) {
      const found = await factsFor(options);
      const stacks = found.map(statusOf);
      const isInOrder = stacks.every(({ inOrder }) => inOrder === true);
      const isLast = watch ? false : until === undefined || isInOrder || Date.now() >= until;
      if (watch || isLast) {
        if (watch && process.stdout.isTTY) process.stdout.write("\u001B[2J\u001B[H");
        const table = () => stacks.map(statusTable).join("\n");
        const document: Documents["status"] = { version: 1, stacks };
        process.stdout.write(written(document, options.output, table));
      }
      if (isLast) {
        if (until !== undefined && !isInOrder) process.exitCode = exitCode.notInOrder;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, interval * 1000));
    }
  },
  async explain(service, options) {
    const { explain, explanationText } = await import("./explain.ts");
    const found = await factsFor(options);
    const all = found.map((facts) => ({ facts, explanation: explain(facts, service) }));
    const [only, ...more] = all.filter(({ explanation }) => explanation.services.length > 0);
    const shown = more.length > 0 ? all : [only ?? all[0]].flatMap((each) => each ?? []);
    const table = () =>
      shown.map(({ facts, explanation }) => explanationText(explanation, facts.from)).join("\n");
    const data: Documents["explain"] = {
      version: 1,
      stacks: shown.map(({ explanation }) => explanation),
    };
    process.stdout.write(written(data, options.output, table));
    if (only === undefined) process.exitCode = exitCode.notInOrder;
  },
  async verify({ dry, request, image, echo, echoPort, namespace, timeout, ...rest }) {
    const { service, ...options } = rest;
    if (request === true) {
      if (image === undefined)
        throw new Error("Name the client's image: --image curlimages/curl:8.20.0");
      const how = { image, echoPort, timeout, ...defined({ echo, namespace, service }) };
      await sendRequests(how, options);
      return;
    }
    if (dry !== true)
      throw new Error("Say --dry, which reads objects alone, or --request, which makes pods.");
    const { verify, verificationText } = await import("./verify.ts");
    const found = await factsFor(options);
    const all = found.map((facts) => verify(facts, service));
    const table = () => all.map(verificationText).join("\n");
    const document: Documents["verify --dry"] = { version: 1, stacks: all };
    process.stdout.write(written(document, options.output, table));
    const chains = all.flatMap((each) => each.chains);
    if (chains.length === 0 || chains.some(({ broken }) => broken !== undefined))
      process.exitCode = exitCode.notInOrder;
  },
  async map({ preview = false, to, output, ...options }) {
    const { mapOf } = await import("./map/map.ts");
    if (options.from === undefined) await stackOf(options);
    const [facts] = await factsFor(options);
    if (facts === undefined) return;
    const drawn = await mapOf(facts, preview, output);
    if (to === undefined) process.stdout.write(drawn);
    else writeFileSync(to, drawn);
  },
  async diff({ stack: names, from, to, mirror, output, ...where }) {
    const diff = await import("./diff.ts");
    const { stateNamed, updatesOf } = await import("./updates.ts");
    const called = async (name: string | undefined): Promise<StackLocation> => {
      const { folder, stack } = await stackOf({ ...where, stack: name });
      return { folder, variables: process.env, ...(stack !== undefined && { stack }) };
    };
    if (mirror !== undefined) {
      const changes = await diff.historyOf(await updatesOf(await called(names[0])), mirror);
      const table = () => diff.historyText(changes);
      const document: Documents["diff --mirror"] = { version: 1, mirror, changes };
      process.stdout.write(written(document, output, table));
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
    const found = diff.difference(
      await side(from),
      other === undefined ? await side(to) : await side("last", other),
    );
    process.stdout.write(written(found, output, () => diff.differenceText(found)));
  },
  async whatif({ lose, ...options }) {
    const { lossIn, whatIf, whatIfText } = await import("./whatif.ts");
    const [found, workloads] = await Promise.all([factsFor(options), workloadsFor(options)]);
    const stacks = found.map((facts, index) =>
      whatIf(facts, lossIn(lose, facts), workloads[index]),
    );
    const table = () => stacks.map(whatIfText).join("\n");
    const document: Documents["whatif"] = { version: 1, stacks };
    process.stdout.write(written(document, options.output, table));
  },
  async check(options) {
    const { check } = await import("./check.ts");
    await check(options);
  },
  async watch(options) {
    const { watch } = await import("./watch.ts");
    await watch(await stackOf(options), options);
  },
  async gather({ to, ...options }) {
    const { gather } = await import("./gather.ts");
    process.stdout.write(await gather(await stackOf(options), to, process.env, new Date()));
  },
};

/** Never rejects: an error is a sentence, and a usage that there is not has one of commander's. */
export async function main(argv: readonly string[]): Promise<void> {
  // Whoever has read enough, as head has, has not made a mistake.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  const manifest = new URL("../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  const program = commandLine(commands, version);
  for (const each of [program, ...program.commands]) each.exitOverride();
  complete(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    // It has printed what is wrong, or the help that was asked for.
    if (error instanceof CommanderError)
      process.exitCode = error.exitCode === 0 ? exitCode.fine : exitCode.failed;
    else {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = exitCode.failed;
    }
  }
}

async function factsFor({
  from,
  state,
  ...options
}: Omit<FactsOptions, "output">): Promise<Facts[]> {
  const { factsIn, readFacts } = await import("./read.ts");
  if (from !== undefined) return [factsIn(from)];
  const reading = { ...(state === true && { state }) };
  const now = new Date();
  const stacks = await stacksOf(options);
  return Promise.all(stacks.map((each) => readFacts(each, reading, process.env, now)));
}

/** What runs in the clusters of each of the same stacks; of none where clusters are not to be asked. */
async function workloadsFor({ from, state, ...options }: Omit<FactsOptions, "output">) {
  if (from !== undefined || state === true) return [];
  const { readWorkloadsOf } = await import("./read.ts");
  return Promise.all((await stacksOf(options)).map((each) => readWorkloadsOf(each, process.env)));
}

/** Ctrl-C ends it too once everything that was made is removed. */
async function sendRequests(
  how: RequestOptions,
  { output, ...options }: FactsOptions,
): Promise<void> {
  const { requestThrough } = await import("./read.ts");
  const { requestsText } = await import("./probe.ts");
  const [facts] = await factsFor(options);
  if (facts === undefined) return;
  const ended = new AbortController();
  const end = () => {
    ended.abort(new Error("Interrupted; everything that was made is removed."));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
  const found = await requestThrough(await stackOf(options), facts, how, ended.signal, process.env);
  process.stdout.write(written(found, output, () => requestsText(found)));
  if (found.answers.length === 0 || found.answers.some(({ answered }) => !answered))
    process.exitCode = exitCode.notInOrder;
}

async function stacksOf(said: Said): Promise<Chosen[]> {
  const { stacksFor } = await import("./stacks.ts");
  return stacksFor(said, process.cwd(), process.env);
}

async function stackOf(said: Said): Promise<Chosen> {
  const { onlyStack } = await import("./stacks.ts");
  return onlyStack(await stacksOf(said));
}
