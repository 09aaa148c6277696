import { deepEqual, equal } from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
const text = (file: string): string => readFileSync(join(root, file), "utf8");

/** The rows of those tables of a page whose last column is headed `test`. */
function rowsOf(page: string): { readonly claim: string; readonly tests: readonly string[] }[] {
  const tables = text(page)
    .split(/\n{2,}/)
    .map((block) => block.split("\n").filter((line) => line.startsWith("|")));
  return tables
    .filter(([header = ""]) => cellsOf(header).at(-1) === "test")
    .flatMap(([, , ...rows]) => rows)
    .map((row) => {
      const cells = cellsOf(row);
      const paths = (cells.at(-1) ?? "").matchAll(/`(tests\/[^`]+)`/g);
      return { claim: cells[0] ?? "", tests: [...paths].map(([, path = ""]) => path) };
    });
}

function cellsOf(row: string): string[] {
  return row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** A file with tests in it, or a folder with such files. */
function isEvidence(path: string): boolean {
  const files = path.endsWith("/") ? globSync(`${path}*.test.ts`, { cwd: root }) : [path];
  return (
    files.length > 0 &&
    files.every((file) => {
      return (
        file.endsWith(".test.ts") &&
        existsSync(join(root, file)) &&
        /\bit\(|testMistakes\(/.test(text(file))
      );
    })
  );
}

for (const [page, least] of [
  ["docs/explanation/guarantees.md", 20],
  ["docs/explanation/threat-model.md", 20],
  ["docs/reference/differences.md", 20],
] as const)
  describe(`${page} names for each promise`, () => {
    const rows = rowsOf(page);

    it("a test, and tests that there are", () => {
      equal(rows.length >= least, true, `${rows.length} rows`);
      deepEqual(
        rows.filter(({ tests }) => tests.length === 0 || !tests.every(isEvidence)),
        [],
      );
    });
  });

describe("docs/explanation/guarantees.md leaves out no evidence:", () => {
  const named = rowsOf("docs/explanation/guarantees.md").flatMap(({ tests }) => tests);

  for (const file of globSync("tests/reliability/**/*.test.ts", { cwd: root }).sort())
    it(file, () => {
      equal(
        named.some((path) => (path.endsWith("/") ? file.startsWith(path) : file === path)),
        true,
      );
    });
});
