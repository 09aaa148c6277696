import { existsSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { contentOf } from "./read/mesh-file.ts";
import { nearest, project } from "./read/mistakes.ts";
import type { MeshConfig } from "./mesh.ts";
import { needsChange, parseTexts, strayKeys } from "./parse.ts";
import { valueAt } from "./read/read.ts";
import { UserError } from "@linkerd-multicluster/engine/base";
import { isRecord } from "@linkerd-multicluster/engine/kubernetes";

/** These keys may hold secrets, which only Pulumi can decrypt. No command needs them, so they stay sealed. */
const unneeded: ReadonlySet<string> = new Set(["trust", "charts"]);

/** Without a choice, PULUMI_STACK applies, or else the only stack of the folder. */
export interface StackChoice {
  readonly stack?: string;
  readonly configFile?: string;
}

/** Pulumi passes a stack's config to a program like this, with maps and lists as JSON. */
export type ConfigTexts = Readonly<Record<string, string>>;

/** Tells whether a command needs the secrets of this key, by its full name. */
export function isNeeded(key: string): boolean {
  const [namespace, name = ""] = key.split(":");
  return namespace === project && !unneeded.has(name);
}

/**
 * Reads the mesh from a stack's config; undefined if the config has none. The stack's file suffices, without the
 * engine, a login or a passphrase, wherever it alone says what Pulumi computes. Otherwise `effective` gives that.
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
  const own = file === undefined ? undefined : textsIn(file, folder);
  const texts = own ?? (await effective());
  const what = `The config in ${own === undefined ? folder : (file ?? "")}`;
  if (!hasMesh(texts)) {
    const hidden = [...misspeltConfig(file), ...strayKeys(texts)];
    if (hidden.length > 0) throw needsChange(what, hidden);
    return undefined;
  }
  const isSealed = (key: string) => texts[`${project}:${key}`]?.includes(secret) === true;
  const mesh = parseTexts(texts, what, {
    readText: (path) => readFileSync(resolve(folder, path), "utf8"),
    sealed: new Set([...unneeded].filter(isSealed)),
    isPlainKey: () => true,
  });
  if (mesh.ignored.length > 0) throw needsChange(what, mesh.ignored);
  const clusters = [...mesh.clusters].map(([name, cluster]) => {
    return [name, { ...cluster, access: { ...cluster.access, folder } }] as const;
  });
  return { ...mesh, clusters: new Map(clusters) };
}

/** Pulumi ignores other keys of a stack's file. */
function misspeltConfig(file: string | undefined): string[] {
  const found =
    file === undefined ? undefined : contentOf(file, (path) => readFileSync(path, "utf8"));
  const keys = found !== undefined && "value" in found ? Object.keys(found.value) : [];
  if (keys.includes("config")) return [];
  return keys
    .filter((key) => nearest(key, ["config"]) !== undefined)
    .map(
      (key) =>
        `${basename(file ?? "")}: ${key} is not a key of a stack's file; the nearest key is config.`,
    );
}

/** Another program that makes the mesh has none of these keys. Without `clusters`, this one has a mistake in its config. */
function hasMesh(texts: ConfigTexts): boolean {
  return Object.entries(texts).some(([key, text]) => key.startsWith(`${project}:`) && text !== "");
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
  const at = ["value", "config", `${project}:mesh`] as const;
  const mesh =
    valueAt(contentOf(file, read), ...at) ??
    valueAt(contentOf("Pulumi.yaml", read), ...at, "value");
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
  if (named !== undefined) return resolve(folder, named);
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

/**
 * Returns the config in a stack's file; undefined if Pulumi could read another one: from the project or environments,
 * from secrets, from keys that are written in another way, and from YAML of which parsers disagree, such as merge keys.
 */
function textsIn(file: string, folder: string): ConfigTexts | undefined {
  const read = (path: string) => readFileSync(path, "utf8");
  const own = contentOf(file, read);
  // Without a project, Pulumi can't run, and so can read nothing else.
  const isProject = ["yaml", "yml", "json"].some((type) =>
    existsSync(join(folder, `Pulumi.${type}`)),
  );
  const shared = isProject ? contentOf(join(folder, "Pulumi.yaml"), read) : { value: {} };
  if ("why" in own || "why" in shared || !isDeepStrictEqual(own, contentOf(file, read, "1.1")))
    return undefined;
  const { config, environment } = own.value;
  const { config: declared = {}, stackConfigDir } = shared.value;
  const isElsewhere = environment !== undefined || stackConfigDir !== undefined;
  if (isElsewhere || !isRecord(config) || !isRecord(declared)) return undefined;
  const texts = Object.entries(config).map(([key, value]) => [key, textOf(value)] as const);
  const isWhole =
    texts.every(
      ([key, text]) => key.split(":").length === 2 && !(isNeeded(key) && text.includes(secret)),
    ) && Object.entries(declared).every(([key, said]) => setsNothing(key, said));
  const found = Object.fromEntries(texts);
  return isWhole && hasMesh(found) ? found : undefined;
}

/** Pulumi.yaml may set a key for all stacks, or only say what it is for. */
function setsNothing(key: string, said: unknown): boolean {
  if (key.includes(":") && !key.startsWith(`${project}:`)) return true;
  const isAbout = ([field, value]: [string, unknown]) =>
    field === "type" || field === "description" || value === "";
  return isRecord(said) && Object.entries(said).every(isAbout);
}

const secret = '{"secure":"';

/** Stands for a value that Pulumi did not decrypt. */
export const sealedValue = `${secret}"}`;

/** Helm values may stay encrypted, because no command needs them: only their keys are checked. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  const hidden = (_: string, each: unknown) =>
    isRecord(each) && typeof each["secure"] === "string" ? "…" : each;
  const keep = (key: string, each: unknown): unknown =>
    key === "values" && isRecord(each) && each["secure"] === undefined
      ? JSON.parse(JSON.stringify(each, hidden))
      : each;
  return value === null || value === undefined ? "" : JSON.stringify(value, keep);
}
