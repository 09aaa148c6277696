import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { codeOf, plain } from "../kubernetes/objects/plain.ts";
import { messageOf } from "../message.ts";

/** Bytes that a command may print; a state has a few MB. */
const maxBuffer = 512 * 2 ** 20;

/** What every command of Pulumi's CLI is run with where no person looks on. */
export const unattended = { PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_OPTION_COLOR: "never" };

/** A stack as Pulumi's CLI is asked for it. */
export interface StackLocation {
  /** The program's, with its Pulumi.yaml. */
  readonly folder: string;
  /** Absent: the one that is selected, or that PULUMI_STACK names. */
  readonly stack?: string;
  readonly variables: NodeJS.ProcessEnv;
}

export function stackOption({ stack }: Pick<StackLocation, "stack">): readonly string[] {
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

/** The sentence for a CLI that could not be run. */
export function notRun(cause: unknown): Error {
  if (codeOf(cause) === "ENOENT")
    return new Error("there is no pulumi on PATH: install Pulumi's CLI", { cause });
  return new Error(`pulumi failed: ${messageOf(cause)}`, { cause });
}
