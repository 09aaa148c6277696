import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";

import { stringify } from "yaml";

import type { DemoBed } from "./bed.ts";
import type { Cleanup } from "./cleanup.ts";
import { DemoError } from "./errors.ts";
import { readable } from "./pulumi-output.ts";
import type { Screen } from "./screen.ts";

const PROJECT = "linkerd-multicluster";
const STACK = "demo";

/** `pulumi` with this repository's program, and a stack that is nowhere but in the bed. */
export interface Pulumi {
  /** Besides the bed's: they let `pulumi preview` find the stack and its config. */
  readonly settings: Readonly<Record<string, string>>;
  readonly config: string;
  /** Runs the command and shows it with what it prints. */
  run(...words: readonly string[]): Promise<void>;
}

export async function pulumiFor(
  bed: DemoBed,
  config: Readonly<Record<string, unknown>>,
  screen: Screen,
  cleanup: Cleanup,
): Promise<Pulumi> {
  const folder = join(bed.folder, "demo");
  const file = join(folder, `Pulumi.${STACK}.yaml`);
  const settings = {
    PULUMI_STACK: STACK,
    PULUMI_OPTION_CONFIG_FILE: file,
  };
  const env = {
    ...process.env,
    ...bed.settings,
    ...settings,
    PATH: [...bed.path, process.env["PATH"] ?? ""].join(delimiter),
    PULUMI_OPTION_COLOR: screen.colored ? "always" : "never",
    PULUMI_OPTION_SUPPRESS_PERMALINK: "true",
    PULUMI_OPTION_SUPPRESS_PROGRESS: "true",
  };
  const yaml = stringify({
    config: Object.fromEntries(
      Object.entries(config).map(([key, value]) => [`${PROJECT}:${key}`, value]),
    ),
  });

  const start = (words: readonly string[], cwd: string, show: (line: string) => void) =>
    runPulumi(words, { cwd, env }, show, cleanup);

  // A new stack writes the salt of its secrets beside a Pulumi.yaml: not beside the repository's.
  await mkdir(folder);
  await writeFile(join(folder, "Pulumi.yaml"), stringify({ name: PROJECT, runtime: "nodejs" }));
  const said: string[] = [];
  await start(["stack", "init", STACK], folder, (line) => said.push(line)).catch(
    (error: unknown) => {
      screen.output(said.join("\n"));
      throw error;
    },
  );
  await appendFile(file, yaml);

  return {
    settings,
    config: yaml.trimEnd(),
    async run(...words) {
      screen.command(`pulumi ${words.join(" ")}`);
      const repository = join(import.meta.dirname, "..");
      await start(words, repository, (line) => {
        const text = readable(line);
        if (text !== undefined) screen.output(text);
      });
    },
  };
}

/** In a process group of its own: a Ctrl-C in the terminal must reach it once, from `stop`. */
async function runPulumi(
  words: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  show: (line: string) => void,
  cleanup: Cleanup,
): Promise<void> {
  const child = spawn("pulumi", words, {
    ...options,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = cleanup.add(() => stop(child));
  const lines = [child.stdout, child.stderr].map((stream) =>
    once(createInterface(stream).on("line", show), "close"),
  );
  await Promise.all([once(child, "close"), ...lines]);
  ended();
  if (child.exitCode !== 0) {
    throw new DemoError(`"pulumi ${words.join(" ")}" failed: what it says about it is above.`);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  // Asked once it finishes what is under way, asked twice it does not; either way it ends its plugins, which a kill
  // would leave behind.
  child.kill("SIGINT");
  const impatience = setTimeout(() => child.kill("SIGINT"), 5_000);
  await ended;
  clearTimeout(impatience);
}
