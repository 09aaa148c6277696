import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { bounds } from "../../../engine/kubernetes/objects/bounds.ts";

describe("docs/reference/limits.md lists every bound of what a cluster may say", () => {
  const text = readFileSync(new URL("../../../docs/reference/limits.md", import.meta.url), "utf8");

  it("with how much it is, of what, and what becomes of more", () => {
    const [sizes = ""] = text.split("\n## Time\n");
    const rows = sizes
      .split("\n")
      .filter((line) => line.startsWith("| "))
      .slice(2)
      .map((line) => line.split("|").map((cell) => cell.trim()));
    deepEqual(
      rows.map(([, most, what, beyond]) => [most, what, beyond]),
      Object.values(bounds).map(({ most, what, beyond }) => [
        most.toLocaleString("en"),
        what,
        beyond,
      ]),
    );
  });
});
