import type { HealthMesh } from "@linkerd-multicluster/engine/health";
import { settingsOf } from "@linkerd-multicluster/engine/mirroring";
import type { MeshConfig } from "./mesh.ts";

/** What of the config health depends on. Holds no secret. */
export function healthMesh(config: MeshConfig): HealthMesh {
  const { manage, linkerdNamespace, multiclusterNamespace, clusters, links } = config;
  return {
    ...{ manage, linkerdNamespace, multiclusterNamespace },
    clusters: Object.fromEntries([...clusters].map(([name, { access }]) => [name, access])),
    links: links.map(({ spec, mirroring }) => ({ link: settingsOf(spec), mirroring })),
  };
}
