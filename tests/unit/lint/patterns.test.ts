import { deepEqual } from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const files = globSync(
  "{*.ts,{cli,components,config,engine,examples,scripts,tests}/**/*.{ts,mjs,json}}",
  { exclude: (name) => name === "node_modules" },
);

/** A rule for a folder that was renamed holds nowhere, and nobody notices. */
describe("the rules of lint for some folders", () => {
  it("name folders that exist, where they are about code", () => {
    const [, names = ""] =
      /files: \["\{(.+?)\}\//.exec(readFileSync("eslint.config.js", "utf8")) ?? [];
    const lost = names
      .split(",")
      .filter((name) => !files.some((file) => file.startsWith(`${name}/`)));
    deepEqual(lost, []);
  });

  it("name files that exist, with each alternative, where they are about arrows", async () => {
    const config: unknown = await import(pathToFileURL(".dependency-cruiser.mjs").href);
    const patterns = stringsIn(config).filter((text) => text.startsWith("^"));
    const lost = patterns.flatMap(alternatives).filter((each) => {
      const pattern = new RegExp(each);
      return !files.some((file) => pattern.test(file));
    });
    deepEqual([lost, patterns.length > 50], [[], true]);
  });
});

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Writes a pattern out for each combination of what its innermost groups offer. */
function alternatives(pattern: string): string[] {
  const found = /\((?!\?)([^()]+)\)/.exec(pattern);
  if (found === null) return [pattern];
  const { [0]: group, [1]: names = "", index } = found;
  return names
    .split("|")
    .flatMap((name) =>
      alternatives(pattern.slice(0, index) + name + pattern.slice(index + group.length)),
    );
}
