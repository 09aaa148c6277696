import type { HealthMesh } from "@linkerd-multicluster/engine/health";
import { settingsOf } from "@linkerd-multicluster/engine/mirroring";
import type { MeshConfig } from "./mesh.ts";
import { ownLinks, touchedClusters } from "./share.ts";

/** What of the config health depends on: the stack's clusters and links. Holds no secret. */
export function healthMesh(config: MeshConfig): HealthMesh {
  const { manage, linkerdNamespace, multiclusterNamespace } = config;
  return {
    // The stack of the trust root alone is to find the same trust on all clusters.
    ...{ manage: manage === "trust" ? "all" : manage, linkerdNamespace, multiclusterNamespace },
    clusters: Object.fromEntries(
      [...touchedClusters(config)].map(([name, { access }]) => [name, access]),
    ),
    links: (manage === "trust" ? [] : ownLinks(config)).map(({ spec, mirroring }) => ({
      link: settingsOf(spec),
      mirroring,
    })),
  };
}
