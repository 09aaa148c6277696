import { deepEqual, ok } from "node:assert/strict";
import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { stack } from "../../../config/keys/keys.ts";
import type { Section } from "../../../config/keys/schema.ts";
import { clusterChecks, linkChecks } from "../../../engine/health/checks/all.ts";
import { root, rowsOf, text } from "./pages.ts";

const exists = (path: string) => existsSync(join(root, path));
const files = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root });

/** Removes code blocks, which hold commands and output, not links. */
const prose = (file: string) => text(file).replace(/^```[^]*?^```/gm, "");

/** Returns the first group of each match. */
const found = (pattern: RegExp, where: string) =>
  [...where.matchAll(pattern)].map(([, group = ""]) => group);

/** Returns the anchors of a page's headings. */
function anchorsIn(file: string): string[] {
  return found(/^#+ (.+)$/gm, prose(file)).map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

function isBrokenLink(target: string, file: string): boolean {
  if (target.includes("://")) return false;
  const [path = "", anchor] = target.split("#");
  const to = path === "" ? file : join(dirname(file), path);
  return !exists(to) || (anchor !== undefined && !anchorsIn(to).includes(anchor));
}

/** Paths in backticks start with a folder of the repository. */
function isBrokenPath(path: string): boolean {
  const [top = ""] = path.split("/");
  return exists(top) && statSync(join(root, top)).isDirectory() && !exists(path);
}

it("every link and path in the documentation leads to something that exists", () => {
  const broken = files.flatMap((file) => {
    const links = found(/\]\(([^)]+)\)/g, prose(file));
    const paths = found(/`(?!\.\/)([\w.-]+\/[\w./-]*)`/g, prose(file));
    const scripts = found(/(?<![\w./-])(examples\/[\w./-]+\.(?:sh|yaml))\b/g, text(file));
    const all = [
      ...links.filter((link) => isBrokenLink(link, file)),
      ...[...paths, ...scripts].filter(isBrokenPath),
    ];
    return all.map((target) => `${file}: ${target}`);
  });
  deepEqual(broken, []);
});

it("every test that a page names has tests in it", () => {
  const named = files.flatMap((page) =>
    found(/`(tests\/[\w./-]+\.test\.ts)`/g, prose(page)).map((test) => ({ page, test })),
  );
  ok(new Set(named.map(({ page }) => page)).size > 5);
  const hasTests = (file: string) => /\b(?:it|tells|test[A-Z]\w+)\(/.test(text(file));
  deepEqual(
    named.filter(({ test }) => !hasTests(test)),
    [],
  );
});

/** Returns the tests that each row names, in tables whose last column is headed `test`. */
const testsIn = (page: string) =>
  rowsOf(page, (header) => header.at(-1) === "test").map((row) =>
    found(/`(tests\/[^`]+(?:\.test\.ts|\/))`/g, row.at(-1) ?? ""),
  );

for (const page of ["explanation/guarantees", "explanation/threat-model", "reference/differences"])
  it(`docs/${page}.md names a test for each promise`, () => {
    const rows = testsIn(`docs/${page}.md`);
    ok(rows.length >= 20);
    deepEqual(
      rows.filter((tests) => tests.length === 0),
      [],
    );
  });

it("docs/explanation/guarantees.md names every file of tests/reliability", () => {
  const named = testsIn("docs/explanation/guarantees.md").flat();
  deepEqual(
    globSync("tests/reliability/**/*.test.ts", { cwd: root }).filter(
      (file) => !named.some((path) => file.startsWith(path)),
    ),
    [],
  );
});

describe("docs/reference/upstream-bugs.md", () => {
  const bugs = text("docs/reference/upstream-bugs.md").replaceAll("\n ", " ").split(/^- /m);
  /** Returns numbers such as `#12406`, and versions for bugs without one, such as `edge-20.5.4`. */
  const references = (line: string) => found(/(#\d+|edge-\d+\.\d+\.\d+)/g, line);

  it("names a test for each bug, or says why there is none", () => {
    const named = /^(`tests\/[^`]+\.test\.ts`|not possible: .|by choice: .)/;
    deepEqual(
      bugs.slice(1).filter((bug) => !named.test(bug)),
      [],
    );
  });

  it("lists every bug in the history of linkerd-behaviour.md", () => {
    const listed = new Set(bugs.flatMap(references));
    const known = rowsOf(
      "docs/reference/linkerd-behaviour.md",
      ([, second]) => second === "Version",
    )
      .map(([, version = "", changes = ""]) => (changes.startsWith("#") ? changes : version))
      .flatMap(references);
    ok(known.length > 80);
    deepEqual(
      known.filter((name) => !listed.has(name)),
      [],
    );
  });
});

/** Tells whether a path such as `links[].gateway.port` leads to a config key. */
function isKey(path: string): boolean {
  let section: Section | undefined = stack;
  for (const name of path.replaceAll("[]", "").replaceAll(".<cluster>", "").split(".")) {
    const key: Section["keys"][string] | undefined = section?.keys[name];
    if (key === undefined) return false;
    section = key.of;
  }
  return true;
}

describe("the reference agrees with the program:", () => {
  it("checks.md names checks that exist", () => {
    const cells = rowsOf("docs/reference/checks.md").join();
    const known: readonly string[] = [...clusterChecks, ...linkChecks].map(({ id }) => id);
    const named = found(/`([a-z]+(?:-[a-z]+)+|gateway)`/g, cells);
    deepEqual(
      named.filter((id) => !known.includes(id) && id !== "linkerd-multicluster"),
      [],
    );
  });

  it("linkerd-cli.md names config keys that exist", () => {
    const named = rowsOf("docs/reference/linkerd-cli.md")
      .flatMap(([, ours = ""]) => found(/`([^`:]+)(?:: [^`]*)?`/g, ours))
      .filter((path) => (path.split(/[.[]/)[0] ?? "") in stack.keys);
    ok(named.length > 30);
    deepEqual(
      named.filter((path) => !isKey(path)),
      [],
    );
  });
});

it("pages: no command installs or runs a package by a name that nobody has taken", () => {
  const named = /(npx (?!--no )|npm (install|i) )(linkerd-(multicluster|clusters))\b/;
  deepEqual(
    files.filter((file) => file !== "CHANGELOG.md" && named.test(text(file))),
    [],
  );
});
