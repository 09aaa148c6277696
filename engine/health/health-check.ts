import type { ClusterReading, LinkReading } from "../mesh/reading.ts";
import type { Decision } from "../mirroring/model/decision.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";
import type { Result } from "../result.ts";
import type { HealthMesh } from "./health-mesh.ts";

/**
 * Severities as in `linkerd check`. With `fatal`, later checks can't succeed; with `error`, some traffic fails; with
 * `warning`, traffic works for now.
 */
export type Severity = "fatal" | "error" | "warning";

/** A finding: a sentence says what is wrong, where (cluster/namespace/name), and why. */
export type Finding =
  | string
  | {
      readonly sentence: string;
      /** Present if it differs from the check's. */
      readonly severity?: Severity;
      /** A command to copy. */
      readonly fix?: string;
    };

/** All findings, or why the check was skipped. */
export type Findings = readonly Finding[] | { readonly skipped: string };

/** One check of a mesh. `run` is pure; everything has been read before. */
export interface HealthCheck<View> {
  /** Stable, because scripts refer to it. */
  readonly id: string;
  /** The state that the check confirms, as a line of a table. */
  readonly title: string;
  /** The anchor of Linkerd's own check on https://linkerd.io/2/checks/. */
  readonly anchor?: string;
  readonly severity: Severity;
  /** Whether it concerns Linkerd and Links, which a stack with `manage: mirrors` doesn't manage. */
  readonly aboutLinkerd: boolean;
  /** Absent if it applies to all. Where it doesn't apply, the report leaves it out. */
  readonly appliesTo?: (view: View) => boolean;
  readonly run: (view: View) => Findings;
}

/** The result of a check that needs an unreadable cluster, which is already a finding. */
export function unreadCluster(cluster: string): Findings {
  return { skipped: `cluster ${cluster} can't be read` };
}

/** One cluster as its checks see it. */
export interface CheckedCluster {
  readonly mesh: HealthMesh;
  readonly cluster: string;
  readonly now: Date;
  readonly reading: ClusterReading;
  /**
   * Decisions about federated Services; undefined if a cluster that they need can't be read; absent if no link of
   * this stack contributes to any.
   */
  readonly federated?: Result<readonly Decision[] | undefined>;
  /** This cluster and those whose pods it reaches without a gateway; absent if there are none. */
  readonly flat?: readonly PodRanges[];
}

/** Reads the ranges from which the nodes of a cluster give addresses to pods. */
export interface PodRanges {
  readonly cluster: string;
  readonly ranges: Result<readonly string[]>;
}

export interface CheckedLink {
  readonly mesh: HealthMesh;
  readonly link: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
  readonly now: Date;
  readonly source: ClusterReading;
  readonly target: ClusterReading;
  readonly reading: LinkReading;
  /**
   * The engine's decisions about the link's mirrors; undefined: a cluster that they take can't be
   * read; absent where Linkerd's controller mirrors.
   */
  readonly mirrors?: Result<readonly Decision[] | undefined>;
}
