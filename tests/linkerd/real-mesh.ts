import { type Bed, type BedCluster, startBed } from "../bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import { addNamespace, addService, get, inNamespace } from "../e2e/access-clusters.ts";
import { arePluginsReal } from "./real-plugins.ts";

export type Name = "west" | "east" | "north";

/** Three clusters, still without Linkerd, and a stack of all of them; it is there once tests run. */
export interface RealMesh extends RealBed<Name> {
  readonly stack: PulumiStack;
}

/** Clusters, which are there once tests run. */
export interface RealBed<Names extends string> {
  readonly bed: Bed<Names>;
  readonly clusters: Bed<Names>["clusters"];
}

/** Starts them for the suite that calls it, and skips the suite where real plugins are missing. */
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

export function realMesh(
  stackName: string,
  config: (clusters: RealMesh["clusters"]) => Config,
): RealMesh {
  const real = realBed(["west", "east", "north"]);
  let stack: PulumiStack | undefined;

  before(async () => {
    stack = await newStack(real.bed, stackName, config(real.clusters));
    for (const cluster of Object.values(real.clusters)) await addNamespace(cluster, "shop");
  });

  return {
    get bed() {
      return real.bed;
    },
    get clusters() {
      return real.clusters;
    },
    get stack() {
      return running(stack);
    },
  };
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a mesh can be used in tests and hooks alone");
  return part;
}

export const exported = { labels: { "mirror.linkerd.io/exported": "true" } };
const member = { labels: { "mirror.linkerd.io/federated": "member" } };

/** West exports web, east api, and both have a part in shared. */
export async function fillShop({ west, east }: RealMesh["clusters"]): Promise<void> {
  await addService(west, "shop", "web", exported);
  await addService(east, "shop", "api", exported);
  for (const cluster of [east, west]) await addService(cluster, "shop", "shared", member);
}

/**
 * What the config says of a cluster. Nobody gives a load balancer an address here, so the links are
 * told one.
 *
 * @param values more of them, by chart
 */
export function configOf({ server }: BedCluster, values: Config = {}): Config {
  return {
    apiServer: server,
    gateway: { addresses: ["192.0.2.7"] },
    values: { "linkerd-multicluster": { gateway: { serviceType: "NodePort" } }, ...values },
  };
}

/** PEM blocks in the bundle that a cluster trusts. */
export async function anchorsOf(cluster: BedCluster): Promise<number> {
  const path = `${inNamespace("linkerd", "configmaps")}/linkerd-identity-trust-roots`;
  const { data } = await get<{ readonly data: Record<string, string> }>(cluster, path);
  return (data["ca-bundle.crt"] ?? "").split("-----BEGIN CERTIFICATE-----").length - 1;
}
