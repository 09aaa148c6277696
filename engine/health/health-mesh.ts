import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { LinkSpec } from "../model/link.ts";
import { wholeLink } from "../model/state.ts";

/** It is plain data without a secret, because it is stored in state. */
export interface HealthMesh {
  readonly manage: "all" | "links" | "mirrors";
  /** Mirrors of `organization/project/stack` are recognized by this name. Without it, they can't be. */
  readonly stack?: string;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly links: readonly {
    readonly link: LinkSpec;
    readonly mirroring: "pulumi" | "controller";
  }[];
  /** This run removes these links. Pulumi deletes their mirrors after everything else. */
  readonly leaving?: readonly Pick<LinkSpec, "source" | "target">[];
}

export function meshIn(mesh: HealthArgs["mesh"]): HealthMesh {
  if (typeof mesh === "string") return JSON.parse(mesh) as HealthMesh;
  const links = mesh.links.map(({ link, mirroring }) => ({ link: wholeLink(link), mirroring }));
  return { ...mesh, links };
}

export interface HealthArgs {
  /**
   * The text is a `HealthMesh` as JSON, which takes less of state than all settings of all links as values. State of a
   * version before 0.2 has an object, whose links lack settings that are defaults.
   */
  readonly mesh: string | HealthMesh;
  /** Some of these values change with each run that has changed something. None is a secret. */
  readonly triggers: Readonly<Record<string, unknown>>;
  /** This run writes nothing to the clusters of these sentences, which fail it once everything else is done. */
  readonly refused?: readonly string[];
}
