import { deepEqual } from "node:assert/strict";
import * as yaml from "yaml";
import { parseConfig } from "../../../config/parse.ts";
import type { LinkConfig, MeshConfig } from "../../../config/mesh.ts";

export type Raw = Readonly<Record<string, unknown>>;

export const westAndEast = { west: { context: "k3d-west" }, east: { context: "k3d-east" } };

export function mistakesIn(raw: unknown): readonly string[] {
  const parsed = parseConfig(raw);
  return "mistakes" in parsed ? parsed.mistakes : [];
}

/**
 * Defines one test per paragraph: a config as a user writes it, and after `! ` the sentences that must come, with paths
 * that lack `linkerd-multicluster:`. Without `clusters`, there are west and east.
 */
export function testSentences(text: string): void {
  for (const paragraph of text.trim().split(/\n\n+/)) {
    const [sentences = [], config = []] = [true, false].map((isSentence) =>
      paragraph.split("\n").filter((line) => line.startsWith("! ") === isSentence),
    );
    const { name, raw } = parsed(config.join("\n"));
    it(name, () => {
      const found = mistakesIn({ clusters: westAndEast, ...raw });
      deepEqual(
        found.map((sentence) => `! ${sentence.replaceAll("linkerd-multicluster:", "")}`),
        sentences,
      );
    });
  }
}

/** Parses a comment with the name of a test, and a config in which `link` stands for a link from east to west. */
export function parsed(source: string): { readonly name: string; readonly raw: Raw } {
  const { link, ...raw } = (yaml.parse(source) ?? {}) as Raw & { readonly link?: Raw };
  const links = link && { links: [{ source: "east", target: "west", ...link }] };
  return { name: source.replace(/^# (.*)\n?[^]*/, "$1"), raw: { ...raw, ...links } };
}

/** @throws an error with the mistakes that should not be there */
export function configOf(raw: Raw): MeshConfig {
  const parsed = parseConfig({ clusters: westAndEast, ...raw });
  if ("config" in parsed) return parsed.config;
  throw new Error(parsed.mistakes.join("\n"));
}

/** Returns a link from east to west with these keys, in a config with these other keys. */
export function linkOf(keys: Raw, others: Raw = {}): LinkConfig {
  const links = [{ source: "east", target: "west", ...keys }];
  const [link] = configOf({ links, ...others }).links;
  if (link === undefined) throw new Error("a listed link is gone");
  return link;
}
