import { isMap, isScalar, parseDocument, Scalar } from "yaml";
import { sections, stack } from "../config/keys/keys.ts";
import {
  absenceOf,
  capitalised,
  meaningOf,
  sentenceOf,
  type Key,
  type Section,
} from "../config/keys/schema.ts";
import { formatted, markdownTable, withTables } from "./docs-tables.ts";

/** Each function replaces the table of keys in the text of its file. */
export const documents = {
  "Pulumi.yaml": projectFile,
  "docs/reference/config.md": withTables("keys", table),
  "docs/reference/link-config.md": withTables("keys", table),
} as const;

/**
 * Replaces the config section of Pulumi.yaml, except for keys of Pulumi itself. Every key gets a default, because
 * Pulumi demands a value for a key without one. The default is empty, because otherwise it would look like a key of
 * the stack and replace that of a mesh file.
 *
 * @throws Error if there is no config section
 */
async function projectFile(text: string): Promise<string> {
  const document = parseDocument(text);
  const config = document.get("config");
  if (!isMap(config)) throw new Error("Pulumi.yaml has no config section");
  config.items = config.items.filter(({ key }) => isScalar(key) && String(key.value).includes(":"));
  const described = new Set<Section>();
  for (const [name, key] of Object.entries<Key>(stack.keys)) {
    const lines = [`${capitalised(sentenceOf(key))}.`, ...linesOf(key, described)];
    const description = new Scalar(lines.join("\n"));
    description.type = lines.length > 1 ? Scalar.BLOCK_LITERAL : Scalar.BLOCK_FOLDED;
    config.set(name, document.createNode({ description, default: "" }));
  }
  return formatted(document.toString({ lineWidth: 100 }), "yaml");
}

/** Lists the keys of each nested map once. */
function linesOf({ of }: Key, described: Set<Section>): string[] {
  if (of === undefined || described.has(of)) return [];
  described.add(of);
  return Object.entries<Key>(of.keys).flatMap(([name, key]) => {
    const nested = linesOf(key, described).map((line) => `  ${line}`);
    return [`- ${name}: ${sentenceOf(key)}`, ...nested];
  });
}

function table(name: string): string {
  const section = Object.entries<Section>(sections).find(([other]) => other === name)?.[1];
  if (section === undefined) throw new Error(`the table of config keys has no section ${name}`);
  const rows = Object.entries(section.keys).map(([key, doc]) => [
    `\`${key}\``,
    absenceOf(doc) ?? "required",
    linked(meaningOf(doc)),
  ]);
  return markdownTable([["key", "default", "meaning"], ...rows]);
}

/** Turns paths of pages into links relative to docs/reference; in Pulumi.yaml they are relative to the root. */
function linked(meaning: string): string {
  return meaning.replaceAll(/docs\/(\w+)\/([\w-]+)\.md/g, "[$2](../$1/$2.md)");
}
