import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

import { execa } from "execa";
import { stringify } from "yaml";

import { UserError } from "@linkerd-multicluster/engine/base";
import { environment, type EngineParts } from "./pulumi.ts";

export const repository = join(import.meta.dirname, "../..");
const project = "linkerd-multicluster";

/** Keys lack the project's name. */
export type Config = Readonly<Record<string, unknown>>;

export interface RunOutcome {
  readonly words: readonly string[];
  readonly code: number;
  /** It has both outputs, without colors. */
  readonly text: string;
  readonly stdout: string;
}

export interface RunOptions {
  readonly show?: (line: string) => void;
  /** Interrupts the run, whose process group is its own then, so that a Ctrl-C reaches it once. */
  readonly signal?: AbortSignal;
  /** Milliseconds (5,000) after an interrupt, another one follows. */
  readonly patience?: number;
  readonly variables?: Readonly<Record<string, string>>;
  readonly started?: (pid: number) => void;
}

/** Runs `pulumi` with a program and a stack that is nowhere but in the bed. */
export interface PulumiStack {
  /** These let `pulumi preview` find the stack and its config, beside the bed's. */
  readonly settings: Readonly<Record<string, string>>;
  configure(config: Config): Promise<void>;
  run(words: readonly string[], options?: RunOptions): Promise<RunOutcome>;
  /** Returns what the command prints, or throws it. */
  pulumi(...words: readonly string[]): Promise<string>;
}

export async function newStack(
  bed: EngineParts,
  name: string,
  config: Config,
  program = repository,
): Promise<PulumiStack> {
  const folder = join(bed.folder, "stacks", name);
  const file = join(folder, `Pulumi.${name}.yaml`);
  const settings = { PULUMI_STACK: name, PULUMI_OPTION_CONFIG_FILE: file };
  const env = { ...environment(bed), PULUMI_OPTION_COLOR: "never", ...settings };
  const pulumi = (cwd: string, words: readonly string[], options: RunOptions = {}) =>
    run(words, cwd, { ...env, ...options.variables }, options);

  // A new stack writes the salt of its secrets beside a Pulumi.yaml, which must not be the program's.
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "Pulumi.yaml"), stringify({ name: project, runtime: "nodejs" }));
  succeeded(await pulumi(folder, ["stack", "init", name]));
  const salt = await readFile(file, "utf8");

  const stack: PulumiStack = {
    settings,
    async configure(values) {
      await writeFile(file, salt + configFile(values));
    },
    run: (words, options) => pulumi(program, words, options),
    pulumi: async (...words) => succeeded(await pulumi(program, words)),
  };
  await stack.configure(config);
  return stack;
}

/** Returns a stack's config file, without what the engine itself keeps in it. */
export function configFile(config: Config): string {
  const entries = Object.entries(config).map(([key, value]) => [`${project}:${key}`, value]);
  return stringify({ config: Object.fromEntries(entries) as Config });
}

function succeeded({ code, text, words }: RunOutcome): string {
  if (code === 0) return text;
  throw new UserError(`pulumi ${words.join(" ")} failed:\n${text}`);
}

async function run(
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  { show, signal, started, patience = 5_000 }: RunOptions,
): Promise<RunOutcome> {
  const child = execa("pulumi", words, {
    cwd,
    env,
    all: true,
    reject: false,
    stdin: "ignore",
    detached: signal !== undefined,
  });
  if (child.pid !== undefined) started?.(child.pid);
  let impatience: NodeJS.Timeout | undefined;
  signal?.addEventListener("abort", () => {
    // Asked once, it finishes what is under way; asked twice, it does not. Either way it ends its plugins.
    // plugins, which a kill would leave behind.
    child.kill("SIGINT");
    impatience = setTimeout(() => child.kill("SIGINT"), patience);
  });
  const shown =
    show === undefined ? [] : [once(createInterface(child.all).on("line", show), "close")];
  const [{ exitCode = 1, all, stdout }] = await Promise.all([child, ...shown]);
  clearTimeout(impatience);
  return { words, code: exitCode, text: stripVTControlCharacters(all), stdout };
}
