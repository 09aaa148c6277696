import { deepEqual, ok } from "node:assert/strict";
import { stack } from "../../../config/keys.ts";
import type { Section } from "../../../config/schema.ts";
import { clusterChecks, linkChecks } from "../../../engine/health/checks/all.ts";
import { bounds } from "../../../engine/kubernetes/objects/bounds.ts";
import { othersKeys } from "../../../engine/mirroring/model/metadata.ts";
import { reasons } from "../../../engine/mirroring/model/reasons.ts";
import { rowsOf } from "./pages.ts";

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

describe("tables of the reference have what the program has:", () => {
  it("limits.md every bound of what a cluster may say, of what, and what becomes of more", () => {
    const known = Object.values(bounds).map(({ most, what, beyond }) => {
      return [most.toLocaleString("en"), what, beyond];
    });
    deepEqual(
      rowsOf("docs/reference/limits.md", ([first]) => first === "at most"),
      known,
    );
  });

  it("reasons.md every reason for a missing mirror, and what becomes of one that is there", () => {
    const known = Object.entries(reasons).map(([name, { meaning, keeps }]) => {
      return [`\`${name}\``, meaning, keeps ? "stays" : "goes"];
    });
    const listed = rowsOf("docs/reference/reasons.md", ([first]) => first === "reason");
    deepEqual(
      listed.map((row) => row.slice(0, 3)),
      known,
    );
  });

  it("metadata.md all metadata that stays behind, why, and where that is known from", () => {
    const listed = rowsOf("docs/reference/metadata.md").filter(([key]) => key?.startsWith("`"));
    deepEqual(
      listed.map(([key = "", why]) => [key.replaceAll("`", ""), why]),
      Object.entries(othersKeys),
    );
    ok(listed.every(([, , source = ""]) => /^\[.+\]\(https:\/\/.+\)$/.test(source)));
  });

  it("checks.md every check that there is, and no other", () => {
    const words = rowsOf("docs/reference/checks.md").join();
    const named = [...words.matchAll(/`([a-z]+(?:-[a-z]+)+|gateway)`/g)].map(([, id = ""]) => id);
    const told = new Set(named.filter((id) => id !== "linkerd-multicluster"));
    const known = [...clusterChecks, ...linkChecks].map(({ id }) => id);
    deepEqual([...told].sort(), known.sort());
  });

  it("linkerd-cli.md config keys that exist", () => {
    const named = rowsOf("docs/reference/linkerd-cli.md")
      .flatMap(([, ours = ""]) => [...ours.matchAll(/`([^`:]+)(?:: [^`]*)?`/g)])
      .map(([, path = ""]) => path)
      .filter((path) => (path.split(/[.[]/)[0] ?? "") in stack.keys);
    ok(named.length > 30);
    deepEqual(
      named.filter((path) => !isKey(path)),
      [],
    );
  });
});
