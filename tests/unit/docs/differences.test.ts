import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";

const root = new URL("../../../", import.meta.url);

describe("docs/reference/differences.md names for each difference", () => {
  const rows = readFileSync(new URL("docs/reference/differences.md", root), "utf8")
    .split("\n")
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const sections = readFileSync(new URL("docs/reference/linkerd-behaviour.md", root), "utf8");

  it("a section of Linkerd's behaviour", () => {
    const missing = rows
      .flatMap(([, where = ""]) => where.split(", "))
      .filter(
        (number) => !new RegExp(`^###? ${number.replace(".", "\\.")}[. ]`, "m").test(sections),
      );
    assert.deepEqual(missing, []);
  });

  it("a test that there is", () => {
    const missing = rows
      .map(([, , , , test = ""]) => test.replaceAll("`", ""))
      .filter((file) => !existsSync(new URL(file, root)));
    assert.deepEqual(missing, []);
  });
});
