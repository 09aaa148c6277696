import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, createReadStream, openSync, readFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { omitUndefined, parse } from "@linkerd-multicluster/engine/kubernetes";
import type { Inputs } from "@linkerd-multicluster/engine/mirroring";
import {
  mirrorsIn,
  mirrorsTypes,
  notRun,
  type Resource,
  type StackLocation,
  stackOption,
  unattended,
} from "../pulumi.ts";
import type { RunEnd } from "./events.ts";
import { locksIn } from "./lock.ts";

/** A run can print any number of errors of any length. */
const mostErrors = 5;
const longestError = 2_000;

/**
 * Starts a run in a process group of its own, which a Ctrl-C in a terminal does not reach. It prints to files, so that
 * it succeeds even if this process is killed.
 *
 * @throws Error if Pulumi's CLI can't be started
 */
export async function startRun(
  words: readonly string[],
  at: StackLocation,
  folder: string,
): Promise<{ readonly child: ChildProcess; readonly pid: number }> {
  const files = printedIn(folder).map((file) => openSync(file, "w", 0o600));
  const options = ["--json", "--non-interactive", ...stackOption(at)];
  // Each version of Node has its own folder within the one that the variable names.
  const compileCache = getCompileCacheDir();
  const child = spawn("pulumi", [...words, ...options], {
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
  if (pid !== undefined) return { child, pid };
  const [error] = (await once(child, "error")) as [Error];
  throw notRun(error);
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
  [code, signal]: readonly [number | null, NodeJS.Signals | null],
  planned: Map<string, Inputs | undefined>,
): Promise<RunEnd> {
  const [stdout, stderr] = printedIn(folder);
  let changes = 0;
  const errors: string[] = [];
  for await (const line of createInterface({ input: createReadStream(stdout) })) {
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
    const { severity, message = "" } = event?.diagnosticEvent ?? {};
    if (severity === "error" && errors.length < mostErrors)
      errors.push(plainText(message).replaceAll(/\s+/g, " ").slice(0, longestError));
  }
  if (code === 0) return { result: "succeeded", changes };
  const printed = plainText(readFileSync(stderr, "utf8")).slice(-longestError);
  const all = [...errors, printed].filter((each) => each !== "").join("; ");
  if (locksIn(all) !== undefined) return { result: "locked", changes, why: all };
  const ended = `pulumi ended with ${code === null ? String(signal) : `exit code ${code}`}`;
  return { result: "failed", changes, why: errors.join("; ") || printed || ended };
}

function printedIn(folder: string): readonly [stdout: string, stderr: string] {
  return [join(folder, "stdout"), join(folder, "stderr")];
}

function plainText(text: string): string {
  return stripVTControlCharacters(text).trim();
}
