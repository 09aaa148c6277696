import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { LinkSpec } from "../mirroring/model/link.ts";

/**
 * The part of the stack's config for health checks. It is plain data without a secret, because it is stored in state.
 */
export interface HealthMesh {
  readonly manage: "all" | "links" | "mirrors";
  /** Mirrors of `organization/project/stack` are recognized by this name. Without it, they can't be. */
  readonly stack?: string;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly links: readonly HealthLink[];
  /** This run removes these links. Pulumi deletes their mirrors after everything else. */
  readonly leaving?: readonly Pick<LinkSpec, "source" | "target">[];
}

export interface HealthLink {
  readonly link: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
}

/** The inputs of the resource that checks the mesh at the end of a run. */
export interface HealthArgs {
  readonly mesh: HealthMesh;
  /**
   * Values that change with each run that has changed something, such as the `revision` of mirrors. The mesh is
   * checked if they change, and after a run that left it unhealthy. Never a secret.
   */
  readonly triggers: Readonly<Record<string, unknown>>;
  /** This run writes nothing to the clusters of these sentences, which fail it once everything else is done. */
  readonly refused?: readonly string[];
}
