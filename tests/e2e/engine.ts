import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { stringify } from "yaml";
import type { Bed } from "../../testbed/bed.ts";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "..", "..");
const project = "linkerd-multicluster";

export type Config = Readonly<Record<string, unknown>>;

/** `pulumi` with this repository's program, and a stack that is nowhere but in the bed. */
export interface Stack {
  configure(config: Config): Promise<void>;
  /** What it prints; that is also in the error where it fails. */
  pulumi(...words: readonly string[]): Promise<string>;
}

export async function newStack(
  bed: Pick<Bed<string>, "folder" | "env">,
  name: string,
  config: Config,
): Promise<Stack> {
  const folder = join(bed.folder, name);
  const file = join(folder, `Pulumi.${name}.yaml`);
  const env = {
    ...bed.env,
    PULUMI_STACK: name,
    PULUMI_OPTION_CONFIG_FILE: file,
    PULUMI_OPTION_COLOR: "never",
  };
  const pulumi = async (cwd: string, words: readonly string[]) => {
    const options = { cwd, env, maxBuffer: 64 * 1024 ** 2 };
    const { stdout, stderr, code } = await run("pulumi", words, options).then(
      (output) => ({ ...output, code: 0 }),
      (error: unknown) => error as { stdout: string; stderr: string; code: unknown },
    );
    const output = stripVTControlCharacters(stdout + stderr);
    if (code !== 0) throw new Error(`pulumi ${words.join(" ")} failed:\n${output}`);
    return output;
  };
  // A new stack writes the salt of its secrets beside a Pulumi.yaml: not beside the repository's.
  await mkdir(folder);
  await writeFile(join(folder, "Pulumi.yaml"), stringify({ name: project, runtime: "nodejs" }));
  await pulumi(folder, ["stack", "init", name]);
  const salt = await readFile(file, "utf8");
  const stack: Stack = {
    async configure(values) {
      const entries = Object.entries(values).map(([key, value]) => [`${project}:${key}`, value]);
      await writeFile(file, salt + stringify({ config: Object.fromEntries(entries) as object }));
    },
    pulumi: (...words) => pulumi(repository, words),
  };
  await stack.configure(config);
  return stack;
}
