import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, createReadStream, openSync, readFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { promisify, stripVTControlCharacters } from "node:util";
import { codeOf, messageOf, parse, plain } from "@linkerd-multicluster/engine/kubernetes";

/** Bytes that a command may print; a state has a few MB. */
const maxBuffer = 512 * 2 ** 20;

/** Errors of a run that are passed on, and characters of each. */
const mostErrors = 5;
const longestError = 2_000;

/** What every command of Pulumi's CLI is run with where no person looks on. */
const unattended = { PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_OPTION_COLOR: "never" };

/** A stack as Pulumi's CLI is asked for it. */
export interface StackLocation {
  /** The program's, with its Pulumi.yaml. */
  readonly folder: string;
  /** Absent: the one that is selected, or that PULUMI_STACK names. */
  readonly stack?: string;
  readonly variables: NodeJS.ProcessEnv;
}

/** A stack as a run needs it. */
export interface RunLocation extends StackLocation {
  /** Path of the stack's config file. */
  readonly configFile?: string;
}

function stackOption({ stack }: Pick<StackLocation, "stack">): readonly string[] {
  return stack === undefined ? [] : ["--stack", stack];
}

/**
 * Runs a short command of Pulumi's CLI.
 *
 * @returns what it prints
 * @throws Error with a sentence
 */
export async function pulumi(words: readonly string[], at: StackLocation): Promise<string> {
  const options = { cwd: at.folder, env: { ...at.variables, ...unattended }, maxBuffer };
  try {
    const all = [...words, ...stackOption(at), "--non-interactive"];
    return (await promisify(execFile)("pulumi", all, options)).stdout;
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    if (said === "") throw notRun(error);
    const why = plain(said.replace(/^error: /, ""));
    throw new Error(`pulumi ${words.join(" ")} failed: ${why}`, { cause: error });
  }
}

/** The files that a run prints to. */
type Printed = readonly [stdout: string, stderr: string];

/**
 * Starts a run in a process group of its own, so that a Ctrl-C in a terminal does not reach it too, and
 * printing to files, so that it comes to a good end even if this process is killed.
 *
 * @throws Error with a sentence if there is no such program
 */
export async function startRun(
  words: readonly string[],
  at: RunLocation,
  printed: Printed,
): Promise<{ readonly child: ChildProcess; readonly pid: number }> {
  const { configFile, folder, variables } = at;
  const files = printed.map((file) => openSync(file, "w", 0o600));
  const config = configFile === undefined ? [] : ["--config-file", configFile];
  const options = ["--json", "--non-interactive", ...stackOption(at), ...config];
  const child = spawn("pulumi", [...words, ...options], {
    cwd: folder,
    env: {
      ...{ ...compileCache(), ...variables, ...unattended },
      // A preview prints its events as `up` does, and no digest of them.
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
  readonly summaryEvent?: { readonly resourceChanges?: Readonly<Record<string, number>> };
  readonly diagnosticEvent?: { readonly severity?: string; readonly message?: string };
}

/**
 * Reads what a run has printed: how many resources it has changed or is to change, the engine's error
 * messages, and the end of its standard errors. Lines with whole resources, which are long, are not even parsed.
 */
export async function outputIn([stdout, stderr]: Printed) {
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

/** The sentence for a CLI that could not be run. */
function notRun(cause: unknown): Error {
  if (codeOf(cause) === "ENOENT")
    return new Error("there is no pulumi on PATH: install Pulumi's CLI", { cause });
  return new Error(`pulumi failed: ${messageOf(cause)}`, { cause });
}
