/** `npm run bed -- up|down|status`: a test bed to play with by hand. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { type Running, ask } from "../testbed/by-hand.ts";
import { BedError, complain } from "../testbed/errors.ts";
import type { Outcome } from "../testbed/serve.ts";
import { ensureTools } from "../testbed/tools.ts";

const USAGE = "Usage: npm run bed -- up [cluster names, default: west east] | down | status";

try {
  await main();
} catch (error) {
  complain(error, USAGE);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: "boolean", short: "h" } },
  });
  const [command, ...rest] = positionals;
  if (values.help === true) console.log(USAGE);
  else if (command === "up") await up(rest);
  else if (command === "down" && rest.length === 0) await down();
  else if (command === "status" && rest.length === 0) await status();
  else
    throw new BedError(
      command === undefined ? USAGE : `Unknown: ${positionals.join(" ")}. ${USAGE}`,
    );
}

/** What is to be pasted into a shell goes to standard output, all else to standard error: `eval "$(...)"` works too. */
async function up(names: readonly string[]): Promise<void> {
  const present = await ask("status");
  if (present === undefined) {
    const started = performance.now();
    // Here, and not in the background, so that its progress can be seen.
    await (
      await ensureTools()
    ).coredns;
    printExports(await startInBackground(names.length > 0 ? names : ["west", "east"]));
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.error(
      `Up in ${seconds} s. Paste the lines above; "npm run bed -- down" removes it all.`,
    );
    return;
  }
  const running = present.clusters.map(({ name }) => name);
  if (names.length > 0 && names.join() !== running.join()) {
    throw new BedError(
      `A test bed is running already, with ${running.join(", ")}: "npm run bed -- down" stops it.`,
    );
  }
  printExports(present);
}

async function down(): Promise<void> {
  console.log(
    (await ask("stop")) === undefined ? "No test bed is running." : "Stopped and removed.",
  );
}

async function status(): Promise<void> {
  const running = await ask("status");
  if (running === undefined) {
    console.log("No test bed is running.");
    return;
  }
  for (const { name, server, ready } of running.clusters) {
    console.log(`${name}  ${server}  ${ready ? "ready" : "not ready"}`);
  }
  console.log(`logs  ${join(running.folder, "clusters")}`);
  printExports(running);
}

async function startInBackground(names: readonly string[]): Promise<Running> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "..", "testbed", "serve.ts"), ...names],
    {
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    },
  );
  const outcome = new Promise<Outcome>((resolve) => child.once("message", resolve));
  const ended = once(child, "exit").then((): Outcome => ({
    problem: "The process of the test bed ended without a word.",
  }));
  const result = await Promise.race([outcome, ended]);
  if ("problem" in result) throw new BedError(result.problem);
  child.unref();
  return result.running;
}

function printExports({ path, settings }: Running): void {
  for (const [name, value] of Object.entries(settings)) {
    console.log(`export ${name}=${quoted(value)}`);
  }
  console.log(`export PATH=${path.map(quoted).join(":")}:"$PATH"`);
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}
