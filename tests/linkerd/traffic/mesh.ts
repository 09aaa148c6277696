/** Starts three clusters with Linkerd on real nodes, and pods that send requests across them. */
import { mkdir } from "node:fs/promises";
import { execa } from "execa";

import { type Bed, startBed, until } from "../../bed/bed.ts";
import type { Image } from "../../bed/nodes/images.ts";
import { linkerdImages } from "../../bed/nodes/linkerd.ts";
import { environment } from "../../bed/pulumi.ts";
import { type Config, newStack, type PulumiStack } from "../../bed/stack.ts";
import { chartsFolder } from "../real-plugins.ts";
import { Stream } from "./stream.ts";
import { addShop, namespace as shop, streamsFolder } from "./workloads.ts";

export type Name = "west" | "east" | "north";

export interface Clusters {
  readonly bed: Bed<Name>;
  readonly stream: Stream;
  /** Requests of clients with an account of their own. */
  readonly visitors: Stream;
  /** Requests of clients without a proxy. */
  readonly strangers: Stream;
  readonly kubectl: (cluster: Name, ...words: readonly string[]) => Promise<string>;
  /**
   * Waits until every rollout in a namespace is done and no old pod is left. The default is the Services' namespace.
   */
  readonly rolledOut: (cluster: Name, namespace?: string) => Promise<void>;
}

export interface Mesh extends Clusters {
  readonly stack: PulumiStack;
  readonly up: () => Promise<string>;
}

export const names = ["west", "east", "north"] as const;

/** @param more are images of pods beside Linkerd's */
export async function startClusters(more: readonly Image[] = []): Promise<Clusters> {
  const images = [...(await linkerdImages(chartsFolder)), ...more];
  const bed = await startBed({ clusters: names, runs: "nodes", nodes: { images } });
  try {
    const folder = streamsFolder(bed.clusters.east);
    await mkdir(folder);
    // Federated Services need a flat network.
    for (const name of ["west", "north"] as const) await bed.node("east").reachPods(bed.node(name));
    for (const name of names) await addShop(bed.clusters[name]);
    const kubectl: Mesh["kubectl"] = async (cluster, ...words) => {
      const env = environment(bed);
      return (await execa("kubectl", [`--context=${cluster}`, ...words], { env })).stdout;
    };
    return {
      bed,
      stream: await Stream.create(folder, "client"),
      visitors: await Stream.create(folder, "visitor"),
      strangers: await Stream.create(folder, "stranger"),
      kubectl,
      async rolledOut(cluster, namespace = shop) {
        const within = `--namespace=${namespace}`;
        await kubectl(cluster, "rollout", "status", rolloutKinds, within, "--timeout=180s");
        const ends = "--output=jsonpath={.items[*].metadata.deletionTimestamp}";
        const isDone = async () => (await kubectl(cluster, "get", "pods", within, ends)) === "";
        await until(`old pods in ${cluster} to end`, [], async () => (await isDone()) || undefined);
      },
    };
  } catch (error) {
    await bed.stop();
    throw error;
  }
}

export async function startMesh(first = config(), images: readonly Image[] = []): Promise<Mesh> {
  const clusters = await startClusters(images);
  try {
    const stack = await newStack(clusters.bed, "traffic", first);
    const up = () => stack.pulumi("up", "--yes", "--skip-preview");
    await up();
    return { ...clusters, stack, up };
  } catch (error) {
    await clusters.bed.stop();
    throw error;
  }
}

/** The kinds of workloads in the tests, for `kubectl rollout`. */
export const rolloutKinds = "deployment,statefulset";

/** Requests for this Service stay in east while it has pods there. */
const failover = { "shop/cart": ["local", "west", "north"] };

/** East mirrors from west through a gateway, and from north on the flat network of all pods. */
export function config(link: Config = {}, trust: Config = {}): Config {
  return {
    manage: "all",
    clusters: { west: {}, east: { gateway: false, failover }, north: { gateway: false } },
    links: [
      { source: "east", target: "west", headless: true, ...link },
      { source: "east", target: "north", ...link },
    ],
    trust,
    linkerdCheck: true,
    charts: { source: chartsFolder },
  };
}
