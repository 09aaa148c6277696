/** Starts three clusters with Linkerd on real nodes, and pods that send requests across them. */
import { mkdir } from "node:fs/promises";

import { type Bed, startBed } from "../../bed/bed.ts";
import type { Image } from "../../bed/nodes/images.ts";
import { linkerdImages } from "../../bed/nodes/linkerd.ts";
import { type Config, newStack, type PulumiStack } from "../../bed/stack.ts";
import { chartsFolder } from "../real-plugins.ts";
import { type Kubectl, kubectlOf } from "./kubectl.ts";
import { Stream } from "./stream.ts";
import { addShop, streamsFolder } from "./workloads.ts";

export type Name = "west" | "east" | "north";

export interface Clusters extends Kubectl<Name> {
  readonly bed: Bed<Name>;
  readonly stream: Stream;
  /** Requests of clients with an account of their own. */
  readonly visitors: Stream;
  /** Requests of clients without a proxy. */
  readonly strangers: Stream;
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
    return {
      ...kubectlOf(bed),
      bed,
      stream: await Stream.create(folder, "client"),
      visitors: await Stream.create(folder, "visitor"),
      strangers: await Stream.create(folder, "stranger"),
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
