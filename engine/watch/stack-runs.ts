import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, createReadStream, openSync, readFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { parse } from "../kubernetes/objects/checks.ts";
import type { Inputs } from "../mirroring/model/state.ts";
import type { Observer, RunEnd } from "./events.ts";
import { locksIn, RunRecords } from "./lock.ts";
import { notRun, pulumi, type StackLocation, stackOption, unattended } from "./pulumi.ts";
import { stackStateIn } from "./stack-state.ts";

/** Errors that are passed on, and characters of each. */
const mostErrors = 5;
const longestError = 2_000;

export interface StackRunsSettings extends StackLocation {
  /** Path of the stack's config file. */
  readonly configFile?: string;
  readonly observe: Observer;
}

/** Runs a stack by Pulumi's CLI, from PATH, and clears the lock that a run of a killed watch has left. */
export class StackRuns {
  readonly #settings: StackRunsSettings;
  readonly #records: RunRecords;
  #isInterrupted = false;
  #interrupt: () => void = () => undefined;
  /** The URN of each source's mirrors in the state. */
  #urns: ReadonlyMap<string, string> = new Map();

  constructor(settings: StackRunsSettings) {
    const { folder, stack, variables } = settings;
    this.#settings = settings;
    // Tells the stack from others, as far as its name is known here: one that is selected has none.
    const { PULUMI_STACK = "", PULUMI_BACKEND_URL = "" } = variables;
    const name = [folder, stack ?? PULUMI_STACK, PULUMI_BACKEND_URL].join("\n");
    this.#records = new RunRecords(name, variables);
  }

  /** Reads the inputs of every `linkerd:Mirrors` in the state. @throws Error with a sentence for the user */
  async sources(): Promise<readonly Inputs[]> {
    const { mirrors, expiries } = stackStateIn(await pulumi(["stack", "export"], this.#settings));
    this.#settings.observe({ event: "expiries", certificates: expiries });
    this.#urns = new Map([...mirrors].map(([urn, { source }]) => [source, urn]));
    return [...mirrors.values()];
  }

  /** Takes no lock and leaves no history. The mirrors of `excluded` sources are left as they are. */
  preview(excluded: readonly string[]): Promise<RunEnd> {
    return this.#run(["preview"], excluded);
  }

  async up(excluded: readonly string[]): Promise<RunEnd> {
    const run = () => this.#run(["up", "--yes", "--skip-preview"], excluded);
    let end = await run();
    const locks = locksIn(end.why ?? "");
    if (locks !== undefined) {
      const about = locks.map(({ text }) => text).join(", ");
      const why = {
        running: `a run that a watch has begun still goes on: ${about}`,
        foreign: `it is locked by ${about}, which is not this watch's; if its process is gone, clear the lock with pulumi cancel`,
        contended: `another watch clears its lock: ${about}`,
        stale: undefined,
      }[await this.#records.clear(locks, () => pulumi(["cancel", "--yes"], this.#settings))];
      if (why !== undefined) return { ...end, why };
      this.#settings.observe({ event: "lockCleared", lock: about });
      end = await run();
    }
    // It has held the lock, so no run before it has left one.
    if (end.result === "succeeded") this.#records.removeEnded();
    return end;
  }

  /** Ends the run under way well, called once, and at once, called again, as Ctrl-C does. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#interrupt();
  }

  async #run(command: readonly string[], excluded: readonly string[]): Promise<RunEnd> {
    if (this.#isInterrupted) return { result: "cancelled", changes: 0 };
    const folder = this.#records.create();
    const printed = [join(folder, "stdout"), join(folder, "stderr")] as const;
    const urns = excluded.flatMap((source) => this.#urns.get(source) ?? []);
    const excludes = urns.flatMap((urn) => ["--exclude", urn]);
    const words = [...command, "--json", "--non-interactive", ...excludes];
    const code = await this.#ended(words, folder, printed);
    const { changes, errors, stderr } = await outputIn(printed);
    // One that was killed may have left its lock, which only the record proves to be ours.
    if (typeof code === "number") this.#records.remove(folder);
    if (code === 0) return { result: "succeeded", changes };
    if (this.#wasInterrupted()) return { result: "cancelled", changes };
    const text = [...errors, stderr].filter((each) => each !== "").join("; ");
    if (locksIn(text) !== undefined) return { result: "locked", changes, why: text };
    const said = errors.length > 0 ? errors.join("; ") : stderr;
    const by = typeof code === "number" ? `exit code ${code}` : code;
    return { result: "failed", changes, why: said === "" ? `pulumi ended with ${by}` : said };
  }

  /**
   * Runs in a process group of its own, so that a Ctrl-C in a terminal does not reach it too, and prints to
   * files in the folder, so that it comes to a good end even if this process is killed.
   *
   * @returns the exit code, or the signal that has ended it
   * @throws Error with a sentence if there is no such program
   */
  async #ended(words: readonly string[], folder: string, printed: Printed) {
    const { configFile, variables } = this.#settings;
    const files = printed.map((file) => openSync(file, "w", 0o600));
    const config = configFile === undefined ? [] : ["--config-file", configFile];
    const child = spawn("pulumi", [...words, ...stackOption(this.#settings), ...config], {
      cwd: this.#settings.folder,
      env: {
        ...{ ...compileCache(), ...variables, ...unattended },
        // A preview prints its events as `up` does, and no digest of them.
        PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
      },
      detached: true,
      stdio: ["ignore", ...files],
    });
    for (const file of files) closeSync(file);
    if (child.pid === undefined) {
      this.#records.remove(folder);
      const [error] = (await once(child, "error")) as [Error];
      throw notRun(error);
    }
    this.#records.add(folder, child.pid);
    this.#interrupt = () => child.kill("SIGINT");
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals];
    this.#interrupt = () => undefined;
    return code ?? signal;
  }

  /** A function, as it changes while a run is waited for. */
  #wasInterrupted(): boolean {
    return this.#isInterrupted;
  }
}

type Printed = readonly [stdout: string, stderr: string];

interface EngineEvent {
  readonly summaryEvent?: { readonly resourceChanges?: Readonly<Record<string, number>> };
  readonly diagnosticEvent?: { readonly severity?: string; readonly message?: string };
}

/**
 * Reads what a run has printed: how many resources it has changed or is to change, the engine's error
 * messages, and the end of its standard errors. Lines with whole resources, which are long, are not even parsed.
 */
async function outputIn([stdout, stderr]: Printed) {
  let changes = 0;
  const errors: string[] = [];
  for await (const line of createInterface({ input: createReadStream(stdout) })) {
    if (!/"(summaryEvent|diagnosticEvent)":/.test(line.slice(0, 200))) continue;
    // A line that was cut off says nothing.
    const event = parse(line) as EngineEvent | undefined;
    for (const [operation, count] of Object.entries(event?.summaryEvent?.resourceChanges ?? {}))
      if (operation !== "same" && operation !== "read") changes += count;
    const { severity, message = "" } = event?.diagnosticEvent ?? {};
    if (severity !== "error" || errors.length === mostErrors) continue;
    errors.push(plainText(message).replaceAll(/\s+/g, " ").slice(0, longestError));
  }
  return { changes, errors, stderr: plainText(readFileSync(stderr, "utf8")).slice(-longestError) };
}

function plainText(text: string): string {
  return stripVTControlCharacters(text).trim();
}

/**
 * Lets Pulumi's SDK be compiled once too, and not in every run: a provider loads it before anything of
 * this program could say so (docs/reference/performance.md).
 */
function compileCache(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // Within the folder that is named, each version of Node has one of its own, which this is.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
