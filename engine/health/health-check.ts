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

/** A finding's sentence says what is wrong, where (cluster/namespace/name), and why. */
export type Finding =
  | string
  | {
      readonly sentence: string;
      /** Present if it differs from the check's. */
      readonly severity?: Severity;
      /** A command to copy. */
      readonly fix?: string;
    };

/** A check returns all findings, or why it was skipped. */
export type Findings = readonly Finding[] | { readonly skipped: string };

/** A check is pure, because everything has been read before. */
export interface HealthCheck<View> {
  /** A stable id, because scripts refer to it. */
  readonly id: string;
  /** The state that the check confirms, for a line of a table. */
  readonly title: string;
  /** Linkerd's own check has this anchor on https://linkerd.io/2/checks/. */
  readonly anchor?: string;
  readonly severity: Severity;
  /** True for checks of Linkerd and Links, which a stack with `manage: mirrors` doesn't manage. */
  readonly aboutLinkerd: boolean;
  /** Without it, the check applies to all. If the check doesn't apply, the report leaves it out. */
  readonly appliesTo?: (view: View) => boolean;
  readonly run: (view: View) => Findings;
}

/** Skips a check that needs an unreadable cluster, which is already a finding. */
export function unreadCluster(cluster: string): Findings {
  return { skipped: `cluster ${cluster} can't be read` };
}

/** Checks of a cluster see this. */
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

/** The nodes of a cluster give addresses to pods from these ranges. */
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
   * It has the engine's decisions about the link's mirrors. It is undefined if a needed cluster can't be read, and
   * absent if Linkerd's controller mirrors.
   */
  readonly mirrors?: Result<readonly Decision[] | undefined>;
}
