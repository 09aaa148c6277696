import { deepEqual, equal } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import * as yaml from "yaml";
import * as z from "zod";
import { sections, stack } from "../../../config/keys.ts";
import { parseConfig } from "../../../config/parse.ts";

const root = new URL("../../../", import.meta.url);
const everyKey = [...new Set(Object.values(sections).flatMap(({ keys }) => Object.keys(keys)))];

const projectFile = z.object({
  config: z
    .record(z.string(), z.object({ description: z.string(), default: z.unknown() }))
    .optional(),
});

/** The project's own keys; those of Pulumi itself, like `pulumi:...`, are not for stacks to set. */
function ownConfig() {
  const file = yaml.parse(fileAt("Pulumi.yaml") ?? "") as { readonly config?: object };
  const own = Object.entries(file.config ?? {}).filter(([key]) => !key.includes(":"));
  return projectFile.parse({ config: Object.fromEntries(own) }).config;
}

const stackFile = z.object({ config: z.record(z.string(), z.unknown()) });

function fileAt(name: string): string | undefined {
  const file = new URL(name, root);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

describe("stack config: every key is documented", () => {
  it("in README.md, as code", function () {
    const readme = fileAt("README.md");
    if (readme === undefined) return this.skip();
    const missing = everyKey.filter((key) => !mentions(codeIn(readme), key));
    deepEqual(missing, []);
  });

  it("in Pulumi.yaml: each top-level key with a default, each nested one in a description", function () {
    const config = ownConfig();
    if (config === undefined) return this.skip();
    deepEqual(Object.keys(config), Object.keys(stack.keys));
    const descriptions = Object.values(config)
      .map(({ description }) => description)
      .join("\n");
    const nested = everyKey.filter((key) => !Object.keys(stack.keys).includes(key));
    deepEqual(
      nested.filter((key) => !mentions(descriptions, key)),
      [],
    );
  });

  it("in Pulumi.yaml: its defaults are those of the program", function () {
    const config = ownConfig();
    if (config === undefined) return this.skip();
    const defaults = Object.entries(config).map(([key, doc]) => [key, doc.default] as const);
    const clusters = { west: null };
    deepEqual(
      parseConfig({ ...Object.fromEntries(defaults), clusters }),
      parseConfig({ clusters }),
    );
    // A key without a default would be one that Pulumi asks every stack for.
    for (const [key, value] of defaults) equal(value === undefined || value === null, false, key);
  });

  it("Pulumi.dev.yaml is a config without mistakes", function () {
    const text = fileAt("Pulumi.dev.yaml");
    if (text === undefined) return this.skip();
    const { config } = stackFile.parse(yaml.parse(text));
    const prefix = "linkerd-multicluster:";
    const raw = Object.entries(config)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value] as const);
    const parsed = parseConfig(Object.fromEntries(raw));
    deepEqual("mistakes" in parsed ? parsed.mistakes : [], []);
  });
});

function mentions(text: string, key: string): boolean {
  return new RegExp(`(?<![\\w-])${key}(?![\\w-])`).test(text);
}

/** Code spans and code blocks: there a word such as `name` is a key, elsewhere it may be any word. */
function codeIn(markdown: string): string {
  return (markdown.match(/```[^]*?```|`[^`]+`/g) ?? []).join("\n");
}
