import type { BedCluster } from "../../tests/bed/cluster.ts";
import { seconds } from "./figure.ts";
import { type BenchObject, Writer } from "./writer.ts";

/** Writes every mirror once more, under a name of its own, to all clusters at once: Services, then Endpoints. */
export async function writeAgain(
  clusters: readonly BedCluster[],
): Promise<{ readonly mirrors: number; readonly bareWrites: number }> {
  const work = await Promise.all(
    clusters.map(async (cluster) => {
      const writer = new Writer(cluster);
      const copies = async (plural: string) =>
        (await writer.list(plural, "mirror.linkerd.io/mirrored-service=true")).map((object) =>
          copyOf(object, `bare-${object.metadata.name}`),
        );
      return { writer, services: await copies("services"), endpoints: await copies("endpoints") };
    }),
  );
  const bareWrites = await seconds(() =>
    Promise.all(work.map(({ writer, ...copies }) => writer.create(copies))),
  );
  await Promise.all(work.map(({ writer }) => writer.close()));
  return { mirrors: work.flatMap(({ services }) => services).length, bareWrites };
}

export function copyOf({ metadata, spec, subsets }: BenchObject, name: string): BenchObject {
  const { labels = {}, annotations = {} } = metadata;
  const copy = { metadata: { name, labels, annotations } };
  if (spec === undefined) return { ...copy, subsets: subsets ?? [] };
  // An address belongs to one Service. A headless Service keeps that it has none.
  const headless = spec.clusterIP === "None" ? { clusterIP: "None" } : {};
  return { ...copy, spec: { ...headless, ports: spec.ports } };
}
