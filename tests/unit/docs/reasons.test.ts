import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { reasons } from "../../../engine/mirroring/model/reasons.ts";

describe("docs/mirrors.md lists every reason for a missing mirror", () => {
  const text = readFileSync(new URL("../../../docs/mirrors.md", import.meta.url), "utf8");
  const rows = text
    .split("\n")
    .filter((line) => /^\| `[A-Z]\w+`/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));

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
