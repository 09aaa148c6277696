import { newStack } from "../stack.ts";
import { writeAgain } from "./bare-writes.ts";
import { type Figure, seconds } from "./figure.ts";
import { meshConfig, type MeshSize, startMesh } from "./mesh.ts";
import { stateBytes } from "./state-size.ts";

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
