/** The manifests of docs/guides/databases.md, as its readers apply them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";

import { repository } from "../../bed/stack.ts";
import type { Config } from "../../bed/stack.ts";

const page = readFileSync(join(repository, "docs/guides/databases.md"), "utf8");

const blocks = new Map(
  [...page.matchAll(/^```yaml\n# (\S+)\n([^]*?)^```/gm)].map(([, name = "", text = ""]) => {
    return [name, text] as const;
  }),
);

/** @throws Error if the page has no such block */
export function blockOf(name: string): string {
  const text = blocks.get(name);
  if (text === undefined) throw new Error(`docs/guides/databases.md has no ${name}.`);
  return text;
}

/** Returns the keys of the page's stack, without the project's name. */
export function configOfGuide(): Config {
  const keys = parse(blockOf("Pulumi.prod.yaml")) as Config;
  return Object.fromEntries(
    Object.entries(keys).map(([key, value]) => [key.replace("linkerd-multicluster:", ""), value]),
  );
}
