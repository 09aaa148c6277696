import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { contentOf } from "./mesh-file.ts";
import { project } from "./mistakes.ts";
import type { MeshConfig } from "./mesh.ts";
import { parseTexts } from "./parse.ts";
import { valueAt } from "./read.ts";
import { isRecord, UserError } from "@linkerd-multicluster/engine/kubernetes";

/** These keys hold secrets, which only Pulumi can decrypt, and no command needs them. */
const unneeded: ReadonlySet<string> = new Set(["trust", "charts"]);

/** Without a choice, PULUMI_STACK applies, or else the only stack of the folder. */
export interface StackChoice {
  readonly stack?: string;
  readonly configFile?: string;
}

/** Pulumi passes a stack's config to a program like this, with maps and lists as JSON. */
export type ConfigTexts = Readonly<Record<string, string>>;

/**
 * Reads the mesh from a stack's config; undefined if the config has none. The stack's file suffices, without the
 * engine, a login or a passphrase, unless it has no mesh or imports environments. Then `effective` gives the config that
 * Pulumi computes, without secrets.
 *
 * @throws UserError
 */
export async function configOf(
  choice: StackChoice,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
  effective: () => Promise<ConfigTexts>,
): Promise<MeshConfig | undefined> {
  const file = await configFileOf(choice, folder, variables);
  const own = file === undefined || !existsSync(file) ? {} : textsIn(file);
  const texts = hasMesh(own) ? own : await effective();
  if (!hasMesh(texts)) return undefined;
  return parseTexts(texts, `The config in ${texts === own && file !== undefined ? file : folder}`, {
    readText: (path) => readFileSync(resolve(folder, path), "utf8"),
    without: unneeded,
  });
}

/** Every mesh has clusters, in the config or in a file that it names. */
function hasMesh(texts: ConfigTexts): boolean {
  return [`${project}:clusters`, `${project}:mesh`].some((key) => key in texts);
}

/** No file names the organization of its stack, and a file with another name not even the stack. */
export async function stackNameOf(
  choice: StackChoice,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const { stack = "" } = choice;
  if (stack.split("/").length === 3) return stack;
  const file = (await configFileOf(choice, folder, variables)) ?? "";
  const [, name] = stackFile.exec(basename(file)) ?? [];
  return name === undefined ? "*" : `*/${project}/${name}`;
}

/**
 * Returns the texts of all files that have the config of a stack, to notice a change. Files that can't be read, perhaps
 * for a moment, count as empty.
 */
export async function textOfConfig(
  choice: StackChoice,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const read = (path: string) => {
    try {
      return readFileSync(resolve(folder, path), "utf8");
    } catch {
      return "";
    }
  };
  const file = (await configFileOf(choice, folder, variables).catch(() => undefined)) ?? "";
  const own = contentOf(file, read);
  const mesh = "value" in own ? valueAt(own.value, "config", `${project}:mesh`) : undefined;
  return [file, "Pulumi.yaml", ...(typeof mesh === "string" ? [mesh] : [])].map(read).join("\n");
}

/** Returns undefined if all config is elsewhere. */
async function configFileOf(
  { stack, configFile }: StackChoice,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const named =
    configFile ?? (stack === undefined ? variables.PULUMI_OPTION_CONFIG_FILE : undefined);
  if (named !== undefined) return named;
  const name = stack ?? variables.PULUMI_STACK ?? (await onlyStack(folder));
  return name === undefined ? undefined : join(folder, fileOf(name));
}

const stackFile = /^Pulumi\.([\w.-]+)\.yaml$/;

/** Only the last part of `organization/project/stack` counts, as for Pulumi. */
function fileOf(stack: string): string {
  return `Pulumi.${basename(stack)}.yaml`;
}

async function onlyStack(folder: string): Promise<string | undefined> {
  const names = (await readdir(folder)).flatMap((file) => stackFile.exec(file)?.[1] ?? []);
  if (names.length < 2) return names[0];
  throw new UserError(
    `Which stack? Set --stack or PULUMI_STACK; there are ${names.sort().join(", ")}.`,
  );
}

/** Returns nothing if environments add to the file, since only Pulumi can open them. */
function textsIn(file: string): ConfigTexts {
  const content = contentOf(file, (path) => readFileSync(path, "utf8"));
  if ("why" in content) throw new UserError(`The stack's config ${file} ${content.why}.`);
  if ("environment" in content.value) return {};
  const config = content.value["config"] ?? {};
  if (!isRecord(config)) throw new UserError(`The key config in ${file} must be a map.`);
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, textOf(value)]));
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
