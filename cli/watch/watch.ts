import { setFlagsFromString } from "node:v8";
import { textOfConfig } from "../../config/stack-file.ts";
import { locationOf } from "../stack/pulumi.ts";
import type { Chosen, StackOptions } from "../stack/stacks.ts";
import { MeshWatch } from "./cluster-watch.ts";
import { ControlLoop } from "./control-loop.ts";
import { dryRun, DryRunClusters, movedHostnames } from "./dry-run.ts";
import type { Observer } from "./events.ts";
import { KeptLists } from "./kept-lists.ts";
import { newsIn, sentenceOf, type Told } from "./log-line.ts";
import { watchMetrics } from "./metrics.ts";
import { Probers } from "./probers.ts";
import { serve } from "./server.ts";
import { StackRuns } from "./stack-runs.ts";

export interface WatchOptions extends StackOptions {
  readonly output: "text" | "json";
  /** The period is in milliseconds. */
  readonly resync: number;
  readonly listen?: { readonly host: string; readonly port: number };
}

// V8 would double the space for new objects to 128 MB, which stays, for the garbage of a dry run.
setFlagsFromString("--semi-space-growth-factor=1");

/** The period is in milliseconds. */
const hostnamePeriod = 30_000;
/** A prober needs some seconds to find a gateway dead. These milliseconds come on top. */
const proberPeriod = 3_000;
/** npm passes a Ctrl-C on that has reached this process already, within this many milliseconds. */
const deliberate = 1_000;
/** The platform may replace files in ways that it reports differently, as it does with mounted ConfigMaps. */
const configPeriod = 2_000;

/** Runs a stack whenever something that its mesh depends on changes, until a signal ends it. */
export async function watch(
  chosen: Chosen,
  { output, resync, listen }: WatchOptions,
): Promise<void> {
  const stop = new AbortController();
  const metrics = watchMetrics(resync);
  const lists = new KeptLists();
  let isReady = false;
  const told: Told = { last: new Map(), changed: new Set() };
  let hostnames: DryRunClusters["hostnames"] = new Map();
  const probers = new Probers();
  const observe: Observer = (event) => {
    metrics.observe(event);
    lists.observe(event);
    if (event.event === "dryRun") isReady = true;
    if (event.event === "triggered") loop.trigger(event.reason, event.gone);
    const time = new Date().toISOString();
    const news = newsIn(event, told);
    if (news === undefined) return;
    const sentence = sentenceOf(news);
    if (output === "json") process.stdout.write(`${JSON.stringify({ time, ...news })}\n`);
    else if (sentence !== undefined) process.stdout.write(`${time} ${sentence}\n`);
  };
  const stack = new StackRuns(locationOf(chosen, process.env), observe);
  const meshWatch = new MeshWatch({ observe, changed: lists.changed.bind(lists) });
  const loop = new ControlLoop({
    stack,
    meshWatch: {
      update: (sources) => {
        meshWatch.update(sources, stack.gates);
      },
    },
    observe,
    resync,
    dryRun: async (sources, isAnew) => {
      told.changed.clear();
      if (isAnew) lists.forget();
      const clusters = new DryRunClusters(stop.signal, lists);
      const result = await dryRun(sources, clusters, stack.gates);
      ({ hostnames } = clusters);
      probers.update(clusters.probers);
      if (result.sources.some(({ unreachable }) => Object.keys(unreachable).length > 0))
        lists.forget();
      // A watch that opens again leads to the next run. One that is open would lead to none.
      const away = Object.entries(result.away).filter(([cluster]) => !lists.watches(cluster));
      return { ...result, away: Object.fromEntries(away) };
    },
  });
  const isLive = () => !loop.isStuck;
  const server = listen && (await serve(listen, { isLive, isReady: () => isReady, metrics }));
  let stoppedAt = Infinity;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      // Supervisors may send several signals, and only a person means to end an update in the middle of its writes.
      const again = signal === "SIGINT" && performance.now() - stoppedAt > deliberate;
      stoppedAt = Math.min(stoppedAt, performance.now());
      stop.abort();
      stack.interrupt(again);
    });
  const resolving = setInterval(() => {
    void movedHostnames(hostnames).then((moved) => {
      for (const about of moved)
        observe({ event: "triggered", reason: "hostname", cluster: "", about });
    });
  }, hostnamePeriod);
  const asking = setInterval(() => {
    void probers.changed().then((changed) => {
      for (const { source, target } of changed) {
        const about = `what the prober of ${target} says`;
        observe({ event: "triggered", reason: "event", cluster: source, about });
      }
    });
  }, proberPeriod);
  let config = await textOfConfig(chosen, chosen.folder, process.env);
  const reading = setInterval(() => {
    void textOfConfig(chosen, chosen.folder, process.env).then((text) => {
      if (text === config) return;
      config = text;
      observe({ event: "triggered", reason: "config", cluster: "", about: "the config" });
    });
  }, configPeriod);
  try {
    await loop.run(stop.signal);
  } finally {
    clearInterval(reading);
    clearInterval(resolving);
    clearInterval(asking);
    await probers.close();
    await meshWatch.close();
    await server?.close();
  }
}
