/** Three clusters with Linkerd on real nodes, meshed by this program, and pods whose requests cross them. */
import { mkdir } from "node:fs/promises";
import { execa } from "execa";

import { type Bed, startBed } from "../../bed/bed.ts";
import { linkerdImages } from "../../bed/nodes/linkerd.ts";
import { environment } from "../../bed/pulumi.ts";
import { type Config, newStack, type PulumiStack } from "../../bed/stack.ts";
import { chartsFolder } from "../real-plugins.ts";
import { Stream } from "./stream.ts";
import { addShop, streamsFolder } from "./workloads.ts";

export type Name = "west" | "east" | "north";

export interface Mesh {
  readonly bed: Bed<Name>;
  readonly stack: PulumiStack;
  readonly stream: Stream;
  /** From clients with an account of their own. */
  readonly visitors: Stream;
  /** From where there is no proxy. */
  readonly strangers: Stream;
  readonly kubectl: (cluster: Name, ...words: readonly string[]) => Promise<string>;
  readonly up: () => Promise<string>;
  readonly stop: () => Promise<void>;
}

export const names = ["west", "east", "north"] as const;

export async function startMesh(): Promise<Mesh> {
  const images = await linkerdImages(chartsFolder);
  const bed = await startBed({ clusters: names, runs: "nodes", nodes: { images } });
  try {
    const folder = streamsFolder(bed.clusters.east);
    await mkdir(folder);
    // Federated Services need a flat network.
    for (const name of ["west", "north"] as const) await bed.node("east").reachPods(bed.node(name));
    for (const name of names) await addShop(bed.clusters[name]);
    const stack = await newStack(bed, "traffic", config());
    const up = () => stack.pulumi("up", "--yes", "--skip-preview");
    await up();
    return {
      bed,
      stack,
      stream: await Stream.create(folder, "client"),
      visitors: await Stream.create(folder, "visitor"),
      strangers: await Stream.create(folder, "stranger"),
      async kubectl(cluster, ...words) {
        const env = environment(bed);
        return (await execa("kubectl", [`--context=${cluster}`, ...words], { env })).stdout;
      },
      up,
      stop: () => bed.stop(),
    };
  } catch (error) {
    await bed.stop();
    throw error;
  }
}

/** East mirrors from west through a gateway, and from north on the flat network that all pods share. */
export function config(link: Config = {}, trust: Config = {}): Config {
  return {
    manage: "all",
    clusters: { west: {}, east: { gateway: false }, north: { gateway: false } },
    links: [
      { source: "east", target: "west", headless: true, ...link },
      { source: "east", target: "north", ...link },
    ],
    trust,
    linkerdCheck: true,
    charts: { source: chartsFolder },
  };
}
