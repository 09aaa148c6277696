import { printable } from "../kubernetes/objects/printable.ts";
import { count } from "../mirroring/model/text.ts";
import type { HealthCheck, Severity } from "./check.ts";
import { clusterChecks, linkChecks } from "./checks/all.ts";
import type { HealthMesh } from "./mesh.ts";
import type { Views } from "./observe.ts";

/**
 * The JSON document that `linkerd-clusters check --output json` prints. Its shape is stable: fields
 * may be added, none is renamed or taken away without another `version`.
 */
export interface HealthReport {
  readonly version: 1;
  /** Whether there is no finding of severity `fatal` or `error`; decides about the exit code. */
  readonly healthy: boolean;
  /** Checks by their result. */
  readonly counts: Readonly<Record<Result, number>>;
  /** First the clusters, then the links, both in the order of the config. */
  readonly groups: readonly Group[];
}

/** One cluster or one link, with all of its checks. */
export interface Group {
  readonly kind: "cluster" | "link";
  /** `west`, or for a link `source/target`. */
  readonly name: string;
  readonly checks: readonly CheckResult[];
}

/** The most severe finding decides; a warning alone leaves the mesh healthy. */
export type Result = "ok" | "warning" | "error" | "skipped";

export interface CheckResult {
  /** Stable, such as `trust-anchors-shared`. */
  readonly id: string;
  readonly title: string;
  readonly result: Result;
  /** Linkerd's page about its own check. */
  readonly hint?: string;
  /** Why it was skipped. */
  readonly why?: string;
  readonly findings: readonly { readonly severity: Severity; readonly sentence: string }[];
}

/** Runs every check on every cluster and link. Pure. */
export function reportOn({ clusters, links }: Pick<Views, "clusters" | "links">): HealthReport {
  const groups: readonly Group[] = [
    ...clusters.map((view) => ({
      kind: "cluster" as const,
      name: view.cluster,
      checks: resultsOf(clusterChecks, view),
    })),
    ...links.map((view) => ({
      kind: "link" as const,
      name: `${view.link.source}/${view.link.target}`,
      checks: resultsOf(linkChecks, view),
    })),
  ];
  const counts = { ok: 0, warning: 0, error: 0, skipped: 0 };
  for (const { result } of groups.flatMap(({ checks }) => checks)) counts[result] += 1;
  return { version: 1, healthy: counts.error === 0, counts, groups };
}

function resultsOf<View extends { readonly mesh: HealthMesh }>(
  checks: readonly HealthCheck<View>[],
  view: View,
): CheckResult[] {
  return checks.flatMap((check) =>
    check.appliesTo?.(view) === false ? [] : [resultOf(check, view)],
  );
}

export function resultOf<View extends { readonly mesh: HealthMesh }>(
  check: HealthCheck<View>,
  view: View,
): CheckResult {
  const { id, title, anchor } = check;
  const hint = anchor === undefined ? {} : { hint: `https://linkerd.io/2/checks/#${anchor}` };
  const verdict =
    check.aboutLinkerd && view.mesh.manage === "mirrors"
      ? { skipped: "this stack does not manage it (manage: mirrors)" }
      : check.run(view);
  if ("skipped" in verdict)
    return { id, title, result: "skipped", ...hint, why: printable(verdict.skipped), findings: [] };
  const findings = verdict.map((finding) => {
    const { sentence, severity } =
      typeof finding === "string" ? { sentence: finding, severity: check.severity } : finding;
    // Much of the text comes from clusters and must not be able to imitate lines of the report.
    return { severity, sentence: printable(sentence) };
  });
  const isMild = findings.every(({ severity }) => severity === "warning");
  const result = findings.length === 0 ? "ok" : isMild ? "warning" : "error";
  return { id, title, result, ...hint, findings };
}

/** The table shows no more findings of a check than this; `--output json` has them all. */
const shown = 10;

const marks: Readonly<Record<Result, string>> = { ok: "√", warning: "‼", error: "×", skipped: "-" };

/** The report as `linkerd check` prints its own: a line for each check, by cluster and by link. */
export function reportTable(report: HealthReport): string {
  const { groups, healthy, counts } = report;
  const status = `Status: ${healthy ? marks.ok : marks.error} (${summary(counts)})`;
  return [...groups.flatMap(lines), status, ""].join("\n");
}

function lines({ kind, name, checks }: Group): string[] {
  const heading = `${kind} ${name}`;
  return [heading, "-".repeat(heading.length), ...checks.flatMap(checkLines), ""];
}

function checkLines({ title, result, why, hint, findings }: CheckResult): string[] {
  const reason = why === undefined ? "" : ` (skipped: ${why})`;
  const help = hint === undefined || findings.length === 0 ? [] : [`see ${hint} for hints`];
  const more = [...cut(findings.map(({ sentence }) => sentence)), ...help];
  return [`${marks[result]} ${title}${reason}`, ...more.map((text) => `    ${text}`)];
}

/** Returns the first texts, and the number of the others. */
export function cut(texts: readonly string[]): readonly string[] {
  const more = texts.length - shown;
  return more > 0 ? [...texts.slice(0, shown), `and ${more} more`] : texts;
}

/** `8 passed, 1 warning, 3 skipped`. */
export function summary({ ok, warning, error, skipped }: HealthReport["counts"]): string {
  return [
    `${ok} passed`,
    ...(error > 0 ? [count(error, "error")] : []),
    ...(warning > 0 ? [count(warning, "warning")] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");
}
