import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { othersKeys } from "../../../engine/mirroring/model/metadata-keys.ts";
import { reasons } from "../../../engine/mirroring/model/reasons.ts";

const text = readFileSync(new URL("../../../docs/mirrors.md", import.meta.url), "utf8");

function rowsOf(part: string): string[][] {
  return part
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));
}

describe("docs/mirrors.md lists every reason for a missing mirror", () => {
  const rows = rowsOf(text.slice(text.indexOf("## Why a Service is not mirrored")));

  it("by its name, with its meaning, and what becomes of a mirror that is there", () => {
    const listed = rows.map(([, name, meaning, fate]) => [name, meaning, fate]);
    const known = Object.entries(reasons).map(([name, { meaning, keeps }]) => [
      `\`${name}\``,
      meaning,
      keeps ? "stays" : "goes",
    ]);
    assert.deepEqual(listed, known);
  });
});

describe("docs/mirrors.md lists all metadata that stays behind", () => {
  it("with the reason, and where that is known from", () => {
    const [, part = ""] = /### What stays behind\n([^]*?)\n#/.exec(text) ?? [];
    const listed = rowsOf(part);
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
