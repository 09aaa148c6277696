import { ControlLoop } from "./control-loop.ts";
import { dryRun, DryRunClusters } from "./dry-run.ts";
import type { Observer } from "./events.ts";
import { watchHostnames } from "./hostnames.ts";
import { sentenceOf } from "./log.ts";
import { MeshWatch } from "./mesh-watch.ts";
import { watchMetrics } from "./metrics.ts";
import { serve } from "./server.ts";
import { StackRuns } from "./stack-runs.ts";
import type { Chosen, StackOptions } from "../stacks.ts";

export interface WatchOptions extends StackOptions {
  readonly output: "text" | "json";
  /** In milliseconds. */
  readonly resync: number;
  readonly listen?: { readonly host: string; readonly port: number };
}

/** Runs a stack whenever something that its mesh depends on has changed, until it is ended. */
export async function watch(
  { folder, ...choice }: Chosen,
  { output, resync, listen }: WatchOptions,
): Promise<void> {
  const stop = new AbortController();
  const metrics = watchMetrics(resync);
  const print = printer(output);
  let isReady = false;
  const observe: Observer = (event) => {
    metrics.observe(event);
    if (event.event === "dryRun") isReady = true;
    // One line for each cluster and dry run, however often it changes.
    if (event.event !== "triggered" || loop.trigger(event.cluster)) print(event);
  };
  const program = { folder, variables: process.env };
  const stack = new StackRuns({ ...choice, ...program, observe });
  let hostnames = {};
  const meshWatch = new MeshWatch({ observe });
  const loop = new ControlLoop({
    stack,
    meshWatch,
    observe,
    resync,
    async dryRun(sources) {
      const found = await dryRun(sources, new DryRunClusters(stop.signal));
      ({ hostnames } = found);
      return found;
    },
  });
  const served = { isLive: () => !loop.isStuck, isReady: () => isReady, metrics };
  const server = listen && (await serve(listen, served));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      stop.abort();
      stack.interrupt();
    });
  const moved = (about: string) => {
    observe({ event: "triggered", reason: "hostname", cluster: "", about });
  };
  void watchHostnames({ known: () => hostnames, moved }, stop.signal);
  try {
    await loop.run(stop.signal);
  } finally {
    await meshWatch.update([]);
    await server?.close();
  }
}

/** Prints one line for each event to standard output. */
function printer(output: string): Observer {
  return (event) => {
    const time = new Date().toISOString();
    const sentence = sentenceOf(event);
    if (output === "json") process.stdout.write(`${JSON.stringify({ time, ...event })}\n`);
    else if (sentence !== undefined) process.stdout.write(`${time} ${sentence}\n`);
  };
}
