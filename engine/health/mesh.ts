import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { LinkSettings } from "../mirroring/model/link.ts";

/**
 * The part of the stack's config that health depends on. Plain data without a secret: it
 * is resource inputs and kept in state.
 */
export interface HealthMesh {
  readonly manage: "all" | "links" | "mirrors";
  /** As `organization/project/stack`: by this name its mirrors are told from those of others; absent: nothing is. */
  readonly stack?: string;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly links: readonly HealthLink[];
  /** Links that this very run removes; Pulumi deletes their mirrors after everything else. */
  readonly leaving?: readonly Pick<LinkSettings, "source" | "target">[];
}

export interface HealthLink {
  readonly link: LinkSettings;
  readonly mirroring: "pulumi" | "controller";
}

/** Inputs of the resource that checks the mesh at the end of a run. */
export interface HealthArgs {
  readonly mesh: HealthMesh;
  /**
   * Values that change when a run has changed something, such as the `revision` of mirrors: then the mesh is
   * checked, and after a run that left it unhealthy. Never a secret.
   */
  readonly triggers: Readonly<Record<string, unknown>>;
  /** Sentences about clusters to which this run writes nothing: once all else is done, they fail it. */
  readonly refused?: readonly string[];
  /** Seconds that the mesh is given to become healthy; 30. */
  readonly wait?: number;
}
