import type { BedCluster } from "../cluster.ts";
import { seconds } from "./figure.ts";
import { type BenchEndpoints, type BenchService, Writer } from "./writer.ts";

const mirrored = "mirror.linkerd.io/mirrored-service=true";

/** Writes every mirror once more, under a name of its own, to all clusters at once: Services, then Endpoints. */
export async function writeAgain(
  clusters: readonly BedCluster[],
): Promise<{ readonly mirrors: number; readonly bareWrites: number }> {
  const writers = clusters.map((cluster) => new Writer(cluster));
  const work = await Promise.all(
    writers.map(async (writer) => ({
      writer,
      services: (await writer.list(mirrored)).map(copyOfService),
      endpoints: (await writer.listEndpoints(mirrored)).map(copyOfEndpoints),
    })),
  );
  const bareWrites = await seconds(() =>
    Promise.all(
      work.map(async ({ writer, services, endpoints }) => {
        await writer.create(services);
        await writer.createEndpoints(endpoints);
      }),
    ),
  );
  await Promise.all(writers.map((writer) => writer.close()));
  return { mirrors: work.flatMap(({ services }) => services).length, bareWrites };
}

function copyOfService({ metadata, spec: { clusterIP, ports } }: BenchService): BenchService {
  // An address belongs to one Service; to have none is part of what it is.
  const headless = clusterIP === "None" ? { clusterIP } : {};
  return { metadata: copyOf(metadata), spec: { ...headless, ports } };
}

function copyOfEndpoints({ metadata, subsets = [] }: BenchEndpoints): BenchEndpoints {
  return { metadata: copyOf(metadata), subsets };
}

function copyOf({
  name,
  labels = {},
  annotations = {},
}: BenchService["metadata"]): BenchService["metadata"] {
  return { name: `bare-${name}`, labels, annotations };
}
