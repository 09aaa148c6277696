import * as pulumi from "@pulumi/pulumi";
import { healthMesh } from "../engine/health/mesh.ts";
import { settingsOf } from "../engine/mirroring/model/link-settings.ts";
import type { Preflight } from "./preflight.ts";
import type { LinkConfig, MeshConfig } from "../config/mesh.ts";
import { FederatedServices } from "./federated-services.ts";
import { Health } from "./health.ts";
import { Link, type Connection } from "./link.ts";
import { LinkerdCliCheck } from "./linkerd-cli-check.ts";
import { type ClusterHandle, makeClusters } from "./clusters.ts";

/** The whole mesh that a stack's config describes. */
export class Mesh extends pulumi.ComponentResource {
  /**
   * @param preflight what is live on the clusters now; absent for `manage: mirrors`, which needs no
   *   more than the mirrors themselves read
   */
  constructor(
    name: string,
    config: MeshConfig,
    preflight: Preflight | undefined,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Mesh", name, {}, opts);
    const handles = preflight === undefined ? undefined : makeClusters(config, preflight, this);
    const clusters = Object.fromEntries(
      [...config.clusters].map(([cluster, { access }]) => [cluster, access]),
    );
    // The clusters too: nothing else waits for one that no link touches.
    const made: pulumi.Resource[] = [...(handles?.values() ?? [])].map(({ ready }) => ready);
    const revisions: Record<string, pulumi.Output<unknown>> = {};
    for (const [cluster, { revision }] of handles ?? [])
      if (revision !== undefined) revisions[cluster] = revision;
    for (const [cluster, linksHere] of bySource(config.links)) {
      const mirrored = linksHere.filter(({ mirroring }) => mirroring === "pulumi");
      const links = linksHere.map((link) => {
        const { spec } = link;
        const siblings = mirrored.filter((other) => other !== link).map((other) => other.spec);
        const connection = connectionOf(link, config, handles);
        return new Link(
          `${spec.source}/${spec.target}`,
          { config: link, clusters, siblings, ...(connection !== undefined && { connection }) },
          { parent: this },
        );
      });
      made.push(...links);
      for (const { name: link, mirrors, credentials } of links) {
        if (mirrors !== undefined) revisions[link] = mirrors.revision;
        if (credentials !== undefined) revisions[`${link}/credentials`] = credentials.revision;
      }
      if (mirrored.length === 0) continue;
      const federated = new FederatedServices(
        cluster,
        {
          cluster,
          links: mirrored.map(({ spec }) => settingsOf(spec)),
          clusters,
          ...(handles !== undefined && { statusIn: config.multiclusterNamespace }),
        },
        { parent: this, dependsOn: links.flatMap(({ credentials }) => credentials ?? []) },
      );
      revisions[`${cluster}/federated`] = federated.revision;
      made.push(federated);
    }
    if (handles !== undefined) this.#verify(config, revisions, made);
    this.registerOutputs({});
  }

  /** Once everything else is through, whether the mesh is in order. */
  #verify(
    config: MeshConfig,
    revisions: Readonly<Record<string, pulumi.Output<unknown>>>,
    made: readonly pulumi.Resource[],
  ): void {
    const mesh = healthMesh(config);
    const last = { parent: this, dependsOn: [...made] };
    const health = new Health("health", { mesh, triggers: revisions }, last);
    if (config.linkerdCheck)
      new LinkerdCliCheck(
        "linkerd-check",
        { mesh, triggers: pulumi.all(Object.values(revisions)) },
        { parent: this, dependsOn: [...made, health] },
      );
  }
}

function connectionOf(
  { spec }: LinkConfig,
  { clusters, linkerdNamespace, multiclusterNamespace }: MeshConfig,
  handles: ReadonlyMap<string, ClusterHandle> | undefined,
): Connection | undefined {
  const [source, target] = [handles?.get(spec.source), handles?.get(spec.target)];
  if (source === undefined || target === undefined) return undefined;
  const apiServer = clusters.get(spec.target)?.apiServer;
  return {
    source,
    target,
    namespaces: { linkerd: linkerdNamespace, multicluster: multiclusterNamespace },
    ...(apiServer !== undefined && { apiServer }),
  };
}

function bySource(links: readonly LinkConfig[]): ReadonlyMap<string, readonly LinkConfig[]> {
  const groups = new Map<string, LinkConfig[]>();
  for (const link of links) {
    const group = groups.get(link.spec.source);
    if (group === undefined) groups.set(link.spec.source, [link]);
    else group.push(link);
  }
  return groups;
}
