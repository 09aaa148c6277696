import { type Bed, startBed } from "../bed.ts";
import type { Config, PulumiStack } from "../stack.ts";
import { newStack } from "../stack.ts";
import { addNamespace, exportsOf } from "./mesh.ts";
import { type BenchEndpoints, type BenchService, Writer } from "./writer.ts";

/** One cluster that exports Services, and one that mirrors them. */
export interface Pair {
  readonly bed: Bed<"west" | "east">;
  readonly stack: PulumiStack;
}

export interface Exports {
  readonly services: readonly BenchService[];
  readonly endpoints?: readonly BenchEndpoints[];
  /** The mirrors that they become. */
  readonly mirrors: number;
  /** Keys of the link besides its ends. */
  readonly link: Config;
}

/** A gateway with all that its Service would say, so that none is needed. */
export const gateway = { addresses: ["192.0.2.1"], port: 4143, identity: "gateway.west" };

/** Runs `work` on a pair of API servers without anything beside them. */
export function withPair<T>(exports: number, work: (pair: Pair) => Promise<T>): Promise<T> {
  const services = exportsOf(exports);
  return withExports({ services, mirrors: exports, link: { gateway: false } }, work);
}

/** The same with exports of any kind. */
export async function withExports<T>(
  { services, endpoints = [], mirrors, link }: Exports,
  work: (pair: Pair) => Promise<T>,
): Promise<T> {
  const bed = await startBed({ clusters: ["west", "east"], runs: "nothing" });
  try {
    await Promise.all(Object.values(bed.clusters).map(addNamespace));
    const writer = new Writer(bed.clusters.west);
    await writer.create(services);
    await writer.createEndpoints(endpoints);
    await writer.close();
    const config: Config = {
      manage: "mirrors",
      clusters: { west: {}, east: {} },
      links: [{ source: "east", target: "west", ...link, maxMirrors: 2 * mirrors }],
    };
    return await work({ bed, stack: await newStack(bed, "bench", config) });
  } finally {
    await bed.stop();
  }
}
