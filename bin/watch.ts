/** `npm run watch`: runs a stack whenever something that its mesh depends on has changed, until it is ended. */
import { listenAddressIn } from "../automation/listen-address.ts";
import { WatchMetrics } from "../automation/metrics.ts";
import { serveObservability } from "../automation/observability-server.ts";
import { PulumiCli } from "../automation/pulumi-cli.ts";
import { RunRecords, recordFolder } from "../automation/run-record.ts";
import { PulumiRuns } from "../automation/stack-runs.ts";
import { parseDuration, systemTime } from "@linkerd-multicluster/engine/kubernetes";
import {
  Convergence,
  limited,
  Lookout,
  MeshWatch,
  type Observer,
  sentenceOf,
} from "@linkerd-multicluster/engine/watch";
import { commonOptions, runIfStarted, stackIn, valuesIn } from "./command-line.ts";

const usage =
  "Usage: npm run watch -- [--stack NAME] [--config-file PATH] [--resync 10m] [--output text|json] [--listen 127.0.0.1:9464]";

const options = {
  ...commonOptions,
  output: { type: "string", short: "o", default: "text" },
  resync: { type: "string", default: "10m" },
  listen: { type: "string" },
} as const;

/**
 * What the command line says: the stack, `resync` in milliseconds, and where to listen, if anywhere.
 *
 * @throws Error whose message is the one sentence to print
 */
export function optionsIn(args: readonly string[]) {
  const { help, output, resync, listen, ...choice } = valuesIn(args, { options, usage });
  if (output !== "text" && output !== "json")
    throw new Error(`--output is ${JSON.stringify(output)}; it must be text or json.`);
  const milliseconds = parseDuration(resync);
  if (milliseconds === undefined || milliseconds < 60_000)
    throw new Error(
      `--resync is ${JSON.stringify(resync)}; it must be a duration of a minute or more, as 10m or 1h30m.`,
    );
  const address = listen === undefined ? undefined : listenAddressIn(listen);
  if (listen !== undefined && address === undefined)
    throw new Error(
      `--listen is ${JSON.stringify(listen)}; it must be an IP and a port, as 127.0.0.1:9464 or [::]:9464.`,
    );
  return {
    ...{ help, output, resync: milliseconds },
    ...(address !== undefined && { listen: address }),
    ...stackIn(choice),
  };
}

async function main(): Promise<void> {
  const { help, output, resync, listen, ...choice } = optionsIn(process.argv.slice(2));
  if (help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const stop = new AbortController();
  const time = systemTime;
  const print = limited(printer(output), time);
  const metrics = new WatchMetrics({ resync });
  let isReady = false;
  const observe: Observer = (event) => {
    print(event);
    metrics.observe(event);
    if (event.event === "looked") isReady = true;
  };
  const records = new RunRecords(recordFolder(process.env));
  const cli = new PulumiCli({ ...choice, folder: process.cwd(), variables: process.env });
  const stack = new PulumiRuns({ cli, records, observe });
  const lookout = new Lookout();
  const meshWatch = new MeshWatch({
    time,
    observe: (event) => {
      observe(event);
      if (event.event === "triggered") convergence.trigger(event.cluster);
    },
  });
  const convergence = new Convergence({ stack, lookout, meshWatch, observe, time, resync });
  const observable = {
    isLive: () => !convergence.isStuck,
    isReady: () => isReady,
    metrics,
  };
  const server = listen && (await serveObservability(listen, observable));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      stop.abort();
      lookout.close();
      stack.interrupt();
    });
  try {
    await convergence.run(stop.signal);
  } finally {
    lookout.close();
    await meshWatch.stop();
    await server?.close();
  }
}

/** To standard output, one line for each event. */
function printer(output: string): Observer {
  return (event) => {
    const time = new Date().toISOString();
    const sentence = sentenceOf(event);
    if (output === "json") process.stdout.write(`${JSON.stringify({ time, ...event })}\n`);
    else if (sentence !== undefined) process.stdout.write(`${time} ${sentence}\n`);
  };
}

await runIfStarted(import.meta.filename, main);
