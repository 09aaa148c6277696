/**
 * The severities of `linkerd check`. `fatal`: later checks can't succeed; `error`: some traffic fails;
 * `warning`: traffic works, for now.
 */
export type Severity = "fatal" | "error" | "warning";

/**
 * One thing that is wrong: a sentence with what, where as cluster/namespace/name, why, and what to do. With a
 * severity where that is not the check's own.
 */
export type Finding = string | { readonly sentence: string; readonly severity: Severity };

/** All that is wrong, where empty means nothing is; or why the check was skipped. */
export type Findings = readonly Finding[] | { readonly skipped: string };

/** One question about a mesh. `run` is pure: everything has been read before. */
export interface HealthCheck<View> {
  /** Stable: scripts know a check by it. */
  readonly id: string;
  /** The state that holds if nothing is found, as a line of a table. */
  readonly title: string;
  /** Anchor of Linkerd's own check of the same, on https://linkerd.io/2/checks/. */
  readonly anchor?: string;
  readonly severity: Severity;
  /** Whether it is about Linkerd and Links, which a stack with `manage: mirrors` does not manage. */
  readonly aboutLinkerd: boolean;
  /** Absent: to all. Where it does not apply it is not in the report. */
  readonly appliesTo?: (view: View) => boolean;
  readonly run: (view: View) => Findings;
}

/** The result of a check that needs a cluster which could not be read, a finding already. */
export function unreadCluster(cluster: string): Findings {
  return { skipped: `cluster ${cluster} can't be read` };
}
