/**
 * As in `linkerd check`. `fatal`: later checks can't succeed; `error`: some traffic fails;
 * `warning`: traffic works, for now.
 */
export type Severity = "fatal" | "error" | "warning";

/** One thing that is wrong. */
export interface Finding {
  /** What, where as cluster/namespace/name, why, and what to do. */
  readonly sentence: string;
  /** Where it is not the check's own. */
  readonly severity?: Severity;
}

/** What is wrong, where empty means nothing is; or why the check was skipped. */
export type Verdict = readonly Finding[] | { readonly skipped: string };

/** One question about a mesh. `run` is pure: everything has been read before. */
export interface Check<View> {
  /** Stable: scripts know a check by it. */
  readonly id: string;
  /** What holds if nothing is found, as a line of a table. */
  readonly title: string;
  /** Of Linkerd's own check of the same, on https://linkerd.io/2/checks/. */
  readonly anchor?: string;
  readonly severity: Severity;
  /** Whether it is about Linkerd and Links, which a stack with `manage: mirrors` does not manage. */
  readonly aboutLinkerd: boolean;
  /** Absent: to all. Where it does not apply it is not in the report. */
  readonly appliesTo?: (view: View) => boolean;
  readonly run: (view: View) => Verdict;
}

/** For a check that needs a cluster that could not be read, which is a finding already. */
export function unread(cluster: string): Verdict {
  return { skipped: `cluster ${cluster} can't be read` };
}
