import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseDocument } from "yaml";
import { namespace } from "./mistakes.ts";
import { parseTexts } from "./parse.ts";
import { isMap } from "./read.ts";
import type { HealthMesh } from "@linkerd-multicluster/engine/health";
import { healthMesh } from "./health-mesh.ts";

/** Health depends on neither, and they hold secrets, which only Pulumi can read. */
const unneeded: ReadonlySet<string> = new Set(["trust", "charts"]);

/** Which stack, or which file; without either PULUMI_STACK, or the only one there is. */
export interface StackChoice {
  readonly stack?: string;
  /** Path of the stack's config file. */
  readonly configFile?: string;
}

/**
 * The mesh of a stack, from its config file alone: without the engine, a login or a passphrase.
 *
 * @throws Error whose message is for the user: which stack, what is wrong with its file, or every
 *   mistake in its config
 */
export async function meshOf(
  { stack, configFile }: StackChoice,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<HealthMesh> {
  const named =
    configFile ?? (stack === undefined ? variables.PULUMI_OPTION_CONFIG_FILE : undefined);
  const file =
    named ?? join(folder, fileOf(stack ?? variables.PULUMI_STACK ?? (await onlyStack(folder))));
  const parsed = parseTexts(await textsIn(file), `The config in ${file}`, {
    readText: (path) => readFileSync(resolve(folder, path), "utf8"),
    without: unneeded,
  });
  if ("config" in parsed) return healthMesh(parsed.config);
  throw new Error(parsed.problem);
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
  throw new Error(`Which stack? Set --stack or PULUMI_STACK; ${choice}.`);
}

/** What health depends on, as Pulumi hands it to a program: maps and lists as JSON. */
async function textsIn(file: string): Promise<Record<string, string>> {
  const content = parsed(await contentOf(file), file);
  const config = isMap(content) ? (content.config ?? {}) : {};
  if (!isMap(config)) throw new Error(`The key config in ${file} must be a map.`);
  const needed = Object.entries(config).filter(
    ([key]) => ![...unneeded].some((each) => key === `${namespace}:${each}`),
  );
  return Object.fromEntries(needed.map(([key, value]) => [key, textOf(value)]));
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : JSON.stringify(value);
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const why = code === "ENOENT" ? "there is no such file" : code;
    throw new Error(`The stack's config ${file} can't be read (${why}).`, { cause: error });
  }
}

/** The parser's own errors quote the lines around the mistake, which may hold secrets. */
function parsed(text: string, file: string): unknown {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new Error(`The stack's config ${file} is not YAML.`);
  return document.toJS();
}
