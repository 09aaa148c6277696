import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, createReadStream, openSync, readFileSync, statSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import { parse } from "@linkerd-multicluster/engine/kubernetes";
import type { Inputs } from "@linkerd-multicluster/engine/mirroring";
import {
  endedWith,
  notRun,
  type longestSilence,
  silentFor,
  type StackLocation,
  stackOption,
  unattended,
} from "../stack/pulumi.ts";
import { mirrorsIn, mirrorsTypes, type Resource } from "../stack/stack-state.ts";
import type { RunCommand, RunEnd } from "./events.ts";
import { locksIn } from "./lock.ts";

/** A run can print any number of errors of any length. */
const mostErrors = 5;
const longestError = 2_000;

const words: Readonly<Record<RunCommand, readonly string[]>> = {
  preview: ["preview"],
  up: ["up", "--yes", "--skip-preview"],
};

/** The silence of a run is measured so often until it is too long. */
const silenceChecks = 10;

export interface Run {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Interrupts it as Ctrl-C does: an update finishes its step. Only `again` interrupts it a second time, which ends it at once. */
  interrupt(again?: boolean): void;
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The run was interrupted because it printed nothing for this many milliseconds. */
  readonly silence?: number;
}

interface RunSettings {
  readonly at: StackLocation;
  /** The folder of the files to which the run prints. */
  readonly folder: string;
  readonly silence: typeof longestSilence;
  readonly silent: () => void;
}

/**
 * Starts a run in a process group of its own, which a Ctrl-C in a terminal does not reach. It prints to files, so that
 * it succeeds even if this process is killed.
 *
 * @throws Error if Pulumi's CLI can't be started
 */
export async function startRun(
  command: RunCommand,
  more: readonly string[],
  { at, folder, silence, silent }: RunSettings,
): Promise<Run> {
  const files = printedIn(folder).map((file) => openSync(file, "w", 0o600));
  const options = ["--json", "--non-interactive", ...stackOption(at)];
  // Each version of Node has its own folder within the one that the variable names.
  const compileCache = getCompileCacheDir();
  const child = spawn("pulumi", [...words[command], ...more, ...options], {
    cwd: at.folder,
    env: {
      // A provider loads Pulumi's SDK before this program could enable the cache (docs/reference/performance.md).
      ...omitUndefined({ NODE_COMPILE_CACHE: compileCache && dirname(compileCache) }),
      ...at.variables,
      ...unattended,
      // A preview then prints its events as `up` does, and no digest of them.
      PULUMI_ENABLE_STREAMING_JSON_PREVIEW: "true",
    },
    detached: true,
    stdio: ["ignore", ...files],
  });
  for (const file of files) closeSync(file);
  const { pid } = child;
  if (pid === undefined) {
    const [error] = (await once(child, "error")) as [Error];
    throw notRun(error, at);
  }
  const timers: NodeJS.Timeout[] = [];
  let [isInterrupted, isSilent] = [false, false];
  const interrupt = (again = false) => {
    if (isInterrupted && !again) return;
    isInterrupted = true;
    child.kill("SIGINT");
    // It writes nothing and takes no lock.
    if (command === "preview") timers.push(setTimeout(() => child.kill("SIGKILL"), silence.end));
  };
  let [size, checks] = [0, 0];
  const check = () => {
    const before = size;
    size = printedIn(folder)
      .map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
      .reduce((total, each) => total + each);
    checks = size === before ? checks + 1 : 0;
    if (checks < silenceChecks || isSilent) return;
    isSilent = true;
    silent();
    interrupt();
  };
  timers.push(setInterval(check, silence[command] / silenceChecks));
  const ended = new Promise<Ended>((resolve) =>
    child.once("exit", (code, signal) => {
      timers.forEach(clearTimeout);
      resolve({ code, signal, ...(isSilent && { silence: silence[command] }) });
    }),
  );
  return { pid, ended, interrupt };
}

interface EngineEvent {
  readonly resourcePreEvent?: {
    readonly metadata?: { readonly op?: string; readonly urn?: string; readonly new?: Resource };
  };
  readonly summaryEvent?: { readonly resourceChanges?: Readonly<Record<string, number>> };
  readonly diagnosticEvent?: { readonly severity?: string; readonly message?: string };
}

/**
 * Reads the end of a run from its exit and from what it printed to files in this folder.
 *
 * @param planned gets the inputs of mirrors by URN, as the program's config makes them now; undefined if they go
 */
export async function endOf(
  folder: string,
  { code, signal, silence }: Ended,
  planned: Map<string, Inputs | undefined>,
): Promise<RunEnd> {
  const [stdout, stderr] = printedIn(folder);
  let changes = 0;
  let [isBegun, isWhole] = [false, false];
  const errors: string[] = [];
  for await (const line of createInterface({ input: createReadStream(stdout) })) {
    isBegun ||= line.startsWith("{");
    // The other lines have whole resources, and would take long to parse.
    const begin = line.slice(0, 1_000);
    const isOfMirrors = mirrorsTypes.some((type) => begin.includes(`"type":"${type}"`));
    if (!isOfMirrors && !/"(summaryEvent|diagnosticEvent)":/.test(begin.slice(0, 200))) continue;
    // A killed run may have printed half a line.
    const event = parse(line) as EngineEvent | undefined;
    const { op, urn = "", new: made } = event?.resourcePreEvent?.metadata ?? {};
    if (made || op === "delete") planned.set(urn, mirrorsIn(made ? [made] : []).get(urn));
    for (const [operation, count] of Object.entries(event?.summaryEvent?.resourceChanges ?? {}))
      if (operation !== "same" && operation !== "read") changes += count;
    isWhole ||= event?.summaryEvent !== undefined;
    const { severity, message = "" } = event?.diagnosticEvent ?? {};
    if (severity === "error" && errors.length < mostErrors)
      errors.push(plainText(message).replaceAll(/\s+/g, " ").slice(0, longestError));
  }
  if (code === 0 && (isWhole || !isBegun)) return { result: "succeeded", changes };
  const printed = plainText(readFileSync(stderr, "utf8"));
  // Once the engine has begun, clusters and programs have a say in what Pulumi prints.
  if (!isBegun && locksIn(printed) !== undefined)
    return { result: "locked", changes, why: printed };
  const cut = "what it printed has no end; check that the volume is not full";
  const ended = code === 0 ? cut : endedWith(code, signal);
  const why = [
    ...(silence === undefined ? [] : [silentFor(silence)]),
    errors.join("; ") || printed.slice(-longestError),
  ];
  return { result: "failed", changes, why: why.filter(Boolean).join("; ") || ended };
}

/** A run prints to these files in its folder. */
export function printedIn(folder: string): readonly [stdout: string, stderr: string] {
  return [join(folder, "stdout"), join(folder, "stderr")];
}

function plainText(text: string): string {
  return stripVTControlCharacters(text).trim();
}
