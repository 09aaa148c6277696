import type { Check, Severity } from "../check.ts";
import { clusterChecks, linkChecks } from "../checks/all.ts";
import type { HealthMesh } from "../mesh.ts";
import type { Views } from "../observe/observe.ts";

/**
 * What `npm run check -- --output json` prints, as one JSON document. Its shape is stable: fields
 * may be added, none is renamed or taken away without another `version`.
 */
export interface Report {
  readonly version: 1;
  /** Whether there is no finding of severity `fatal` or `error`; decides about the exit code. */
  readonly healthy: boolean;
  /** Checks by their result. */
  readonly counts: Readonly<Record<Result, number>>;
  /** First the clusters, then the links, both in the order of the config. */
  readonly groups: readonly Group[];
}

export interface Group {
  readonly kind: "cluster" | "link";
  /** `west`, or for a link `source/target`. */
  readonly name: string;
  readonly checks: readonly CheckResult[];
}

/** By the gravest finding; a warning alone leaves the mesh healthy. */
export type Result = "ok" | "warning" | "error" | "skipped";

export interface CheckResult {
  /** Stable, as `trust-anchors-shared`. */
  readonly id: string;
  readonly title: string;
  readonly result: Result;
  /** Where Linkerd documents its own check of the same. */
  readonly hint?: string;
  /** Why it was skipped. */
  readonly why?: string;
  readonly findings: readonly { readonly severity: Severity; readonly sentence: string }[];
}

/** Puts every check to every cluster and link. Pure. */
export function reportOn({ clusters, links }: Views): Report {
  const groups: readonly Group[] = [
    ...clusters.map((view) => ({
      kind: "cluster" as const,
      name: view.cluster,
      checks: clusterChecks.map((check) => resultOf(check, view)),
    })),
    ...links.map((view) => ({
      kind: "link" as const,
      name: `${view.link.source}/${view.link.target}`,
      checks: linkChecks.map((check) => resultOf(check, view)),
    })),
  ];
  const results = groups.flatMap(({ checks }) => checks.map(({ result }) => result));
  const number = (wanted: Result) => results.filter((result) => result === wanted).length;
  const counts = {
    ok: number("ok"),
    warning: number("warning"),
    error: number("error"),
    skipped: number("skipped"),
  };
  return { version: 1, healthy: counts.error === 0, counts, groups };
}

export function resultOf<View extends { readonly mesh: HealthMesh }>(
  check: Check<View>,
  view: View,
): CheckResult {
  const { id, title, anchor } = check;
  const hint = anchor === undefined ? {} : { hint: `https://linkerd.io/2/checks/#${anchor}` };
  const verdict =
    check.aboutLinkerd && view.mesh.manage === "mirrors"
      ? { skipped: "with manage: mirrors this stack has no say in it" }
      : check.run(view);
  if ("skipped" in verdict)
    return { id, title, result: "skipped", ...hint, why: verdict.skipped, findings: [] };
  const findings = verdict.map(({ sentence, severity = check.severity }) => ({
    severity,
    sentence,
  }));
  const isMild = findings.every(({ severity }) => severity === "warning");
  const result = findings.length === 0 ? "ok" : isMild ? "warning" : "error";
  return { id, title, result, ...hint, findings };
}
