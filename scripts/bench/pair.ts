import type { Bed } from "../../tests/bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../../tests/bed/stack.ts";
import { exportedServices, type Kind, startExporting } from "./mesh.ts";

export interface Pair {
  readonly bed: Bed<"west" | "east">;
  readonly stack: PulumiStack;
}

/** With all settings, no Service of a gateway is needed. */
const links: Readonly<Record<Kind, Config>> = {
  flat: { gateway: false },
  gateway: { gateway: { addresses: ["192.0.2.1"], port: 4143, identity: "gateway.west" } },
};

/** Runs `work` on a pair of API servers without anything beside them, and with a stack that mirrors these exports. */
export async function withPair<T>(
  exports: number,
  kind: Kind,
  work: (pair: Pair) => Promise<T>,
  settings: Config = {},
): Promise<T> {
  const services = exportedServices(exports, kind);
  const bed = await startExporting(["west", "east"], (name) => ({
    services: name === "west" ? services : [],
  }));
  try {
    const stack = await newStack(bed, "bench", {
      manage: "mirrors",
      clusters: { west: {}, east: {} },
      links: [
        {
          source: "east",
          target: "west",
          ...links[kind],
          maxMirrors: 2 * exports + 5_000,
          ...settings,
        },
      ],
    });
    return await work({ bed, stack });
  } finally {
    await bed.stop();
  }
}
