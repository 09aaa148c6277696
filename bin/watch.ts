/** `npm run watch`: runs a stack whenever something that its mesh depends on has changed, until it is ended. */
import { isIP } from "node:net";
import { parseDuration, systemTime } from "@linkerd-multicluster/engine/kubernetes";
import {
  ControlLoop,
  DryRunner,
  Hostnames,
  limited,
  MeshWatch,
  type Observer,
  sentenceOf,
  serve,
  StackRuns,
  watchMetrics,
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
 * Reads the command line: the stack, `resync` in milliseconds, and where to listen, if anywhere.
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
  return {
    ...{ help, output, resync: milliseconds },
    ...(listen !== undefined && { listen: addressIn(listen) }),
    ...stackIn(choice),
  };
}

/** Reads `127.0.0.1:9464` or `[::1]:9464`. Without an IP nobody would know who is let in. */
function addressIn(listen: string): { readonly host: string; readonly port: number } {
  const { bracketed, plain, port } =
    /^(?:\[(?<bracketed>[^\]]+)\]|(?<plain>[^:]+)):(?<port>\d{1,5})$/.exec(listen)?.groups ?? {};
  const host = bracketed ?? plain ?? "";
  if (isIP(host) !== (bracketed === undefined ? 4 : 6) || Number(port) > 65_535)
    throw new Error(
      `--listen is ${JSON.stringify(listen)}; it must be an IP and a port, as 127.0.0.1:9464 or [::]:9464.`,
    );
  return { host, port: Number(port) };
}

async function main(): Promise<void> {
  const { help, output, resync, listen, ...choice } = optionsIn(process.argv.slice(2));
  if (help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const stop = new AbortController();
  const metrics = watchMetrics(resync);
  const print = limited(printer(output), systemTime);
  let isReady = false;
  const observe: Observer = (event) => {
    print(event);
    metrics.observe(event);
    if (event.event === "dryRun") isReady = true;
    if (event.event === "triggered") loop.trigger(event.cluster);
  };
  const program = { folder: process.cwd(), variables: process.env };
  const stack = new StackRuns({ ...choice, ...program, observe });
  const hostnames = new Hostnames();
  const dryRunner = new DryRunner(hostnames.remember.bind(hostnames));
  const meshWatch = new MeshWatch({ observe });
  const loop = new ControlLoop({ stack, dryRunner, meshWatch, observe, resync });
  const served = { isLive: () => !loop.isStuck, isReady: () => isReady, metrics };
  const server = listen && (await serve(listen, served));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      stop.abort();
      dryRunner.close();
      stack.interrupt();
    });
  void hostnames.watch((about) => {
    observe({ event: "triggered", reason: "hostname", cluster: "", about });
  }, stop.signal);
  try {
    await loop.run(stop.signal);
  } finally {
    dryRunner.close();
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

await runIfStarted(import.meta.filename, main);
