import { join } from "node:path";
import type { BedCluster } from "../bed/cluster.ts";
import { writeKubeconfig } from "../bed/kubeconfig.ts";
import { addLinkCrd } from "../bed/links.ts";
import type { Config } from "../bed/stack.ts";
import * as access from "../e2e/access-clusters.ts";
import { accessOf, type manifests } from "../e2e/runner-account.ts";

type Pair = Readonly<Record<"west" | "east", BedCluster>>;
type Granted = ReturnType<typeof manifests>;

/** Gives both clusters what Linkerd and a mesh with `manage: links` need to be there, and the runner these rights alone. */
export async function prepareClusters(
  clusters: Pair,
  granted: Readonly<Record<keyof Pair, Granted>>,
): Promise<void> {
  for (const name of ["west", "east"] as const) {
    const cluster = clusters[name];
    await access.addNamespaces(cluster);
    await access.addLinkerdConfig(cluster);
    await addLinkCrd(cluster);
    for (const each of ["shop", "linkerd-multicluster-runner"])
      await access.addNamespace(cluster, each);
    for (const each of granted[name])
      if (each.kind !== "Namespace") await access.post(cluster, access.pathOf(each), each);
  }
}

/** Returns a kubeconfig of the runner's account `links`. */
export async function runnersKubeconfig({ west, east }: Pair, folder: string): Promise<string> {
  const file = join(folder, "runner");
  const entries = [west, east].map(async (cluster) => {
    return { name: cluster.name, access: await accessOf(cluster, "links") };
  });
  await writeKubeconfig(file, await Promise.all(entries));
  return file;
}

/** Returns the config of a stack with a link from east through the gateway of west. */
export function linksConfig(
  { west, east }: Pair,
  kubeconfig: string,
  { link = {}, target = {} }: { readonly link?: Config; readonly target?: Config } = {},
): Config {
  const gateway = { addresses: ["192.0.2.7"], port: 4143, identity: "gateway.west" };
  return {
    manage: "links",
    clusters: {
      west: { kubeconfig, apiServer: west.server, ...target },
      east: { kubeconfig, apiServer: east.server },
    },
    links: [{ source: "east", target: "west", gateway, ...link }],
  };
}
