/** `npm run demo [-- scenario] [--keep]` shows on real clusters what this program does. */
import { parseArgs } from "node:util";

import { UserError } from "@linkerd-multicluster/engine/base";
import { Cleanup } from "../examples/demo/cleanup.ts";
import { play } from "../examples/demo/play.ts";
import type { Scenario } from "../examples/demo/scenario.ts";
import { federated } from "../examples/demo/scenarios/federated.ts";
import { statefulset } from "../examples/demo/scenarios/statefulset.ts";
import { playSeeds } from "../examples/demo/seeds.ts";
import { screenOn } from "../examples/demo/screen.ts";
import { complain } from "./complain.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const scenarios: Readonly<Record<string, Scenario>> = { statefulset, federated };
const guides = "seeds";
const names = [...Object.keys(scenarios), guides];
const USAGE = `Usage: npm run demo -- [${names.join(" | ")} [--watch]] [--keep]`;

const screen = screenOn(process.stdout);
const cleanup = new Cleanup();

const lastWords = await Promise.race([main(), interruption()]).catch(failed);
await cleanup.run().catch(failed);
if (lastWords !== undefined && process.exitCode === undefined)
  process.stdout.write(`${lastWords}\n`);
// What was interrupted in the middle may still be waiting for something.
process.exit();

async function main(): Promise<string> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      keep: { type: "boolean", default: false },
      watch: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [name = "statefulset", ...rest] = positionals;
  if (values.help) return USAGE;
  if (rest.length > 0) throw new UserError(USAGE);
  const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
  const choices = new Intl.ListFormat("en", { type: "disjunction" }).format(names);
  if (name === guides) {
    await playSeeds(screen, cleanup, values.watch);
    return nothingLeft();
  }
  if (values.watch) throw new UserError(USAGE);
  if (scenario === undefined)
    throw new UserError(`There is no scenario "${name}": choose ${choices}.`);
  await play(scenario, screen, cleanup, values.keep);
  // Node would end with nothing to wait for.
  if (values.keep) await new Promise(() => setInterval(() => undefined, 2 ** 31 - 1));
  return nothingLeft();
}

function nothingLeft(): string {
  return `\nThat took ${Math.round(performance.now() / 1000)} s, and nothing is left of it.`;
}

function failed(error: unknown): undefined {
  screen.close();
  process.stderr.write("\n");
  complain(error, USAGE);
}

/** Rejects when someone wants the demo to end. It needs a moment for that, even if they ask again. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    const interrupt = (): void => {
      reject(new UserError("Interrupted: everything the demo started is being stopped."));
    };
    for (const signal of SIGNALS) process.on(signal, interrupt);
    // A reader such as head closes the pipe once it has read enough.
    process.stdout.on("error", interrupt);
  });
}
