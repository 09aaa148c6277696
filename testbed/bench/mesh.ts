import { type Bed, type BedCluster, startBed } from "../bed.ts";
import { BedError } from "../errors.ts";
import { type Config, newStack, type PulumiStack } from "../stack.ts";
import { writeAgain } from "./bare-writes.ts";
import { type Figure, seconds } from "./figure.ts";
import { namespace, type BenchService, Writer } from "./writer.ts";

export interface MeshSize {
  readonly clusters: number;
  /** Exported Services of each cluster. */
  readonly exports: number;
}

/** API servers without anything beside them: Services need no pods to be mirrored. */
export async function startMesh({ clusters, exports }: MeshSize): Promise<Bed<string>> {
  const names = Array.from({ length: clusters }, (_, index) => `c${index}`);
  const bed = await startBed({ clusters: names, runs: "nothing" });
  const services = exportsOf(exports);
  await Promise.all(
    Object.values(bed.clusters).map(async (cluster) => {
      await addNamespace(cluster);
      const writer = new Writer(cluster);
      await writer.create(services);
      await writer.close();
    }),
  );
  return bed;
}

/** Services that are mirrored for pod-to-pod traffic, which needs no gateway, unless said otherwise. */
export function exportsOf(count: number, how = "remote-discovery"): BenchService[] {
  return Array.from({ length: count }, (_, index) => ({
    metadata: {
      name: `service-${index}`,
      labels: { "mirror.linkerd.io/exported": how },
    },
    spec: { ports: [{ name: "http", port: 8080 }] },
  }));
}

/** Every cluster mirrors the exports of every other. */
function meshConfig(bed: Bed<string>): Config {
  return {
    manage: "mirrors",
    clusters: Object.fromEntries(Object.keys(bed.clusters).map((name) => [name, {}])),
    topology: "mesh",
    linkDefaults: { gateway: false },
  };
}

export async function addNamespace({ name, request }: BedCluster): Promise<void> {
  const { code } = await request("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
  if (code !== 201) throw new BedError(`${name} takes no namespace: it answers ${code}.`);
}

/** A full mesh of API servers in one stack. */
export async function measureMesh(size: MeshSize): Promise<Figure[]> {
  const bed = await startMesh(size);
  try {
    const stack = await newStack(bed, "bench", meshConfig(bed));
    const preview = await seconds(() => stack.pulumi("preview"));
    const up = await seconds(() => stack.pulumi("up", "--yes", "--skip-preview"));
    const nothing = await seconds(() => stack.pulumi("preview", "--expect-no-changes"));
    const state = await stateBytes(stack);
    const { mirrors, bareWrites } = await writeAgain(Object.values(bed.clusters));
    const links = size.clusters * (size.clusters - 1);
    const mesh = `${size.clusters} clusters, ${links} links, ${mirrors} mirrors`;
    return [
      { row: "mesh", what: `${mesh}: first preview`, value: preview, unit: "s" },
      {
        ...{ row: "mesh", what: `${mesh}: first up`, value: up, unit: "s" },
        against: { what: "bare writes", value: bareWrites },
      },
      { row: "mesh", what: `${mesh}: preview with nothing to do`, value: nothing, unit: "s" },
      { row: "mesh", what: `${mesh}: state`, value: state / 1e6, unit: "MB" },
    ];
  } finally {
    await bed.stop();
  }
}

/** The bytes of the stack's state, as JSON. */
export async function stateBytes(stack: PulumiStack): Promise<number> {
  const { deployment } = JSON.parse(await stack.pulumi("stack", "export")) as {
    readonly deployment: unknown;
  };
  return Buffer.byteLength(JSON.stringify(deployment));
}
