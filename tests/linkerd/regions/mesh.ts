/** Starts the mesh of examples/regions on real nodes, with a third cluster in each region. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse, parseAllDocuments } from "yaml";

import { type Bed, startBed, until } from "../../bed/bed.ts";
import { podNetwork } from "../../bed/nodes/lan.ts";
import { linkerdImages } from "../../bed/nodes/linkerd.ts";
import { type Config, newStack, type PulumiStack, repository } from "../../bed/stack.ts";
import { chartsFolder } from "../real-plugins.ts";
import { type Kubectl, kubectlOf } from "../traffic/kubectl.ts";
import {
  addDeployment,
  addService,
  addShop,
  addStatefulSet,
  discovered,
  exported,
  namespace,
} from "../traffic/workloads.ts";

export const regions = {
  eu: ["paris", "berlin", "madrid"],
  us: ["austin", "boston", "chicago"],
} as const;

export type Region = keyof typeof regions;
export type Name = (typeof regions)[Region][number];

export const names: readonly Name[] = [...regions.eu, ...regions.us];

export const regionOf = (name: Name): Region => {
  return regions.eu.some((each) => each === name) ? "eu" : "us";
};

export const membersOf = (region: Region): readonly Name[] => regions[region];

export interface Mesh extends Kubectl<Name> {
  readonly bed: Bed<Name>;
  readonly stack: PulumiStack;
}

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** The keys of the example, without the project's name. */
export function example(): Config {
  const { config } = parse(read("examples/regions/Pulumi.regions.yaml")) as { config: Config };
  const entries = Object.entries(config).map(([key, value]) => [key.split(":")[1], value]);
  return Object.fromEntries(entries) as Config;
}

export async function startRegions(): Promise<Mesh> {
  const images = await linkerdImages(chartsFolder);
  // The first cluster of each region has the same pod network as that of the other, and so on.
  const podNetworks = Object.fromEntries(
    names.map((name) => [name, podNetwork(membersOf(regionOf(name)).indexOf(name))]),
  );
  const begun = Date.now();
  const tell = (what: string): void => {
    console.log(`      ${what} after ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  };
  const bed = await startBed({ clusters: names, runs: "nodes", nodes: { images, podNetworks } });
  tell("six nodes");
  try {
    for (const name of names) {
      await separate(bed, name);
      await addShop(bed.clusters[name]);
    }
    const stack = await newStack(bed, "regions", {
      ...example(),
      clusters: Object.fromEntries(names.map((name) => [name, {}])),
      topology: { regions },
      linkDefaults: { headless: true },
      charts: { source: chartsFolder },
    });
    const mesh = { bed, stack, ...kubectlOf(bed) };
    const up = () => stack.pulumi("up", "--yes", "--skip-preview", "--parallel=4");
    // Pulumi's provider waits half a minute for a token, which a busy machine may exceed. The next run goes on.
    await until("Linkerd and thirty links", [], up, 900);
    tell("Linkerd and thirty links");
    await addWorkloads(mesh);
    tell("pods");
    await up();
    tell("mirrors");
    return mesh;
  } catch (error) {
    await bed.stop();
    throw error;
  }
}

/** Lets a node reach all pods of its region, and lets nothing in from the other region but requests to its gateway. */
async function separate(bed: Bed<Name>, name: Name): Promise<void> {
  const node = bed.node(name);
  const region = regionOf(name);
  for (const other of membersOf(region)) if (other !== name) await node.reachPods(bed.node(other));
  const far = names.filter((other) => regionOf(other) !== region);
  const addresses = far.map((other) => bed.node(other).address).join(", ");
  await node.run(
    ["nft", "--file", "-"],
    `table inet regions {
  chain arriving {
    type filter hook prerouting priority mangle;
    ip saddr { ${addresses} } ip daddr ${node.balancer} tcp dport 4143 accept
    ip saddr { ${addresses} } drop
  }
}
`,
  );
  const range = node.podNetwork;
  const path = `/api/v1/nodes/${name}-node`;
  const spec = { podCIDR: range, podCIDRs: [range] };
  assert.equal((await bed.clusters[name].request("PATCH", path, { spec })).code, 200);
}

/** Deploys the example's `web` in each cluster, and in paris also pods with names and a Service for its region alone. */
async function addWorkloads({ bed, kubectl, rolledOut }: Mesh): Promise<void> {
  const web = parseAllDocuments(read("examples/regions/manifests/web.yaml"))
    .map((each) => each.toJS() as { kind: string; metadata: { labels: Record<string, string> } })
    .find(({ kind }) => kind === "Service");
  for (const name of names) {
    const cluster = bed.clusters[name];
    await addDeployment(cluster, { name: "web", program: "server" });
    await addService(cluster, "web", "web", web?.metadata.labels ?? {});
    const file = join(repository, "examples/demo/seeds/curl.yml");
    await kubectl(name, "apply", `--namespace=${namespace}`, `--filename=${file}`);
  }
  const { paris } = bed.clusters;
  await addService(paris, "near", "web", discovered);
  await addService(paris, "nginx-svc", "nginx-set", exported, { clusterIP: "None" });
  await addStatefulSet(paris, { name: "nginx-set", program: "server" }, "nginx-svc");
  await Promise.all(names.map((name) => rolledOut(name)));
}
