import type { Cluster } from "../cluster.ts";
import { seconds } from "./figure.ts";
import { type Service, Writer } from "./writer.ts";

/** Writes every mirror once more, under a name of its own, to all clusters at once. */
export async function writeAgain(
  clusters: readonly Cluster[],
): Promise<{ readonly mirrors: number; readonly bareWrites: number }> {
  const writers = clusters.map((cluster) => new Writer(cluster));
  const work = await Promise.all(
    writers.map(async (writer) => {
      const mirrors = await writer.list("mirror.linkerd.io/mirrored-service=true");
      return { writer, copies: mirrors.map(copyOf) };
    }),
  );
  const bareWrites = await seconds(() =>
    Promise.all(work.map(({ writer, copies }) => writer.create(copies))),
  );
  await Promise.all(writers.map((writer) => writer.close()));
  return { mirrors: work.flatMap(({ copies }) => copies).length, bareWrites };
}

function copyOf({ metadata, spec }: Service): Service {
  const { name, labels = {}, annotations = {} } = metadata;
  return { metadata: { name: `bare-${name}`, labels, annotations }, spec: { ports: spec.ports } };
}
