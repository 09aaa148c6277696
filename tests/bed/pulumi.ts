import { copyFile, link, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

import { codeOf } from "@linkerd-multicluster/engine/base";
import { isFile } from "./path.ts";
import type { Toolbox } from "./tools.ts";

const LAUNCHER = "pulumi-resource-pulumi-nodejs";
const HOST = "pulumi-language-nodejs";
const HOST_PROGRAM = `${HOST}.program`;

/**
 * The bed's language host is older than its CLI: it takes `runtime.options` as flags, and ignores what the CLI sends. The
 * engine starts it in the folder of Pulumi.yaml.
 */
const hostWithOptions = [
  "#!/bin/sh",
  // A line without a colon continues a long value.
  String.raw`lines() { awk '/^ +[^ #-][^:]*$/ { sub(/^ +/, " "); printf "%s", $0; next } { printf "\n%s", $0 }' Pulumi.yaml 2>/dev/null; }`,
  String.raw`option() { lines | sed -n "s/^.*[ {]$1: *\([^,}]*[^,} ]\).*$/\1/p" | head -n 1; }`,
  "typescript=$(option typescript)",
  `exec "$(dirname "$0")/${HOST_PROGRAM}" -typescript="\${typescript:-true}" -nodeargs="$(option nodeargs)" "$@"`,
  "",
].join("\n");

/**
 * Creates a folder with everything that the engine starts. It looks for its own plugins beside its executable, symlinks
 * resolved, and warns of those that it finds first on PATH. So all must be in one folder, and `pulumi` must not be a
 * symlink there.
 */
export async function pulumiFolder(tools: Toolbox, folder: string): Promise<string> {
  const installed = dirname(await realpath(tools.pulumi));
  if ((await isFile(join(installed, HOST))) && (await isFile(join(installed, LAUNCHER)))) {
    return installed;
  }
  const bin = join(folder, "bin");
  await mkdir(bin);
  await place(tools.pulumi, join(bin, "pulumi"));
  await symlink(tools[HOST], join(bin, HOST_PROGRAM));
  await writeFile(join(bin, HOST), hostWithOptions, { mode: 0o755 });
  // The launcher fits the SDK of this checkout, while the cached programs are every checkout's.
  const sdk = dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"));
  await symlink(join(sdk, LAUNCHER), join(bin, LAUNCHER));
  return bin;
}

export interface EngineParts {
  /** Everything that the bed writes is in this folder. */
  readonly folder: string;
  /** These folders come first on PATH. */
  readonly path: readonly string[];
  /** `pulumi` and `kubectl` need these variables too. */
  readonly settings: Readonly<Record<string, string>>;
}

export function environment({ folder, path, settings }: EngineParts): NodeJS.ProcessEnv {
  const PATH = [...path, process.env["PATH"] ?? ""].join(delimiter);
  // The engine leaves its pipes behind when it is killed. Here they are deleted with the bed.
  return { ...process.env, ...settings, PATH, TMPDIR: join(folder, "tmp") };
}

/** Returns commands by which a shell uses the bed, and a stack of it. */
export function shellLines(
  { path, settings }: EngineParts,
  stack: EngineParts["settings"] = {},
): readonly string[] {
  const variables = Object.entries({ ...settings, ...stack }).map(
    ([name, value]) => `export ${name}=${quoted(value)}`,
  );
  return [...variables, `export PATH=${path.map(quoted).join(":")}:"$PATH"`];
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

/** `pulumi` finds the clusters and a state of its own by these variables. */
export async function pulumiSettings(
  kubeconfig: string,
  folder: string,
): Promise<Record<string, string>> {
  const home = join(folder, "pulumi-home");
  const state = join(folder, "pulumi-state");
  for (const each of [home, state, join(folder, "tmp")]) await mkdir(each);
  return {
    KUBECONFIG: kubeconfig,
    PULUMI_BACKEND_URL: `file://${state}`,
    PULUMI_CONFIG_PASSPHRASE: "test bed",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_HOME: home,
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

async function place(program: string, path: string): Promise<void> {
  try {
    await link(program, path);
  } catch (error) {
    // The folder is on another file system, or the file belongs to another user.
    if (codeOf(error) !== "EXDEV" && codeOf(error) !== "EPERM") throw error;
    await copyFile(program, path);
  }
}
