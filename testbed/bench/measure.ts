import type { Bed } from "../bed.ts";
import { newStack } from "../stack.ts";
import { meshConfig, type MeshSize, startMesh } from "./mesh.ts";
import { type Service, Writer } from "./writer.ts";

export interface Measured extends MeshSize {
  readonly links: number;
  readonly mirrors: number;
  /** In the stack's state. */
  readonly resources: number;
  readonly stateBytes: number;
  readonly seconds: {
    /** Of a stack that has nothing yet. */
    readonly preview: number;
    readonly up: number;
    /** With nothing to do. */
    readonly previewNothing: number;
    /** The same writes by a bare client. */
    readonly bareWrites: number;
  };
  /** `up` in the time of the bare writes. */
  readonly ratio: number;
}

/** Makes a full mesh of real API servers and measures what the engine makes of it. */
export async function measure(size: MeshSize, report: (text: string) => void): Promise<Measured> {
  report(`starting ${size.clusters} API servers with ${size.exports} exports each`);
  const bed = await startMesh(size);
  try {
    const stack = await newStack(bed, "bench", meshConfig(bed));
    const timed = (what: string, ...words: string[]): Promise<number> => {
      report(what);
      return seconds(() => stack.pulumi(...words));
    };
    const preview = await timed("preview", "preview");
    const up = await timed("up", "up", "--yes", "--skip-preview");
    const previewNothing = await timed(
      "preview with nothing to do",
      ...["preview", "--expect-no-changes"],
    );
    const { deployment } = JSON.parse(await stack.pulumi("stack", "export")) as Exported;
    report("the same writes by a bare client");
    const { mirrors, bareWrites } = await writeAgain(bed);
    return {
      ...size,
      links: size.clusters * (size.clusters - 1),
      mirrors,
      resources: deployment.resources.length,
      stateBytes: Buffer.byteLength(JSON.stringify(deployment)),
      seconds: { preview, up, previewNothing, bareWrites },
      ratio: up / bareWrites,
    };
  } finally {
    await bed.stop();
  }
}

interface Exported {
  readonly deployment: { readonly resources: readonly unknown[] };
}

/** Writes every mirror once more, under a name of its own, to all clusters at once. */
async function writeAgain(bed: Bed<string>): Promise<{ mirrors: number; bareWrites: number }> {
  const writers = Object.values(bed.clusters).map((cluster) => new Writer(cluster));
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

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
