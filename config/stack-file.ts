import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { HealthMesh } from "@linkerd-multicluster/engine/health";
import { contentOf } from "./mesh-file.ts";
import { project } from "./mistakes.ts";
import type { MeshConfig } from "./mesh.ts";
import { parseTexts } from "./parse.ts";
import { isRecord, UserError } from "@linkerd-multicluster/engine/kubernetes";
import { healthMesh } from "./share.ts";

/** These keys hold secrets, which only Pulumi can decrypt, and no command needs them. */
const unneeded: ReadonlySet<string> = new Set(["trust", "charts"]);

/** The chosen stack or file; otherwise PULUMI_STACK, or the only stack of the folder. */
export interface StackChoice {
  readonly stack?: string;
  readonly configFile?: string;
}

/**
 * Reads a stack's config from its file, without the engine, a login or a passphrase, and so without secrets.
 *
 * @throws Error whose message is for the user: which stack, what is wrong with its file, or every mistake in its
 * config
 */
export async function configOf(
  choice: StackChoice,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<MeshConfig> {
  const file = await configFileOf(choice, folder, variables);
  return parseTexts(textsIn(file), `The config in ${file}`, {
    readText: (path) => readFileSync(resolve(folder, path), "utf8"),
    without: unneeded,
  });
}

/**
 * The mesh of a stack, as far as health depends on it.
 *
 * @throws UserError as configOf does
 */
export async function meshOf(...which: Parameters<typeof configOf>): Promise<HealthMesh> {
  return healthMesh(await configOf(...which), await stackNameOf(...which));
}

/** No file says of which organization a stack is, and a file of another name not even of which stack it is. */
async function stackNameOf(...which: Parameters<typeof configOf>): Promise<string> {
  const [{ stack = "" }] = which;
  if (stack.split("/").length === 3) return stack;
  const [, name] = stackFile.exec(basename(await configFileOf(...which))) ?? [];
  return name === undefined ? "*" : `*/${project}/${name}`;
}

async function configFileOf(
  { stack, configFile }: StackChoice,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const named =
    configFile ?? (stack === undefined ? variables.PULUMI_OPTION_CONFIG_FILE : undefined);
  return (
    named ?? join(folder, fileOf(stack ?? variables.PULUMI_STACK ?? (await onlyStack(folder))))
  );
}

const stackFile = /^Pulumi\.([\w.-]+)\.yaml$/;

/** As Pulumi does: of `organisation/project/stack` only the last part counts. */
function fileOf(stack: string): string {
  return `Pulumi.${basename(stack)}.yaml`;
}

async function onlyStack(folder: string): Promise<string> {
  const names = (await readdir(folder)).flatMap((file) => stackFile.exec(file)?.[1] ?? []);
  const [only, ...more] = names.sort();
  if (only !== undefined && more.length === 0) return only;
  const choice = only === undefined ? `${folder} has none` : `there are ${names.join(", ")}`;
  throw new UserError(`Which stack? Set --stack or PULUMI_STACK; ${choice}.`);
}

/** The file's config, as Pulumi hands it to a program: maps and lists as JSON. */
function textsIn(file: string): Record<string, string> {
  const content = contentOf(file, (path) => readFileSync(path, "utf8"));
  if ("why" in content) throw new UserError(`The stack's config ${file} ${content.why}.`);
  const config = content.value["config"] ?? {};
  if (!isRecord(config)) throw new UserError(`The key config in ${file} must be a map.`);
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, textOf(value)]));
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}
