import { deepEqual, equal } from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { root, rowsOf, text } from "./pages.ts";

/** The tests that the rows of a page name, in those tables whose last column is headed `test`. */
function testsIn(page: string): string[][] {
  return rowsOf(page, (header) => header.at(-1) === "test").map((row) =>
    [...(row.at(-1) ?? "").matchAll(/`(tests\/[^`]+)`/g)].map(([, path = ""]) => path),
  );
}

/** A file with tests in it, or a folder with such files. */
function isEvidence(path: string): boolean {
  const files = path.endsWith("/") ? globSync(`${path}*.test.ts`, { cwd: root }) : [path];
  const hasTests = (file: string) =>
    existsSync(join(root, file)) && /\bit\(|testMistakes\(/.test(text(file));
  return files.length > 0 && files.every((file) => file.endsWith(".test.ts") && hasTests(file));
}

for (const page of ["explanation/guarantees", "explanation/threat-model", "reference/differences"])
  it(`docs/${page}.md names for each promise a test that there is`, () => {
    const rows = testsIn(`docs/${page}.md`);
    equal(rows.length >= 20, true, `${rows.length} rows`);
    deepEqual(
      rows.filter((tests) => tests.length === 0 || !tests.every(isEvidence)),
      [],
    );
  });

it("docs/explanation/guarantees.md leaves out no evidence", () => {
  const named = testsIn("docs/explanation/guarantees.md").flat();
  const isNamed = (file: string) =>
    named.some((path) => (path.endsWith("/") ? file.startsWith(path) : file === path));
  const files = globSync("tests/reliability/**/*.test.ts", { cwd: root });
  deepEqual(
    files.filter((file) => !isNamed(file)),
    [],
  );
});
