import { linkOf } from "../../mirroring/model/link-settings.ts";
import { World } from "../../mirroring/observe/clusters.ts";
import { surveyFederated } from "../../mirroring/reconcile/survey-federated.ts";
import type { HealthMesh } from "../mesh.ts";
import { type ClusterReading, type ClusterView, type LinkView, read } from "../view.ts";
import { readCluster } from "./cluster.ts";
import { readLink } from "./link.ts";

export interface Views {
  readonly clusters: readonly ClusterView[];
  readonly links: readonly LinkView[];
}

/**
 * Reads every cluster and tries every link, all at the same time; writes nothing. A cluster that
 * cannot be read is one finding and hides no other.
 */
export async function observeMesh(mesh: HealthMesh, now: Date): Promise<Views> {
  const world = new World();
  try {
    const names = Object.keys(mesh.clusters);
    const clusterReadings = await Promise.all(names.map((name) => readCluster(world, mesh, name)));
    const readings = new Map(names.map((name, index) => [name, clusterReadings[index]]));
    const readingOf = (name: string): ClusterReading =>
      readings.get(name) ?? {
        snapshot: { why: `the stack's config has no cluster ${name}` },
      };
    const [clusters, links] = await Promise.all([
      Promise.all(
        names.map(async (cluster) => {
          const federated = await readFederated(world, mesh, cluster);
          const view = { mesh, cluster, now, reading: readingOf(cluster) };
          return { ...view, ...(federated !== undefined && { federated }) };
        }),
      ),
      Promise.all(
        mesh.links.map(async (entry) => {
          const link = linkOf(entry.link);
          const ends = { source: readingOf(link.source), target: readingOf(link.target) };
          const reading = await readLink(world, mesh, entry, ends);
          return { mesh, link, mirroring: entry.mirroring, now, ...ends, reading };
        }),
      ),
    ]);
    return { clusters, links };
  } finally {
    await closeClients(world, mesh);
  }
}

async function readFederated(world: World, mesh: HealthMesh, cluster: string) {
  const links = mesh.links
    .filter(({ link, mirroring }) => mirroring === "pulumi" && link.source === cluster)
    .map(({ link }) => link);
  if (links.length === 0) return undefined;
  return read(() => surveyFederated(world, { cluster, links, clusters: mesh.clusters }, {}));
}

async function closeClients(world: World, { clusters }: HealthMesh): Promise<void> {
  const closing = Object.entries(clusters).map(async ([name, access]) =>
    (await world.client(name, access)).close(),
  );
  // Where the context is wrong there is no client to close.
  await Promise.allSettled(closing);
}
