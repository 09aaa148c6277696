import { deepEqual, equal } from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const text = (file: string): string => readFileSync(join(root, file), "utf8");

/** `12406`, or a version where there is no number: `edge-20.5.4`. */
function references(line: string): string[] {
  return [...line.matchAll(/#(\d+)|(edge-\d+\.\d+\.\d+)/g)].map(
    ([, number, version]) => number ?? version ?? "",
  );
}

describe("docs/reference/upstream-bugs.md", () => {
  const items = text("docs/reference/upstream-bugs.md")
    .split(/^- /m)
    .slice(1)
    .map((item) => item.replaceAll("\n", " "));

  it("names for each bug a test that there is, or why there is none", () => {
    const wrong = items.filter((item) => {
      const file = /^`(tests\/[^`]+\.test\.ts)`/.exec(item)?.[1];
      if (file === undefined) return !/^(not possible|by choice): ./.test(item);
      return !existsSync(join(root, file));
    });
    deepEqual(wrong, []);
  });

  it("has every one of linkerd-behaviour.md", () => {
    const names = new Set(items.flatMap(references));
    const [, section = ""] = text("docs/reference/linkerd-behaviour.md").split(/^## 10\. .*$/m);
    const known = (section.split(/^## /m)[0] ?? "").split("\n").flatMap((line) => {
      const [, number = "", version = "", changes = ""] = line
        .split("|")
        .map((cell) => cell.trim());
      if (!/^\d+$/.test(number)) return [];
      return references(changes.startsWith("#") ? changes : version);
    });
    equal(known.length > 80, true, "the section was not found");
    deepEqual(
      known.filter((name) => !names.has(name)),
      [],
    );
  });
});
