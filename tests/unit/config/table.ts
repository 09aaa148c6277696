import { deepEqual } from "node:assert/strict";
import { parseConfig } from "../../../config/parse.ts";
import type { LinkConfig, MeshConfig } from "../../../config/mesh.ts";

/** What is wrong, the config besides `clusters: {west, east}`, and the sentences that must come. */
export type MistakeRow = readonly [name: string, raw: Raw, sentences: readonly string[]];

export type Raw = Readonly<Record<string, unknown>>;

export const westAndEast = { west: { context: "k3d-west" }, east: { context: "k3d-east" } };

export function mistakesIn(raw: unknown): readonly string[] {
  const parsed = parseConfig(raw);
  return "mistakes" in parsed ? parsed.mistakes : [];
}

/** One test per row; paths in the sentences are written without `linkerd-multicluster:`. */
export function testMistakes(rows: readonly MistakeRow[]): void {
  for (const [name, raw, sentences] of rows) {
    it(name, () => {
      const found = mistakesIn({ clusters: westAndEast, ...raw });
      deepEqual(
        found.map((sentence) => sentence.replaceAll("linkerd-multicluster:", "")),
        sentences,
      );
    });
  }
}

/** The config that is meant, or an error with the mistakes that should not be there. */
export function configOf(raw: Raw): MeshConfig {
  const parsed = parseConfig({ clusters: westAndEast, ...raw });
  if ("config" in parsed) return parsed.config;
  throw new Error(parsed.mistakes.join("\n"));
}

/** A link from east to west with these keys, in a config with these other keys. */
export function linkOf(keys: Raw, others: Raw = {}): LinkConfig {
  const [link] = configOf({
    links: [{ source: "east", target: "west", ...keys }],
    ...others,
  }).links;
  if (link === undefined) throw new Error("a listed link is gone");
  return link;
}

/** The same for mistakes: a row whose config is one link with these keys. */
export function linkRow(name: string, keys: Raw, sentences: readonly string[]): MistakeRow {
  return [name, { links: [{ source: "east", target: "west", ...keys }] }, sentences];
}
