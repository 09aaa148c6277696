import { printable } from "../kubernetes/objects/printable.ts";
import { count, firstOf } from "../base/message.ts";
import { atCluster } from "../base/user-error.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { type HealthCheck, notManaged, type Severity } from "./health-check.ts";
import { clusterChecks, linkChecks } from "./checks/all.ts";
import type { HealthMesh } from "./health-mesh.ts";
import type { Views } from "./observe-mesh.ts";

/**
 * This is the JSON document that `linkerd-clusters check --output json` prints. Its shape is stable: fields
 * may be added, none is renamed or taken away without another `version`.
 */
export interface HealthReport {
  readonly version: 1;
  /** The mesh is healthy without a finding of severity `fatal` or `error`. The exit code depends on it. */
  readonly healthy: boolean;
  /** Counts the checks by result. */
  readonly counts: Readonly<Record<CheckState, number>>;
  /** Clusters come first, then links, both in the order of the config. */
  readonly groups: readonly Group[];
}

/** A group holds all checks of one cluster or one link. */
export interface Group {
  readonly kind: "cluster" | "link";
  /** The name is `west`, or `source/target` for a link. */
  readonly name: string;
  readonly checks: readonly CheckResult[];
}

/** The most severe finding decides; a warning alone leaves the mesh healthy. */
export type CheckState = "ok" | "warning" | "error" | "skipped";

export interface CheckResult {
  /** The id is stable, such as `trust-anchors-shared`. */
  readonly id: string;
  readonly title: string;
  readonly result: CheckState;
  /** The URL leads to Linkerd's page about its own check. */
  readonly hint?: string;
  /** Says why the check was skipped. */
  readonly why?: string;
  readonly findings: readonly ReportedFinding[];
}

export interface ReportedFinding {
  readonly severity: Severity;
  readonly sentence: string;
  /** The command can be copied as it is. */
  readonly fix?: string;
}

export function reportOn({ clusters, links }: Pick<Views, "clusters" | "links">): HealthReport {
  const groups: readonly Group[] = [
    ...clusters.map((view) => ({
      kind: "cluster" as const,
      name: view.cluster,
      checks: resultsOf(clusterChecks, view, view.cluster),
    })),
    ...links.map((view) => ({
      kind: "link" as const,
      name: `${view.link.source}/${view.link.target}`,
      checks: resultsOf(linkChecks, view, view.link.target),
    })),
  ];
  const counts = { ok: 0, warning: 0, error: 0, skipped: 0 };
  for (const { result } of groups.flatMap(({ checks }) => checks)) counts[result] += 1;
  return { version: 1, healthy: counts.error === 0, counts, groups };
}

function resultsOf<View extends { readonly mesh: HealthMesh }>(
  checks: readonly HealthCheck<View>[],
  view: View,
  cluster: string,
): CheckResult[] {
  return checks.flatMap((check) => {
    try {
      return check.appliesTo?.(view) === false ? [] : [resultOfCheck(check, view)];
    } catch (error) {
      const run = () => [
        { severity: "error" as const, sentence: atCluster(cluster, error).message },
      ];
      return [resultOfCheck({ ...check, run }, view)];
    }
  });
}

export function resultOfCheck<View extends { readonly mesh: HealthMesh }>(
  check: HealthCheck<View>,
  view: View,
): CheckResult {
  const { id, title, anchor } = check;
  const hint = omitUndefined({ hint: anchor && `https://linkerd.io/2/checks/#${anchor}` });
  const verdict =
    check.aboutLinkerd === true && view.mesh.manage === "mirrors"
      ? { skipped: notManaged }
      : check.run(view);
  if ("skipped" in verdict)
    return { id, title, result: "skipped", ...hint, why: printable(verdict.skipped), findings: [] };
  const findings = verdict.map((finding) => {
    const {
      sentence,
      severity = check.severity,
      fix,
    } = typeof finding === "string" ? { sentence: finding } : finding;
    // Much of the text comes from clusters and must not be able to imitate lines of the report.
    return {
      severity,
      sentence: printable(sentence),
      ...omitUndefined({ fix: fix && printable(fix) }),
    };
  });
  const isMild = findings.every(({ severity }) => severity === "warning");
  const result = findings.length === 0 ? "ok" : isMild ? "warning" : "error";
  return { id, title, result, ...hint, findings };
}

export function withFix({ sentence, fix }: ReportedFinding): string {
  return fix === undefined ? sentence : `${sentence}. Fix: ${fix}`;
}

/** Many findings can share a command, which comes once. */
export function findingLines(findings: readonly ReportedFinding[]): string[] {
  const fixes = new Set(findings.flatMap(({ fix }) => fix ?? []));
  return [
    ...firstOf(findings.map(({ sentence }) => sentence)),
    ...firstOf([...fixes].map((fix) => `Fix: ${fix}`)),
  ];
}

/** Formats counts as `8 passed, 1 warning, 3 skipped`. */
export function summary({ ok, warning, error, skipped }: HealthReport["counts"]): string {
  return [
    `${ok} passed`,
    ...(error > 0 ? [count(error, "error")] : []),
    ...(warning > 0 ? [count(warning, "warning")] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(", ");
}
