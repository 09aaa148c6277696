import { UserError } from "@linkerd-multicluster/engine/base";
import * as z from "zod";
import { crossChecks } from "./checks/cross-checks.ts";
import { meshConfig } from "./defaults.ts";
import { stack } from "./keys/keys.ts";
import type { MeshConfig } from "./mesh.ts";
import { ignoredKeys } from "./checks/mode-checks.ts";
import { namingFile, type ReadText, withMeshFile } from "./read/mesh-file.ts";
import { nearest, project } from "./read/mistakes.ts";
import { readConfig } from "./read/read.ts";
import type { Key } from "./keys/schema.ts";
import type { Circumstances } from "./checks/trust-checks.ts";

export type Parsed = { readonly config: MeshConfig } | { readonly mistakes: readonly string[] };

/**
 * Checks the top-level keys of a stack config (keys.ts) and fills in the defaults. Of several mistakes, those within a
 * key come before contradictions between keys. Pure except for the clock, and never throws.
 */
export function parseConfig(raw: unknown, circumstances: Circumstances = {}): Parsed {
  const mistakes: string[] = [];
  const readings = readConfig(raw, mistakes);
  mistakes.push(...crossChecks(readings, circumstances));
  const ignored = ignoredKeys(readings, circumstances);
  if (mistakes.length > 0) return { mistakes: [...mistakes, ...ignored] };
  return { config: { ...meshConfig(readings), ignored } };
}

export interface ParsingTexts extends Circumstances {
  /** Reads the file that the key `mesh` names. */
  readonly readText: ReadText;
}

/** Names every mistake on a line of its own. */
export function needsChange(what: string, mistakes: readonly string[]): UserError {
  return new UserError([`${what} needs a change:`, ...mistakes].join("\n  "));
}

/**
 * Checks a config as Pulumi passes it, with every value as text under its full key, and the mesh file that it names.
 * Sentences begin with `what`.
 *
 * @throws UserError with a line for every mistake
 */
export function parseTexts(
  texts: Readonly<Record<string, string>>,
  what: string,
  { readText, ...circumstances }: ParsingTexts,
): MeshConfig {
  const shared = withMeshFile(valuesIn(texts), readText, circumstances.sealed);
  const stray = strayKeys(texts);
  if ("mistakes" in shared) throw needsChange(what, [...stray, ...shared.mistakes]);
  const { raw, fromFile } = shared;
  const parsed = parseConfig(raw, { ...circumstances, isShared: (key) => fromFile.has(key) });
  const named = (mistakes: readonly string[]) =>
    mistakes.map((mistake) => namingFile(mistake, shared));
  const mistakes = [...stray, ...("config" in parsed ? [] : named(parsed.mistakes))];
  if ("config" in parsed && mistakes.length === 0)
    return { ...parsed.config, ignored: named(parsed.config.ignored) };
  throw needsChange(what, mistakes);
}

/** Pulumi takes any prefix, and without its links a source would lose all mirrors. */
export function strayKeys(texts: Readonly<Record<string, string>>): string[] {
  return Object.keys(texts).flatMap((text) => {
    const [prefix = "", key = ""] = text.split(":");
    const isMeant = prefix !== project && nearest(prefix, [project]) !== undefined;
    return isMeant && Object.hasOwn(stack.keys, key)
      ? [`${text} has no effect: write ${project}:${key}.`]
      : [];
  });
}

export function valuesIn(texts: Readonly<Record<string, string>>): Record<string, unknown> {
  const prefix = `${project}:`;
  return Object.fromEntries(
    Object.entries(texts)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, text]) => [key.slice(prefix.length), text] as const)
      .map(([key, text]) => [key, valueOf(key, text)]),
  );
}

/** Maps and lists are JSON, words like `mesh` are plain text, and an empty key counts as unset. */
function valueOf(key: string, text: string): unknown {
  if (text === "") return null;
  try {
    return isText(key) ? text : JSON.parse(text);
  } catch {
    return text;
  }
}

/** The value is always text: a namespace may be called `1234`. */
function isText(key: string): boolean {
  const type = Object.entries<Key>(stack.keys).find(([name]) => name === key)?.[1].type;
  return type instanceof z.ZodString || type instanceof z.ZodEnum;
}
