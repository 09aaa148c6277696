import { parseDocument } from "yaml";
import { mustBe, project, quoted } from "./mistakes.ts";
import { codeOf, invalid, type Result } from "@linkerd-multicluster/engine/base";
import { isRecord } from "@linkerd-multicluster/engine/kubernetes";

export interface Shared {
  /** Has the top-level keys of both, unchecked; a stack's own key replaces the file's as a whole. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly file?: string;
  readonly fromFile: ReadonlySet<string>;
}

/** Takes a path from the project's folder, and throws as Node's own functions do. */
export type ReadText = (path: string) => string;

/** These keys belong to one stack. */
const ownKeys = ["mesh", "sources"];

/** Merges the file named by `mesh` into a stack's own top-level keys. Leaves out the keys in `without`, of either. */
export function withMeshFile(
  own: Readonly<Record<string, unknown>>,
  readText: ReadText,
  without: ReadonlySet<string> = new Set(),
): Shared | { readonly mistakes: readonly string[] } {
  const set = Object.entries(own).filter(([key, value]) => value !== null && !without.has(key));
  const { mesh: file } = own;
  // Mistakes in the key itself are reported with all others.
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

/** Parses a file's top-level map, as YAML of a version; returns the end of a sentence if the file is invalid. */
export function contentOf(
  file: string,
  readText: ReadText,
  version: "1.1" | "1.2" = "1.2",
): Result<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    const code = codeOf(error);
    return invalid(`can't be read (${code === "ENOENT" ? "there is no such file" : code})`);
  }
  const document = parseDocument(text, { version });
  // The parser's own errors quote surrounding lines, which may hold secrets.
  const [error] = document.errors;
  const [at] = error?.linePos ?? [];
  if (error !== undefined)
    return invalid(`is not YAML${at === undefined ? "" : ` (line ${at.line})`}`);
  try {
    const content: unknown = document.contents === null ? {} : document.toJS();
    return isRecord(content) ? { value: content } : invalid("holds no map of keys");
  } catch {
    // Aliases could fill the memory.
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

function named(file: string): string {
  return quoted(file).slice(1, -1);
}

/** Sorts clusters as Pulumi does for a stack's own config, so that the key may move from one place to the other. */
function sorted([key, value]: readonly [string, unknown]): readonly [string, unknown] {
  if (key !== "clusters" || !isRecord(value)) return [key, value];
  const names = Object.keys(value).toSorted();
  return [key, Object.fromEntries(names.map((name) => [name, value[name]]))];
}

/**
 * Replaces paths in a sentence that lead into the file by the file's name: `linkerd-multicluster:links[0].source`
 * becomes `mesh.yaml: links[0].source`.
 */
export function namingFile(text: string, { file, fromFile }: Shared): string {
  if (file === undefined) return text;
  return text.replaceAll(new RegExp(`${project}:([A-Za-z]+)`, "g"), (path: string, key: string) =>
    fromFile.has(key) ? `${named(file)}: ${key}` : path,
  );
}
