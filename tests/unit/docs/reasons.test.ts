import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { othersKeys } from "../../../engine/mirroring/model/metadata.ts";
import { reasons } from "../../../engine/mirroring/model/reasons.ts";

/** The rows of a page's table whose first cell is code. */
function rowsOf(page: string): string[][] {
  return readFileSync(new URL(`../../../docs/reference/${page}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
}

describe("docs/reference/reasons.md lists every reason for a missing mirror", () => {
  const rows = rowsOf("reasons.md");

  it("by its name, with its meaning, and what becomes of a mirror that is there", () => {
    const listed = rows.map(([, name, meaning, disposition]) => [name, meaning, disposition]);
    const known = Object.entries(reasons).map(([name, { meaning, keeps }]) => [
      `\`${name}\``,
      meaning,
      keeps ? "stays" : "goes",
    ]);
    assert.deepEqual(listed, known);
  });
});

describe("docs/reference/metadata.md lists all metadata that stays behind", () => {
  it("with the reason, and where that is known from", () => {
    const listed = rowsOf("metadata.md");
    assert.deepEqual(
      listed.map(([, key = "", why]) => [key.replaceAll("`", ""), why]),
      Object.entries(othersKeys),
    );
    assert.deepEqual(
      listed.filter(([, , , source = ""]) => !/^\[.+\]\(https:\/\/.+\)$/.test(source)),
      [],
    );
  });
});
