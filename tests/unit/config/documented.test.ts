import { deepEqual, equal, match, notEqual, rejects } from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as yaml from "yaml";
import * as z from "zod";
import { documents } from "../../../scripts/config-docs.ts";
import { sections } from "../../../config/keys/keys.ts";
import { parseTexts } from "../../../config/parse.ts";
import { configOf } from "./table.ts";
import type { Section } from "../../../config/keys/schema.ts";

const everySection = Object.values<Section>(sections);
const projectFile = z.object({ config: z.record(z.string(), z.looseObject({})) });

function fileAt(name: string): string {
  return readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8");
}

/** In code, a word such as `name` is a key; elsewhere it may be any word. */
function codeIn(markdown: string): string {
  return (markdown.match(/```[^]*?```|`[^`]+`/g) ?? []).join("\n");
}

describe("stack config: every key", () => {
  it("is documented in the reference, as code", () => {
    const pages = Object.keys(documents).filter((name) => name.endsWith(".md"));
    const code = codeIn(pages.map(fileAt).join("\n"));
    const missing = everySection
      .flatMap(({ keys }) => Object.keys(keys))
      .filter((key) => !new RegExp(`(?<![\\w-])${key}(?![\\w-])`).test(code));
    deepEqual(missing, []);
  });

  it("is documented in a table of a map that exists", async () => {
    const table = (section: string) =>
      documents["docs/reference/config.md"](
        `<!-- npm run docs: keys of ${section} -->\n<!-- end of keys -->\n`,
      );
    match(await table("topology"), /^\| `hub` +\| no hub +\| the cluster that is linked with/m);
    await rejects(table("gatway"), {
      message: "the table of config keys has no section gatway",
    });
  });
});

describe("stack config: generated files", () => {
  it("Pulumi.yaml loses removed keys and keeps those of Pulumi itself", async () => {
    const known = fileAt("Pulumi.yaml");
    const text = known.replace("  clusters:\n", "  cluster: { default: {} }\n  clusters:\n");
    notEqual(text, known);
    equal(await documents["Pulumi.yaml"](text), known);
    equal(known.includes("\n  pulumi:disable-default-providers:\n"), true);
  });

  it("Pulumi.yaml has a default for every key, which counts as unset", () => {
    const { config } = projectFile.parse(yaml.parse(fileAt("Pulumi.yaml")));
    const own = Object.entries(config).filter(([key]) => !key.includes(":"));
    const texts = own.map(([key, { default: value }]) => {
      equal(value, "", key);
      return [`linkerd-multicluster:${key}`, ""] as const;
    });
    const mesh = "clusters: { west: }\nlinks: []\nmanage: links";
    deepEqual(
      parseTexts({ ...Object.fromEntries(texts), "linkerd-multicluster:mesh": "mesh.yaml" }, "It", {
        readText: () => mesh,
      }),
      configOf({ clusters: { west: null }, manage: "links" }),
    );
  });

  it("every default of the table is valid for its key", () => {
    for (const { noun, keys } of everySection)
      for (const [name, key] of Object.entries(keys))
        if ("default" in key)
          equal(key.type.safeParse(key.default).success, true, `${noun}: ${name}`);
  });
});
