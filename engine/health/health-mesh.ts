import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { type Declared, withWholeLinks } from "../model/declared.ts";
import { type DeclaredLink, type LinkSettings, type LinkSpec, wholeLink } from "../model/link.ts";
import type { GateArgs } from "../admitting/args.ts";
import type { MeshTraffic } from "../model/traffic.ts";

type Gate = Pick<GateArgs, "links" | "clients" | "alike">;

/** Plain data without a secret, because Pulumi stores it in state. */
export interface HealthMesh extends MeshTraffic {
  readonly manage: "all" | "links" | "mirrors";
  /** Mirrors of `organization/project/stack` are recognized by this name. Without it, they can't be. */
  readonly stack?: string;
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  /** Has what the closed gateways of this stack's clusters know of links, of other stacks too, and of clients. */
  readonly gates?: Readonly<Record<string, Gate>>;
  readonly links: readonly {
    readonly link: LinkSpec;
    readonly mirroring: "pulumi" | "controller";
  }[];
  /** This run removes these links. Pulumi deletes their mirrors after everything else. */
  readonly leaving?: readonly Pick<LinkSpec, "source" | "target">[];
}

/** Has links as the config declares them. */
export type DeclaredMesh = Omit<HealthMesh, "links" | "gates"> & {
  readonly gates?: Readonly<Record<string, Declared<Gate>>>;
  readonly links: readonly {
    readonly link: DeclaredLink;
    readonly mirroring: "pulumi" | "controller";
  }[];
  readonly linkDefaults?: Partial<LinkSettings>;
};

export function meshIn(stored: HealthArgs["mesh"]): HealthMesh {
  const { linkDefaults, gates, ...mesh } =
    typeof stored === "string" ? (JSON.parse(stored) as DeclaredMesh) : stored;
  const links = mesh.links.map(({ link, mirroring }) => {
    return { link: wholeLink(link, linkDefaults), mirroring };
  });
  const whole = Object.entries(gates ?? {}).map(([target, gate]) => {
    return [target, withWholeLinks({ ...gate, ...omitUndefined({ linkDefaults }) })] as const;
  });
  return { ...mesh, ...(gates !== undefined && { gates: Object.fromEntries(whole) }), links };
}

export interface HealthArgs {
  /** The text is a `DeclaredMesh` as JSON, which takes less of state. State of a version before 0.2 has the object. */
  readonly mesh: string | DeclaredMesh;
  /** Some of these values change with each run that has changed something. None is a secret. */
  readonly triggers: Readonly<Record<string, unknown>>;
  /** This run writes nothing to the clusters of these sentences, which fail it once everything else is done. */
  readonly refused?: readonly string[];
}
