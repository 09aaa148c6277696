import assert from "node:assert/strict";
import { existsSync, globSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { root, text } from "./pages.ts";

const files = globSync(["*.md", "docs/**/*.md", "examples/**/*.md"], { cwd: root });

/** Code blocks hold commands and output, not links. */
function prose(file: string): string {
  return text(file).replace(/^```[^]*?^```/gm, "");
}

/** Headings as the addresses that links name them by. */
function anchorsIn(file: string): string[] {
  return [...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

function brokenLinks(file: string): string[] {
  const targets = [...prose(file).matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
  return targets
    .filter((target) => !target.includes("://"))
    .filter((target) => {
      const [path = "", anchor] = target.split("#");
      const to = path === "" ? file : join(dirname(file), path);
      if (!existsSync(join(root, to))) return true;
      return anchor !== undefined && !anchorsIn(to).includes(anchor);
    });
}

/** Paths in backticks begin with a folder of the repository; those with `./` are of somewhere else. */
function brokenPaths(file: string): string[] {
  const spans = [...prose(file).matchAll(/`(?!\.\/)([\w.-]+\/[\w./-]*)`/g)].map(
    ([, span = ""]) => span,
  );
  return spans.filter((span) => {
    const [top = ""] = span.split("/");
    const isOurs = existsSync(join(root, top)) && statSync(join(root, top)).isDirectory();
    return isOurs && !existsSync(join(root, span));
  });
}

describe("documentation leads to what exists:", () => {
  for (const file of files) {
    it(`links in ${file}`, () => {
      assert.deepEqual(brokenLinks(file), []);
    });

    it(`paths in ${file}`, () => {
      assert.deepEqual(brokenPaths(file), []);
    });
  }
});
