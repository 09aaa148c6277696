import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { omitUndefined, UserError } from "@linkerd-multicluster/engine/base";
import { inSeconds, isRecord, printable } from "@linkerd-multicluster/engine/kubernetes";
import { type ConfigTexts, isNeeded, sealedValue } from "../../config/stack-file.ts";
import { type Chosen, requireFolder } from "./stacks.ts";

/** This is in bytes. A state has a few MB. */
const maxBuffer = 512 * 2 ** 20;

/**
 * A command that prints nothing for so many milliseconds waits for something that doesn't answer, usually its backend.
 * An update can wait for a chart of Linkerd without a word. A preview that was interrupted has to end within `end`.
 */
export const longestSilence = { read: 120_000, preview: 600_000, up: 3_600_000, end: 10_000 };

/** With these, Pulumi's CLI neither prints colors nor mentions new versions. */
export const unattended = { PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_OPTION_COLOR: "never" };

export interface StackLocation {
  readonly folder: string;
  /** Without it, Pulumi's CLI takes the stack that is selected. */
  readonly stack?: string;
  readonly variables: NodeJS.ProcessEnv;
  /** Ends short commands, whose results are no longer needed. */
  readonly stop?: AbortSignal;
}

/** Pulumi's CLI reads its option `--config-file` from the variables. */
export function locationOf(
  { folder, stack, configFile }: Chosen,
  variables: NodeJS.ProcessEnv,
): StackLocation {
  const named = stack ?? variables["PULUMI_STACK"];
  const file = configFile ?? variables["PULUMI_OPTION_CONFIG_FILE"];
  return {
    folder,
    variables: { ...variables, ...omitUndefined({ PULUMI_OPTION_CONFIG_FILE: file }) },
    ...omitUndefined({ stack: named }),
  };
}

export function stackOption({ stack }: StackLocation): readonly string[] {
  return stack === undefined ? [] : ["--stack", stack];
}

/**
 * Runs a short command of Pulumi's CLI, which may be killed at any time, and returns what it prints.
 *
 * @throws UserError
 */
export async function pulumi(
  words: readonly string[],
  at: StackLocation,
  patience = longestSilence.read,
): Promise<string> {
  const { folder: cwd, variables, stop = new AbortController().signal } = at;
  stop.throwIfAborted();
  const silence = new AbortController();
  const timer = setTimeout(() => {
    silence.abort();
  }, patience).unref();
  const signal = AbortSignal.any([stop, silence.signal]);
  try {
    const all = [...words, ...stackOption(at), "--non-interactive"];
    const run = promisify(execFile)("pulumi", all, {
      cwd,
      env: { ...variables, ...unattended },
      maxBuffer,
      signal,
    });
    // Node itself sends SIGTERM, which a process can ignore.
    signal.addEventListener("abort", () => run.child.kill("SIGKILL"));
    for (const stream of [run.child.stdout, run.child.stderr])
      stream?.on("data", () => timer.refresh());
    return (await run).stdout;
  } catch (error) {
    const { stderr, code, signal: killedBy = null } = isRecord(error) ? error : {};
    const printed = typeof stderr === "string" ? printable(stderr.trim()) : "";
    if (!silence.signal.aborted && typeof code === "string") throw notRun(error, at);
    const said = printed.replace(/^error: /, "");
    const ended = killedBy === null && said !== "" ? "" : endedWith(code, killedBy);
    const why = silence.signal.aborted
      ? silentFor(patience)
      : [said, ended].filter(Boolean).join("; ");
    throw new UserError(`pulumi ${words.join(" ")} failed: ${why}`);
  } finally {
    clearTimeout(timer);
  }
}

export function silentFor(milliseconds: number): string {
  return `pulumi printed nothing for ${inSeconds(milliseconds)}; check that the stack's backend can be reached`;
}

/** A process that is out of memory is killed without a word. */
export function endedWith(code: unknown, signal: unknown): string {
  return `pulumi ended with ${typeof code === "number" ? `exit code ${code}` : String(signal)}`;
}

/** Explains why Pulumi's CLI could not be started. @throws UserError if the folder is missing */
export function notRun(cause: unknown, { folder }: StackLocation): UserError {
  requireFolder(folder);
  const { code, message } = isRecord(cause) ? cause : {};
  if (code === "ENOENT") return new UserError("there is no pulumi on PATH: install Pulumi's CLI");
  return new UserError(`pulumi failed: ${String(message)}`);
}

/**
 * Reads the config that Pulumi computes. It lists a key that is secret in any part without a value, and such a key is
 * decrypted only if a command needs it.
 *
 * @throws UserError
 */
export async function effectiveConfig(at: StackLocation): Promise<ConfigTexts> {
  const read = async (words: readonly string[]) =>
    JSON.parse(await pulumi(["config", ...words, "--json"], at)) as unknown;
  const listed = (await read([])) as Readonly<Record<string, ConfigValue>>;
  const texts: Record<string, string> = {};
  for (const [key, { value }] of Object.entries(listed))
    texts[key] =
      value ??
      (isNeeded(key) ? (((await read(["get", key])) as ConfigValue).value ?? "") : sealedValue);
  return texts;
}

interface ConfigValue {
  readonly value?: string;
}
