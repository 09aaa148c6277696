import { parseDocument } from "yaml";
import { mustBe, project, quoted } from "./mistakes.ts";
import { codeOf, invalid, isRecord, type Result } from "@linkerd-multicluster/engine/kubernetes";

/** A file of keys that several stacks share, and the stack's own keys over it. */
export interface Shared {
  /** The top-level keys of both, unchecked; a stack's own key replaces that of the file as a whole. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** The file's path as the stack names it. */
  readonly file?: string;
  /** The top-level keys that come from the file. */
  readonly fromFile: ReadonlySet<string>;
}

/** Reads a text file by its path from the project's folder; throws as Node's own functions do. */
export type ReadText = (path: string) => string;

/** The keys that are one stack's alone. */
const ownKeys = ["mesh", "sources"];

/**
 * Adds what the file that `mesh` names says to a stack's own config.
 *
 * @param own the stack's top-level keys, unchecked
 * @param without keys that nobody needs, of either
 * @returns both; or what is wrong with the file, each one sentence that names it
 */
export function withMeshFile(
  own: Readonly<Record<string, unknown>>,
  readText: ReadText,
  without: ReadonlySet<string> = new Set(),
): Shared | { readonly mistakes: readonly string[] } {
  const set = Object.entries(own).filter(([key, value]) => value !== null && !without.has(key));
  const { mesh: file } = own;
  // What is wrong with the key itself is told with all else.
  if (typeof file !== "string" || file === "")
    return { raw: Object.fromEntries(set), fromFile: new Set() };
  const found = contentOf(file, readText);
  if ("why" in found) {
    const state = `is ${quoted(file)}, which ${found.why}`;
    return { mistakes: [mustBe(["mesh"], state, "the path of a YAML file")] };
  }
  const content = found.value;
  const mistakes = Object.keys(content).flatMap((key) => misplaced(file, key));
  if (mistakes.length > 0) return { mistakes };
  const shared = Object.entries(content).filter(([key]) => !without.has(key));
  const replaced = new Set(set.map(([key]) => key));
  return {
    file,
    raw: Object.fromEntries([...shared.map(sorted), ...set]),
    fromFile: new Set(shared.map(([key]) => key).filter((key) => !replaced.has(key))),
  };
}

/** A file's top-level map, or the end of a sentence about what is wrong with the file. */
export function contentOf(
  file: string,
  readText: ReadText,
): Result<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    const code = codeOf(error);
    return invalid(`can't be read (${code === "ENOENT" ? "there is no such file" : code})`);
  }
  const document = parseDocument(text);
  // The parser's own errors quote the lines around the mistake, which may hold secrets.
  const [error] = document.errors;
  const [at] = error?.linePos ?? [];
  if (error !== undefined)
    return invalid(`is not YAML${at === undefined ? "" : ` (line ${at.line})`}`);
  try {
    const content: unknown = document.contents === null ? {} : document.toJS();
    return isRecord(content) ? { value: content } : invalid("holds no map of keys");
  } catch {
    // Aliases that would fill the memory.
    return invalid("repeats too much by aliases");
  }
}

function misplaced(file: string, key: string): string[] {
  const prefix = `${project}:`;
  if (key.startsWith(prefix))
    return [
      `${named(file)}: ${quoted(key)} has a prefix; the keys of a mesh file are written without "${prefix}".`,
    ];
  if (!ownKeys.includes(key)) return [];
  return [`${named(file)}: ${key} is set; it must be set in the config of each stack itself.`];
}

/** The file's name in messages. */
function named(file: string): string {
  return quoted(file).slice(1, -1);
}

/** The clusters sorted as Pulumi hands over a stack's own, so that a key may move from one place to the other. */
function sorted([key, value]: readonly [string, unknown]): readonly [string, unknown] {
  if (key !== "clusters" || !isRecord(value)) return [key, value];
  const names = Object.keys(value).toSorted();
  return [key, Object.fromEntries(names.map((name) => [name, value[name]]))];
}

/**
 * A sentence about the config, with each path that leads into the file named by the file: what it calls
 * `linkerd-multicluster:links[0].source` is `mesh.yaml: links[0].source` there.
 */
export function namingFile(text: string, { file, fromFile }: Shared): string {
  if (file === undefined) return text;
  return text.replaceAll(new RegExp(`${project}:([A-Za-z]+)`, "g"), (path: string, key: string) =>
    fromFile.has(key) ? `${named(file)}: ${key}` : path,
  );
}
