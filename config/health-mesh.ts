import type { HealthMesh } from "../engine/health/mesh.ts";
import { settingsOf } from "../engine/mirroring/model/link-settings.ts";
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
