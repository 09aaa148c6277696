import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { promisify } from "node:util";

/** Which stack, and with what it is run. */
export interface CliSettings {
  /** Of the program: where its Pulumi.yaml is. */
  readonly folder: string;
  /** Without it the one that is selected, or that PULUMI_STACK names. */
  readonly stack?: string;
  /** Path of the stack's config file. */
  readonly configFile?: string;
  readonly variables: NodeJS.ProcessEnv;
}

/** A command under way. */
export interface Started {
  readonly pid: number;
  /** The exit code, or the signal that has ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** As Ctrl-C does: once it ends what is under way well, twice at once. */
  readonly interrupt: () => void;
}

/** Bytes that a command may print whose output is wanted as a whole; a state has a few MB. */
const mostOutput = 512 * 2 ** 20;

/** Pulumi's CLI, from PATH. */
export class PulumiCli {
  readonly #settings: CliSettings;

  constructor(settings: CliSettings) {
    this.#settings = settings;
  }

  /** Tells the stack from others, as far as its name is known here: one that is selected has none. */
  get stack(): string {
    const { folder, stack, variables } = this.#settings;
    const { PULUMI_STACK = "", PULUMI_BACKEND_URL = "" } = variables;
    return [folder, stack ?? PULUMI_STACK, PULUMI_BACKEND_URL].join("\n");
  }

  /**
   * In a process group of its own, so that a Ctrl-C in a terminal does not reach it besides, and with
   * files to print to, so that it comes to a good end even if this process is killed.
   *
   * @throws Error with a sentence if there is no such program
   */
  async start(
    words: readonly string[],
    outputs: readonly [string, string],
    mark: Readonly<Record<string, string>>,
  ): Promise<Started> {
    const [out, err] = [openSync(outputs[0], "w", 0o600), openSync(outputs[1], "w", 0o600)];
    const { folder, variables } = this.#settings;
    const child = spawn("pulumi", [...words, ...this.#choice(), ...this.#config()], {
      cwd: folder,
      env: { ...compiled(), ...variables, ...unattended, ...mark },
      detached: true,
      stdio: ["ignore", out, err],
    });
    closeSync(out);
    closeSync(err);
    const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number);
    if (child.pid === undefined) {
      const [error] = (await once(child, "error")) as [Error];
      ended.catch(() => undefined);
      throw missing(error);
    }
    return { pid: child.pid, ended, interrupt: () => void child.kill("SIGINT") };
  }

  /** What a short command prints. @throws Error with a sentence */
  async print(...words: readonly string[]): Promise<string> {
    const { folder, variables } = this.#settings;
    try {
      const { stdout } = await promisify(execFile)("pulumi", [...words, ...this.#choice()], {
        cwd: folder,
        env: { ...variables, ...unattended },
        maxBuffer: mostOutput,
      });
      return stdout;
    } catch (error) {
      const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
      if (said === "") throw missing(error);
      throw new Error(`pulumi ${words.join(" ")} failed: ${said.replace(/^error: /, "")}`, {
        cause: error,
      });
    }
  }

  #choice(): string[] {
    const { stack } = this.#settings;
    return stack === undefined ? [] : ["--stack", stack];
  }

  #config(): string[] {
    const { configFile } = this.#settings;
    return configFile === undefined ? [] : ["--config-file", configFile];
  }
}

const unattended = { PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_OPTION_COLOR: "never" };

/**
 * So that Pulumi's SDK is compiled once too, and not in every run: a provider loads it before anything
 * of this program could say so (docs/reference/performance.md).
 */
function compiled(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // Within the folder that is named, each version of Node has one of its own, which this is.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

function missing(error: unknown): Error {
  const why = error instanceof Error ? error.message : String(error);
  const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
  return new Error(
    isAbsent ? "There is no pulumi on PATH: install Pulumi's CLI." : `pulumi failed: ${why}`,
    { cause: error },
  );
}
