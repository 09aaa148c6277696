import { deepEqual, equal } from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root, rowsOf, text } from "./pages.ts";

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
    const isHistory = (header: readonly string[]) => header[1] === "Version";
    const known = rowsOf("docs/reference/linkerd-behaviour.md", isHistory).flatMap(
      ([, version = "", changes = ""]) => references(changes.startsWith("#") ? changes : version),
    );
    equal(known.length > 80, true, "the table was not found");
    deepEqual(
      known.filter((name) => !names.has(name)),
      [],
    );
  });
});
