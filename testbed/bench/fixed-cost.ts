import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { newStack, repository } from "../stack.ts";
import { type Figure, seconds } from "./figure.ts";
import { withPair } from "./pair.ts";
import { processorSeconds } from "./processor-time.ts";

/** A small stack against the least that a Pulumi program with a dynamic resource can be. */
export function measureFixedCost(times: number): Promise<Figure[]> {
  return withPair(1, async ({ bed, stack }) => {
    const empty = await newStack(bed, "empty", {}, await emptyProgram(bed.folder));
    const figures: Figure[] = [];
    for (const words of [
      ["up", "--yes", "--skip-preview"],
      ["preview", "--expect-no-changes"],
    ]) {
      // What is there at first, or compiled at first, is so for both.
      await stack.pulumi("up", "--yes", "--skip-preview");
      await empty.pulumi("up", "--yes", "--skip-preview");
      const ours: Cost[] = [];
      const bare: Cost[] = [];
      // In turns, so that what else the machine does comes to both.
      for (let time = 0; time < times; time++) {
        ours.push(await costOf(() => stack.pulumi(...words)));
        bare.push(await costOf(() => empty.pulumi(...words)));
      }
      const what = `pulumi ${words[0] ?? ""} with nothing to do, one mirror`;
      figures.push(
        figureOf(what, least(ours, "clock"), least(bare, "clock")),
        figureOf(`${what}: processor time`, least(ours, "processor"), least(bare, "processor")),
      );
    }
    return figures;
  });
}

/** In seconds. */
interface Cost {
  readonly clock: number;
  /** NaN where the system does not tell. */
  readonly processor: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  let clock = NaN;
  const processor = await processorSeconds(async () => {
    clock = await seconds(work);
  });
  return { clock, processor: processor ?? NaN };
}

function least(costs: readonly Cost[], which: keyof Cost): number {
  return Math.min(...costs.map((cost) => cost[which]));
}

function figureOf(what: string, value: number, bare: number): Figure {
  return { row: "fixed", what, value, unit: "s", against: { what: "empty program", value: bare } };
}

const source = `import * as pulumi from "@pulumi/pulumi";
const provider = {
  async check(olds, news) { return { inputs: news, failures: [] }; },
  async diff() { return { changes: false }; },
  async create(inputs) { return { id: "one", outs: inputs }; },
};
class One extends pulumi.dynamic.Resource {
  constructor(name, args) { super(provider, name, args); }
}
new One("one", { text: "one" });
`;

async function emptyProgram(folder: string): Promise<string> {
  const program = join(folder, "empty-program");
  await mkdir(join(program, "node_modules"), { recursive: true });
  const sdk = join("node_modules", "@pulumi");
  await symlink(join(repository, sdk), join(program, sdk));
  const runtime = "runtime: { name: nodejs, options: { typescript: false } }";
  await writeFile(join(program, "Pulumi.yaml"), `name: linkerd-multicluster\n${runtime}\n`);
  const dependencies = { "@pulumi/pulumi": "*" };
  const manifest = { name: "empty", type: "module", main: "index.mjs", dependencies };
  await writeFile(join(program, "package.json"), JSON.stringify(manifest));
  await writeFile(join(program, "index.mjs"), source);
  return program;
}
