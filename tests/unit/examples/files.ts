import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as yaml from "yaml";
import * as z from "zod";
import type { MeshConfig } from "../../../config/mesh.ts";
import { parseConfig } from "../../../config/parse.ts";

export const folder = join(import.meta.dirname, "../../../examples");

/** Each is a folder, and the name of its stack. */
export const examples = ["statefulset", "federated"] as const;
export type Example = (typeof examples)[number];

export function text(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

/** Paths of all files in a folder of the examples, from there. */
export function filesIn(path: string): string[] {
  const start = join(folder, path);
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(start, join(entry.parentPath, entry.name)))
    .sort();
}

export const manifests = filesIn(".").filter((path) => path.includes("/manifests/"));

/** The documents of a YAML file; a mistake in its syntax is thrown. */
export function documents(path: string): unknown[] {
  return parsed(text(path));
}

function parsed(source: string): unknown[] {
  return yaml.parseAllDocuments(source).map((document) => {
    const [mistake] = document.errors;
    if (mistake !== undefined) throw mistake;
    return document.toJS() as unknown;
  });
}

const stackFile = z.strictObject({ config: z.record(z.string(), z.unknown()) });

/** The stack file's keys in the program's namespace, as parseConfig takes them. */
export function rawConfig(example: Example): Record<string, unknown> {
  return keysIn(text(`${example}/Pulumi.${example}.yaml`));
}

/** The same of the text of any stack file. */
export function keysIn(stack: string): Record<string, unknown> {
  const prefix = "linkerd-multicluster:";
  return Object.fromEntries(
    Object.entries(stackFile.parse(parsed(stack)[0]).config).map(([key, value]) => {
      if (!key.startsWith(prefix)) throw new Error(`${key} is no key of this program`);
      return [key.slice(prefix.length), value];
    }),
  );
}

export function configOf(example: Example): MeshConfig {
  return checked(rawConfig(example));
}

export function checked(raw: Record<string, unknown>): MeshConfig {
  const parsed = parseConfig(raw);
  if ("config" in parsed) return parsed.config;
  throw new Error(parsed.mistakes.join("\n"));
}

/** The clusters of a config, those into which no link goes first. */
export function sourcesLast({ clusters, links }: MeshConfig): string[] {
  const sources = new Set(links.map(({ spec }) => spec.source));
  return [...clusters.keys()].sort((a, b) => Number(sources.has(a)) - Number(sources.has(b)));
}
