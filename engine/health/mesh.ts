import type { ClusterAccess } from "../mirroring/model/link.ts";
import type { LinkSettings } from "../mirroring/model/link-settings.ts";

/**
 * What the stack says there should be, as far as health depends on it. Plain data without a secret:
 * it travels as resource inputs and rests in state.
 */
export interface HealthMesh {
  readonly manage: "all" | "links" | "mirrors";
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly links: readonly HealthLink[];
  /** Links that this very run gives up; Pulumi deletes their mirrors after everything else. */
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
