import { type Bed, startBed } from "../../tests/bed/bed.ts";
import { newStack, type PulumiStack } from "../../tests/bed/stack.ts";
import { writeAgain } from "./bare-writes.ts";
import { previewWithoutLog } from "./cli-log.ts";
import { type Figure, seconds } from "./figure.ts";
import { cpuOf } from "./process-tree.ts";
import { type BenchObject, type BenchObjects, Writer } from "./writer.ts";

const exportsOfEach = 20;

/** Starts API servers without controllers, because Services need no pods to be mirrored. */
export async function startExporting<const Name extends string>(
  clusters: readonly Name[],
  exportsOf: (cluster: Name) => BenchObjects,
): Promise<Bed<Name>> {
  const bed = await startBed({ clusters, runs: "nothing" });
  await Promise.all(
    clusters.map(async (name) => {
      const writer = new Writer(bed.clusters[name]);
      await writer.addNamespaces();
      await writer.create(exportsOf(name));
      await writer.close();
    }),
  );
  return bed;
}

/** A mirror is a Service for pod-to-pod traffic (`flat`), or one with Endpoints that lead through a gateway. */
export type Kind = "flat" | "gateway";

export function exportedServices(count: number, kind: Kind): BenchObject[] {
  return Array.from({ length: count }, (_, index) => exportedService(`service-${index}`, kind));
}

export function exportedService(name: string, kind: Kind): BenchObject {
  const exported = kind === "flat" ? "remote-discovery" : "true";
  return {
    metadata: { name, labels: { "mirror.linkerd.io/exported": exported } },
    spec: { ports: [{ name: "http", port: 8080 }] },
  };
}

/** Measures a full mesh in one stack: every cluster mirrors the exports of every other. */
export async function measureMesh(clusters: number): Promise<Figure[]> {
  const names = Array.from({ length: clusters }, (_, index) => `c${index}`);
  const services = exportedServices(exportsOfEach, "flat");
  const bed = await startExporting(names, () => ({ services }));
  try {
    const stack = await newStack(bed, "bench", {
      manage: "mirrors",
      clusters: Object.fromEntries(names.map((name) => [name, {}])),
      topology: "mesh",
      linkDefaults: { gateway: false },
    });
    const up = await seconds(() => stack.pulumi("up", "--yes", "--skip-preview"));
    const nothing = await seconds(() => stack.pulumi("preview", "--expect-no-changes"));
    let unlogged = NaN;
    const cpu = await cpuOf(async () => {
      unlogged = await seconds(() => previewWithoutLog(bed.folder, stack));
    });
    const state = await stateBytes(stack);
    const { mirrors, bareWrites } = await writeAgain(Object.values(bed.clusters));
    const mesh = `${clusters} clusters, ${clusters * (clusters - 1)} links, ${mirrors} mirrors`;
    const against = { what: "bare writes", value: bareWrites };
    return [
      { what: `${mesh}: first up`, value: up, unit: "s", against },
      { what: `${mesh}: preview with nothing to do`, value: nothing, unit: "s" },
      { what: `${mesh}: the same without the CLI's log`, value: unlogged, unit: "s" },
      { what: `${mesh}: its CPU time`, value: cpu, unit: "s" },
      { what: `${mesh}: state`, value: state / 1e6, unit: "MB" },
    ];
  } finally {
    await bed.stop();
  }
}

async function stateBytes(stack: PulumiStack): Promise<number> {
  const { deployment } = JSON.parse(await stack.pulumi("stack", "export")) as {
    readonly deployment: unknown;
  };
  return Buffer.byteLength(JSON.stringify(deployment));
}
