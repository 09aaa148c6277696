import type { Bed } from "../../tests/bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../../tests/bed/stack.ts";
import { exportedServices, startExporting } from "./mesh.ts";
import type { BenchObjects } from "./writer.ts";

export interface Pair {
  readonly bed: Bed<"west" | "east">;
  readonly stack: PulumiStack;
}

/** Runs `work` on a pair of API servers without anything beside them. */
export function withPair<T>(exports: number, work: (pair: Pair) => Promise<T>): Promise<T> {
  return withExports({ services: exportedServices(exports) }, { gateway: false }, exports, work);
}

/** Does the same with exports of any kind, keys of the link besides its ends, and the number of mirrors. */
export async function withExports<T>(
  exports: BenchObjects,
  link: Config,
  mirrors: number,
  work: (pair: Pair) => Promise<T>,
): Promise<T> {
  const bed = await startExporting(["west", "east"], (name) =>
    name === "west" ? exports : { services: [] },
  );
  try {
    const stack = await newStack(bed, "bench", {
      manage: "mirrors",
      clusters: { west: {}, east: {} },
      links: [{ source: "east", target: "west", ...link, maxMirrors: 2 * mirrors }],
    });
    return await work({ bed, stack });
  } finally {
    await bed.stop();
  }
}
