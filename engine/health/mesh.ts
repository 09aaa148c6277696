import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { LinkSettings } from "../mirroring/model/link-settings.ts";

/**
 * What the stack's config asks for, as far as health depends on it. Plain data without a secret: it
 * is resource inputs and kept in state.
 */
export interface HealthMesh {
  readonly manage: "all" | "links" | "mirrors";
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
  /** Whatever changes when a run has changed something; without a secret, as state keeps it. */
  readonly triggers: Readonly<Record<string, unknown>>;
  /** Seconds that the mesh is given to become healthy; 30. */
  readonly wait?: number;
}
