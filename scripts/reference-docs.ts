import { clusterChecks, linkChecks } from "@linkerd-multicluster/engine/health";
import { inDigits } from "@linkerd-multicluster/engine/base";
import { bounds } from "@linkerd-multicluster/engine/kubernetes";
import { othersKeys, reasons } from "@linkerd-multicluster/engine/mirroring";
import { metrics } from "../cli/watch/metric-table.ts";
import { code, markdownTable, withTables } from "./docs-tables.ts";

/** Each function replaces the tables of its page, which the program's own tables say. */
export const referenceDocuments = {
  "docs/reference/limits.md": withTables("limits", () =>
    markdownTable([
      ["limit", "applies to", "if exceeded"],
      ...Object.values(bounds).map(({ most, what, beyond }) => [inDigits(most), what, beyond]),
    ]),
  ),
  "docs/reference/reasons.md": withTables("reasons", () =>
    markdownTable([
      ["reason", "meaning", "an existing mirror"],
      ...Object.entries(reasons).map(([name, { meaning, keeps }]) => [
        code([name]),
        meaning,
        keeps ? "stays" : "is deleted",
      ]),
    ]),
  ),
  "docs/reference/metadata.md": withTables("metadata", metadata),
  "docs/reference/checks.md": withTables("checks", checks),
  "docs/reference/metrics.md": withTables("metrics", () =>
    markdownTable([
      ["metric", "labels", "what it is"],
      ...Object.entries(metrics).map(([name, [what, ...labels]]) => [
        code([`linkerd_multicluster_${name}`]),
        code(labels),
        what,
      ]),
    ]),
  ),
};

/** The links to sources stay in the page, since only readers need them. */
function metadata(_: string, before: string): string {
  const rows = Object.entries(othersKeys).map(([key, why]) => {
    const row = before.split("\n").find((line) => line.startsWith(`| ${code([key])} `));
    const [source = ""] = /\[[^\]]+\]\(https:[^|]+\)(?= *\|$)/.exec(row ?? "") ?? [];
    if (source === "") throw new Error(`add a row for ${key} with a link to a source`);
    return [code([key]), why, source];
  });
  return markdownTable([["key", "what a copy would do", "source"], ...rows]);
}

function checks(name: string): string {
  const all = [
    ...clusterChecks.map((check) => ({ ...check, of: "cluster" })),
    ...linkChecks.map((check) => ({ ...check, of: "link" })),
  ];
  if (name === "this program alone")
    return markdownTable([
      ["check", "what it finds"],
      ...all.flatMap(({ id, finds }) => (finds === undefined ? [] : [[code([id]), finds]])),
    ]);
  return markdownTable([
    ["check", "what is true if it passes", "for each"],
    ...all.map(({ id, title, of }) => [code([id]), title, of]),
  ]);
}
