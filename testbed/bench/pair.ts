import { type Bed, startBed } from "../bed.ts";
import type { Config, PulumiStack } from "../stack.ts";
import { newStack } from "../stack.ts";
import { addNamespace, exportsOf } from "./mesh.ts";
import { Writer } from "./writer.ts";

/** One cluster that exports Services, and one that mirrors them. */
export interface Pair {
  readonly bed: Bed<"west" | "east">;
  readonly stack: PulumiStack;
}

/** Runs `work` on a pair of API servers without anything beside them. */
export async function withPair<T>(exports: number, work: (pair: Pair) => Promise<T>): Promise<T> {
  const bed = await startBed({ clusters: ["west", "east"], runs: "nothing" });
  try {
    await Promise.all(Object.values(bed.clusters).map(addNamespace));
    const writer = new Writer(bed.clusters.west);
    await writer.create(exportsOf(exports));
    await writer.close();
    return await work({ bed, stack: await newStack(bed, "bench", configOf(exports)) });
  } finally {
    await bed.stop();
  }
}

function configOf(exports: number): Config {
  return {
    manage: "mirrors",
    clusters: { west: {}, east: {} },
    links: [{ source: "east", target: "west" }],
    linkDefaults: { gateway: false, maxMirrors: 2 * exports },
  };
}
