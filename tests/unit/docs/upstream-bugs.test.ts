import { deepEqual } from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const root = path.join(import.meta.dirname, "../../..");
const text = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** `12406`, or a version where there is no number: `edge-20.5.4`. */
const reference = /#(\d+)|(edge-\d+\.\d+\.\d+)/g;

function references(line: string): string[] {
  return [...line.matchAll(reference)].map(([, number, version]) => number ?? version ?? "");
}

/** `12406 runs.test.ts`, one line for each. */
function pairs(all: readonly (readonly [names: readonly string[], file: string])[]): string[] {
  const lines = all.flatMap(([names, file]) => names.map((name) => `${name} ${file}`));
  return [...new Set(lines)].sort();
}

describe("docs/reference/upstream-bugs.md", () => {
  const rows = text("docs/reference/upstream-bugs.md")
    .split(/^- /m)
    .slice(1)
    .map((item) => ({ here: item.replaceAll("\n", " "), names: references(item) }));
  const tested = rows.filter(({ here }) => here.startsWith("`"));
  const others = rows.filter((row) => !tested.includes(row));

  it("names for each test file the bugs that it is about, and no others", () => {
    const files = globSync("tests/reliability/upstream-bugs/*.test.ts", { cwd: root });
    const titles = files.flatMap((file) =>
      [...text(file).matchAll(/\bit\(\s*["`]([^"`]+)/g)].map(([, title = ""]) => {
        const names = references(title.split(":")[0] ?? "");
        return [names, path.basename(file)] as const;
      }),
    );
    deepEqual(
      titles.filter(([names]) => names.length === 0),
      [],
    );
    const told = tested.map(
      ({ here, names }) => [names, /^`([^`]+)`/.exec(here)?.[1] ?? ""] as const,
    );
    deepEqual(pairs(told), pairs(titles));
  });

  it("says of each bug without a test why there is none", () => {
    deepEqual(
      others.filter(({ here }) => !/^(not possible|by choice): ./.test(here)),
      [],
    );
    const named = others.flatMap(({ names }) => names);
    deepEqual(named, [...new Set(named)]);
    const both = tested.flatMap(({ names }) => names.filter((name) => named.includes(name)));
    deepEqual(both, []);
  });

  it("has every one of linkerd-behaviour.md", () => {
    const names = rows.flatMap((row) => row.names);
    const [, section = ""] = text("docs/reference/linkerd-behaviour.md").split(/^## 10\. .*$/m);
    const history = (section.split(/^## /m)[0] ?? "").split("\n");
    const known = history.flatMap((line) => {
      const [, number = "", version = "", changes = ""] = line
        .split("|")
        .map((cell) => cell.trim());
      if (!/^\d+$/.test(number)) return [];
      return references(changes.startsWith("#") ? changes : version);
    });
    deepEqual(
      known.filter((name) => !names.includes(name)),
      [],
    );
    // The section was found.
    deepEqual(known.length > 80, true);
  });
});
