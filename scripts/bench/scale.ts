import { serverWith } from "../../tests/simulation/contents.ts";
import { Mesh } from "../../tests/simulation/mesh.ts";
import { cluster, flat } from "../../tests/unit/fixtures/objects.ts";
import type { Figure } from "./figure.ts";

const exportsOfEach = 100;
const namespaces = 10;
const sources = 10;

const exports = (count: number, of = namespaces) =>
  Array.from({ length: count }, (_, index) => flat(`ns-${index % of}/web-${index}`));
const places = Array.from({ length: namespaces }, (_, index) => `ns-${index}`);
const flatLinks = { linkDefaults: { gateway: false, maxMirrors: 10_000 } };

/**
 * Measures decisions at sizes that fit no machine with real API servers: one stack for each source, on simulated API servers in
 * this process, whose time is included. All doubles from line to line.
 */
export async function measureScale(clusters: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  let last: { readonly up: number; readonly preview: number } | undefined;
  for (const count of [clusters / 4, clusters / 2, clusters].map(Math.ceil)) {
    const targets = Array.from({ length: count - 1 }, (_, index) =>
      serverWith(cluster(`c${index}`, { namespaces: places, services: exports(exportsOfEach) })),
    );
    const source = serverWith(cluster("east", { namespaces: places }));
    const took = await stackOf(Mesh.of([source, ...targets], flatLinks));
    const mirrors = (count - 1) * exportsOfEach;
    figures.push(...beside(`${count} clusters, ${mirrors} mirrors in a source`, took, last));
    last = took;
  }
  last = undefined;
  for (const count of [2_500, 5_000, 10_000].map((each) => Math.ceil((each * clusters) / 100))) {
    const west = cluster("west", { namespaces: places, services: exports(count, sources) });
    const target = serverWith(west);
    const all = { up: 0, preview: 0 };
    // Each source has a stack of its own, which mirrors a tenth.
    for (let index = 0; index < sources; index += 1) {
      const source = serverWith(cluster(`s${index}`, { namespaces: places }));
      const config = {
        ...flatLinks,
        links: [{ source: `s${index}`, target: "west", namespaces: [`ns-${index}`] }],
      };
      const took = await stackOf(Mesh.of([source, target], config));
      all.up += took.up;
      all.preview += took.preview;
    }
    figures.push(...beside(`${count} exports of a target over ${sources} sources`, all, last));
    last = all;
  }
  return figures;
}

async function stackOf(mesh: Mesh) {
  const run = async (what: "preview" | "up") => {
    const { failure } = await mesh[what]();
    if (failure !== undefined) throw new Error(failure);
  };
  return { up: await cpuSeconds(() => run("up")), preview: await cpuSeconds(() => run("preview")) };
}

/** Other work of the machine doesn't count. */
async function cpuSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function beside(
  what: string,
  took: { readonly up: number; readonly preview: number },
  half: typeof took | undefined,
): Figure[] {
  return (["up", "preview"] as const).map((run) => ({
    what: `${what}: ${run === "up" ? "first up" : "preview with nothing to do"}, CPU time`,
    value: took[run],
    unit: "s",
    ...(half !== undefined && { against: { what: "half as many", value: half[run] } }),
  }));
}
