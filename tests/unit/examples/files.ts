import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as yaml from "yaml";
import * as z from "zod";
import type { MeshConfig } from "../../../config/mesh.ts";
import { parseConfig } from "../../../config/parse.ts";

export const folder = join(import.meta.dirname, "../../../examples");

/** Each name is that of a folder and of its stack. */
export const examples = ["statefulset", "federated"] as const;

export const prefix = "linkerd-multicluster:";
export const stackFile = z.strictObject({ config: z.record(z.string(), z.unknown()) });

export function text(path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

/** Returns the paths of all files in a folder of the examples, relative to it. */
export function filesIn(path: string): string[] {
  const start = join(folder, path);
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(start, join(entry.parentPath, entry.name)))
    .sort();
}

/** @throws for a mistake in the syntax */
export function documents(path: string): unknown[] {
  return yaml.parseAllDocuments(text(path)).map((document) => {
    const [mistake] = document.errors;
    if (mistake !== undefined) throw mistake;
    return document.toJS() as unknown;
  });
}

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().exactOptional() }),
  spec: z.record(z.string(), z.unknown()).exactOptional(),
});

export type Manifest = z.infer<typeof manifest>;

/** Returns all objects of examples/operator. */
export function manifestsOf(): Manifest[] {
  return filesIn("operator")
    .filter((path) => path.endsWith(".yaml"))
    .flatMap((path) => documents(`operator/${path}`))
    .map((document) => manifest.parse(document));
}

/** Returns a stack file's keys as parseConfig takes them. */
export function keysIn(stack: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(stackFile.parse(stack).config).map(([key, value]) => {
      if (!key.startsWith(prefix)) throw new Error(`${key} is no key of this program`);
      return [key.slice(prefix.length), value];
    }),
  );
}

export function configOf(example: (typeof examples)[number]): MeshConfig {
  return checked(documents(`${example}/Pulumi.${example}.yaml`)[0]);
}

export function checked(stack: unknown): MeshConfig {
  const parsed = parseConfig(keysIn(stack));
  const mistakes = "config" in parsed ? parsed.config.ignored : parsed.mistakes;
  if ("config" in parsed && mistakes.length === 0) return parsed.config;
  throw new Error(mistakes.join("\n"));
}
