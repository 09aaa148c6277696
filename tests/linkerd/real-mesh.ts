import { type Bed, type BedCluster, startBed } from "../bed/bed.ts";
import type { Config } from "../bed/stack.ts";
import { arePluginsReal, chartsFolder } from "./real-plugins.ts";

/** The clusters exist once tests and hooks run. */
export interface RealBed<Names extends string> {
  readonly bed: Bed<Names>;
  readonly clusters: Bed<Names>["clusters"];
}

/** Starts the clusters for the suite that calls it, or skips the suite if real plugins are missing. */
export function realBed<const Names extends string>(names: readonly Names[]): RealBed<Names> {
  let bed: Bed<Names> | undefined;

  before(async function () {
    if (!arePluginsReal) return this.skip();
    bed = await startBed({ clusters: names });
  });
  after(() => bed?.stop());

  return {
    get bed() {
      return running(bed);
    },
    get clusters() {
      return running(bed).clusters;
    },
  };
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a mesh can be used in tests and hooks alone");
  return part;
}

/** Returns the config of a mesh that the stack installs from the tests' charts, with a link from east to west. */
export function meshConfig(
  { west, east }: Readonly<Record<"west" | "east", BedCluster>>,
  change: Config = {},
): Config {
  return {
    manage: "all",
    clusters: { west: configOf(west), east: configOf(east) },
    links: [{ source: "east", target: "west" }],
    charts: { source: chartsFolder },
    ...change,
  };
}

export const exported = { labels: { "mirror.linkerd.io/exported": "true" } };

/**
 * Returns the config of a cluster. It names an address, since load balancers get none here.
 *
 * @param values are more values by chart
 */
export function configOf({ server }: BedCluster, values: Config = {}): Config {
  return {
    apiServer: server,
    gateway: { addresses: ["192.0.2.7"] },
    values: { "linkerd-multicluster": { gateway: { serviceType: "NodePort" } }, ...values },
  };
}
