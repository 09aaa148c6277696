import { deepEqual, equal } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clusterChecks, linkChecks } from "../../../engine/health/checks/all.ts";

const root = join(import.meta.dirname, "../../..");
const text = (file: string): string => readFileSync(join(root, file), "utf8");
const known = [...clusterChecks, ...linkChecks].map(({ id }) => id);

/** What a page has in backticks, in its tables, that looks like the name of a check. */
function named(lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    [...line.matchAll(/`([a-z]+(?:-[a-z]+)+|gateway)`/g)].map(([, id = ""]) => id),
  );
}

function rowsOf(page: string): string[] {
  return page.split("\n").filter((line) => line.startsWith("| "));
}

describe("docs/reference/checks.md", () => {
  const rows = rowsOf(text("docs/reference/checks.md"));

  it("names every check that there is, and no other", () => {
    const others = new Set(["linkerd-multicluster"]);
    const told = new Set(named(rows).filter((id) => !others.has(id)));
    deepEqual([...told].sort(), [...known].sort());
  });

  it("has a row for each check of linkerd multicluster check, in their order", () => {
    const [, section = ""] = text("docs/reference/linkerd-behaviour.md").split(/^## 8\. .*$/m);
    const theirs = rowsOf(section.split(/^## /m)[0] ?? "").flatMap(
      (line) => /^\| (\d+) \|/.exec(line)?.[1] ?? [],
    );
    equal(theirs.length, 14);
    deepEqual(
      rows.flatMap((line) => /^\| (\d+)\. /.exec(line)?.[1] ?? []),
      theirs,
    );
  });

  it("says where a check that has one of Linkerd's is, in the same row", () => {
    const [, section = ""] = text("docs/reference/linkerd-behaviour.md").split(/^## 8\. .*$/m);
    const numbers = new Map(
      rowsOf(section.split(/^## /m)[0] ?? "").map((line) => {
        const [, number = "", , anchor = ""] = line.split("|").map((cell) => cell.trim());
        return [anchor, number] as const;
      }),
    );
    const wrong = [...clusterChecks, ...linkChecks].flatMap(({ id, anchor = "" }) => {
      const number = numbers.get(anchor);
      const row = rows.find((line) => line.startsWith(`| ${number ?? ""}. `)) ?? "";
      return number === undefined || row.includes(`\`${id}\``) ? [] : [id];
    });
    deepEqual(wrong, []);
  });
});
