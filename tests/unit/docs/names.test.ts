import { deepEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stack } from "../../../config/keys.ts";
import type { Section } from "../../../config/schema.ts";
import { clusterChecks, linkChecks } from "../../../engine/health/checks/all.ts";

/** Names of the program in tables of the reference, which a reader types or searches for. */

const root = join(import.meta.dirname, "../../..");

function rowsOf(page: string): string[] {
  const text = readFileSync(join(root, "docs/reference", page), "utf8");
  return text.split("\n").filter((line) => line.startsWith("| "));
}

describe("docs/reference/checks.md", () => {
  it("names every check that there is, and no other", () => {
    const named = rowsOf("checks.md").flatMap((line) =>
      [...line.matchAll(/`([a-z]+(?:-[a-z]+)+|gateway)`/g)].map(([, id = ""]) => id),
    );
    const told = new Set(named.filter((id) => id !== "linkerd-multicluster"));
    const known = [...clusterChecks, ...linkChecks].map(({ id }) => id);
    deepEqual([...told].sort(), known.sort());
  });
});

/** Whether it leads to a key: `links[].gateway.port`. */
function isKey(path: string): boolean {
  let section: Section | undefined = stack;
  for (const name of path.replaceAll("[]", "").replaceAll(".<cluster>", "").split(".")) {
    const key: Section["keys"][string] | undefined = section?.keys[name];
    if (key === undefined) return false;
    section = key.of;
  }
  return true;
}

describe("docs/reference/linkerd-cli.md", () => {
  const rows = rowsOf("linkerd-cli.md").map((line) => line.split(/(?<!\\)\|/)[2] ?? "");

  it("names config keys that exist", () => {
    const named = rows
      .flatMap((ours) => [...ours.matchAll(/`([^`:]+)(?:: [^`]*)?`/g)])
      .map(([, path = ""]) => path)
      .filter((path) => (path.split(/[.[]/)[0] ?? "") in stack.keys);
    ok(named.length > 30);
    deepEqual(
      named.filter((path) => !isKey(path)),
      [],
    );
  });
});
