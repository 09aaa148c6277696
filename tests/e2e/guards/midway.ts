import { join } from "node:path";

import { writeKubeconfig } from "../../../testbed/kubeconfig.ts";
import { installGateway } from "../mirroring/gateway.ts";
import { Methods } from "../mirroring/methods.ts";
import { exportedService } from "../mirroring/objects.ts";
import { type ClusterName, create, createNamespaces, type World } from "../mirroring/world.ts";

/** A link of east to west, whose contexts may be pointed elsewhere at any time. */
export interface Midway {
  /** The stack with this link, as it is before its first run. */
  newStack(): Promise<Methods>;
  /** Where the contexts lead from now on. */
  point(at: { readonly west?: ClusterName; readonly east?: ClusterName }): Promise<void>;
  /** Exports one more Service of west. */
  exportService(name: string): Promise<void>;
}

export async function midway(world: World, namespace: string): Promise<Midway> {
  const { west, east, north } = world.kube;
  await installGateway(west);
  for (const kube of [west, east, north]) await createNamespaces(kube, [namespace]);
  const kubeconfig = join(world.bed.folder, `${namespace}.kubeconfig`);
  const point: Midway["point"] = async (at) => {
    const entry = (name: "west" | "east") => ({
      name,
      access: world.bed.clusters[at[name] ?? name].access,
    });
    await writeKubeconfig(kubeconfig, [entry("west"), entry("east")]);
  };
  await point({});
  const clusters = { west: { kubeconfig }, east: { kubeconfig } };
  const links = [{ source: "east", target: "west" }];
  return {
    newStack: () => Methods.create(world, namespace, { clusters, links }),
    point,
    exportService: (name) => create(west, exportedService(`${namespace}/${name}`)),
  };
}
