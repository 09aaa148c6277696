import type { GateHealth } from "../admitting/run.ts";
import type { ClusterReading, LinkReading } from "../reading/reading.ts";
import type { HttpRoute } from "../kubernetes/objects/route-resource.ts";
import type { DecidedRoutes } from "../model/route.ts";
import type { Decision } from "../model/decision.ts";
import type { LinkSpec } from "../model/link.ts";
import type { Result } from "../base/result.ts";
import type { HealthMesh } from "./health-mesh.ts";

/**
 * The severities are those of `linkerd check`. With `fatal`, later checks can't succeed; with `error`, some traffic
 * fails; with `warning`, traffic works for now.
 */
export type Severity = "fatal" | "error" | "warning";

/** The sentence says what is wrong, where (cluster/namespace/name), and why. */
export type Finding =
  | string
  | {
      readonly sentence: string;
      /** Without it, the check's severity applies. */
      readonly severity?: Severity;
      readonly fix?: string;
    };

/** A check returns all findings, or why it was skipped. */
export type Findings = readonly Finding[] | { readonly skipped: string };

/** A check is pure, because everything has been read before. */
export interface HealthCheck<View> {
  /** The check's id. Scripts refer to it, so it never changes. */
  readonly id: string;
  readonly title: string;
  /** Describes its findings for the documentation, in Markdown, if Linkerd has no such check. */
  readonly finds?: string;
  /** Linkerd's own check has this anchor on https://linkerd.io/2/checks/. */
  readonly anchor?: string;
  readonly severity: Severity;
  /** A stack with `manage: mirrors` manages neither Linkerd nor Links, and skips such checks. */
  readonly aboutLinkerd?: true;
  /** The report leaves out a check that doesn't apply. By default, it does. */
  readonly appliesTo?: (view: View) => boolean;
  readonly run: (view: View) => Findings;
}

/** Says how what is missing gets into a cluster, which a stack with `manage: all` installs itself. */
export function toInstall(manage: HealthMesh["manage"], what: string, detail = ""): string {
  return manage === "all"
    ? `run pulumi up, which installs ${what} (manage: all, the default)`
    : `install ${what}${detail}, or set manage: all`;
}

export const notManaged = "this stack does not manage it (manage: mirrors)";

/** Skips a check that needs an unreadable cluster, which is already a finding. */
export function unreadCluster(cluster: string): Findings {
  return { skipped: `cluster ${cluster} can't be read` };
}

export interface CheckedCluster {
  readonly mesh: HealthMesh;
  readonly cluster: string;
  readonly now: Date;
  readonly reading: ClusterReading;
  /** Its value is undefined if a needed cluster can't be read. It is absent if the stack federates nothing. */
  readonly federated?: Result<readonly Decision[] | undefined>;
  /** Absent if they couldn't be read, or if the stack mirrors nothing into this cluster. */
  readonly httpRoutes?: readonly HttpRoute[];
  /** Absent if nothing can be decided about this cluster, or if the stack mirrors nothing into it. */
  readonly failover?: Result<DecidedRoutes>;
  /** Absent if the cluster's gateway is open, or another stack's. */
  readonly gate?: Result<GateHealth>;
  /** This cluster comes first, then those whose pods it reaches without a gateway. */
  readonly flat?: readonly PodRanges[];
}

/** Nodes give addresses to pods from these ranges. */
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
  /** Its value is undefined if a needed cluster can't be read. It is absent if Linkerd's controller mirrors. */
  readonly mirrors?: Result<readonly Decision[] | undefined>;
}
