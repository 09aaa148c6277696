import type { MeshConfig } from "../components/config/mesh.ts";
import type { ClusterAccess } from "../mirror/model/link.ts";
import { type LinkSettings, settingsOf } from "../mirror/model/link-settings.ts";

/**
 * What the stack says there should be, as far as health depends on it. Plain data without a secret:
 * it travels as resource inputs and rests in state.
 */
export interface HealthMesh {
  readonly manage: MeshConfig["manage"];
  readonly linkerdNamespace: string;
  readonly multiclusterNamespace: string;
  readonly clusters: Readonly<Record<string, ClusterAccess>>;
  readonly links: readonly HealthLink[];
}

export interface HealthLink {
  readonly link: LinkSettings;
  readonly mirroring: "pulumi" | "controller";
}

export function healthMesh(config: MeshConfig): HealthMesh {
  const { manage, linkerdNamespace, multiclusterNamespace, clusters, links } = config;
  return {
    ...{ manage, linkerdNamespace, multiclusterNamespace },
    clusters: Object.fromEntries([...clusters].map(([name, { access }]) => [name, access])),
    links: links.map(({ spec, mirroring }) => ({ link: settingsOf(spec), mirroring })),
  };
}
