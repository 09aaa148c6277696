import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { namespace } from "./mistakes.ts";
import { parseConfig } from "./parse.ts";
import { rawConfig } from "./stack.ts";
import { isRecord } from "../engine/kubernetes/failure.ts";
import { type HealthMesh, healthMesh } from "../engine/health/mesh.ts";
import { CheckError, type Options } from "../bin/check-options.ts";

/** Health depends on neither, and they hold secrets, which only Pulumi can read. */
const unneeded: ReadonlySet<string> = new Set(["trust", "charts"]);

/**
 * The mesh of a stack, from its config file alone: without the engine, a login or a passphrase.
 *
 * @throws CheckError with every mistake in the config
 */
export async function meshOf(
  { stack, configFile }: Pick<Options, "stack" | "configFile">,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<HealthMesh> {
  const named =
    configFile ?? (stack === undefined ? variables.PULUMI_OPTION_CONFIG_FILE : undefined);
  const file =
    named ?? join(folder, fileOf(stack ?? variables.PULUMI_STACK ?? (await onlyStack(folder))));
  pulumi.runtime.setAllConfig(await valuesIn(file));
  const raw = Object.entries(rawConfig(new pulumi.Config(namespace)));
  const parsed = parseConfig(Object.fromEntries(raw.filter(([key]) => !unneeded.has(key))));
  if ("config" in parsed) return healthMesh(parsed.config);
  throw new CheckError([`The config in ${file} needs a change:`, ...parsed.mistakes].join("\n  "));
}

/** As Pulumi does: of `organisation/project/stack` only the last part counts. */
function fileOf(stack: string): string {
  return `Pulumi.${basename(stack)}.yaml`;
}

async function onlyStack(folder: string): Promise<string> {
  const names = (await readdir(folder)).flatMap(
    (file) => /^Pulumi\.([\w.-]+)\.yaml$/.exec(file)?.[1] ?? [],
  );
  const [only, ...more] = names.sort();
  if (only !== undefined && more.length === 0) return only;
  const choice = only === undefined ? `${folder} has none` : `there are ${names.join(", ")}`;
  throw new CheckError(`Which stack? Say it with --stack or PULUMI_STACK; ${choice}.`);
}

/** All values of the file as Pulumi hands them to a program: maps and lists as JSON. */
async function valuesIn(file: string): Promise<Record<string, string>> {
  const content = parsed(await textOf(file), file);
  const config = isRecord(content) ? (content.config ?? {}) : {};
  if (!isRecord(config)) throw new CheckError(`The key config in ${file} must be a map.`);
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, textual(value)]));
}

function textual(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const why = code === "ENOENT" ? "there is no such file" : code;
    throw new CheckError(`The stack's config ${file} can't be read (${why}).`);
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return parse(text);
  } catch {
    // The parser quotes the lines around the mistake.
    throw new CheckError(`The stack's config ${file} is not YAML.`);
  }
}
