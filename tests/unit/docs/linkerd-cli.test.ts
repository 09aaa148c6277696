import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stack } from "../../../config/keys.ts";
import type { Section } from "../../../config/schema.ts";
import { guides } from "./guide-commands.ts";

const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/reference/linkerd-cli.md"), "utf8");

interface Row {
  /** The code spans of the first column, as a shell has them. */
  readonly theirs: readonly string[];
  readonly ours: string;
}

/** The rows of the table under a heading. */
function rowsUnder(heading: string): Row[] {
  const [, section = ""] = page.split(`## ${heading}\n`);
  const [body = ""] = section.split(/^## /m);
  return body
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => {
      const [, theirs = "", ours = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      return { theirs: spansIn(theirs).map((span) => span.replaceAll("\\|", "|")), ours };
    });
}

function spansIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
}

/** `<pod>` stands for one word. */
function patternOf(command: string): RegExp {
  const parts = command.split(/<\w+>/).map((part) => part.replace(/[^\w ]/g, "\\$&"));
  return new RegExp(`^${parts.join("\\S+?")}$`);
}

/** What is said of config keys: `links[].gateway.port`, `manage: all`. */
function keysIn(text: string): string[] {
  return spansIn(text)
    .map((span) => span.replace(/: .*$/, ""))
    .filter((span) => (span.split(/[.[]/)[0] ?? "") in stack.keys);
}

function isKey(path: string): boolean {
  const [top = "", ...rest] = path.replaceAll("[]", "").replaceAll(".<cluster>", "").split(".");
  let section: Section | undefined = stack;
  for (const name of [top, ...rest]) {
    const key: Section["keys"][string] | undefined = section?.keys[name];
    if (key === undefined) return false;
    section = key.of;
  }
  return true;
}

describe("docs/reference/linkerd-cli.md says what each command of Linkerd's guides is here:", () => {
  for (const { heading, commands } of guides) {
    const rows = rowsUnder(heading);
    const patterns = rows.flatMap(({ theirs }) => theirs.map(patternOf));

    describe(heading, () => {
      it("has every command of the guide", () => {
        const missing = commands.filter((command) => !patterns.some((one) => one.test(command)));
        assert.deepEqual(missing, []);
      });

      it("has no other", () => {
        const others = patterns.filter((one) => !commands.some((command) => one.test(command)));
        assert.deepEqual(others, []);
      });
    });
  }

  const everything = page.split("\n").filter((line) => line.startsWith("| `"));

  it("names config keys that exist", () => {
    const ours = everything.map((line) => line.split(/(?<!\\)\|/)[2] ?? "");
    const named = ours.flatMap(keysIn);
    assert.ok(named.length > 30);
    assert.deepEqual(
      named.filter((path) => !isKey(path)),
      [],
    );
  });

  it("knows a key that does not exist", () => {
    assert.deepEqual(["links[].ports", "clusters.<cluster>.gateway.port"].map(isKey), [
      false,
      true,
    ]);
  });

  it("names npm scripts and files that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    for (const [, name = ""] of page.matchAll(/npm run ([\w:]+)/g))
      assert.ok(name in scripts, name);
    for (const [path] of page.matchAll(/examples\/[\w./-]*\w/g))
      assert.ok(existsSync(join(root, path)), path);
  });
});
