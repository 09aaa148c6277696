import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { newStack, repository } from "../../tests/bed/stack.ts";
import { previewWithoutLog } from "./cli-log.ts";
import { type Figure, seconds } from "./figure.ts";
import { withPair } from "./pair.ts";
import { cpuOf } from "./process-tree.ts";

/** Compares a small stack with the smallest Pulumi program that has a dynamic resource, and with one that has nothing. */
export function measureFixedCost(times: number): Promise<Figure[]> {
  return withPair(1, "flat", async ({ bed, stack }) => {
    const stackOf = async (name: string, source: string) =>
      newStack(bed, name, {}, await smallProgram(join(bed.folder, `${name}-program`), source));
    const small = [
      { what: "empty program", stack: await stackOf("empty", oneResource) },
      { what: "program without a resource", stack: await stackOf("bare", nothing) },
    ];
    const figures: Figure[] = [];
    for (const words of [
      ["up", "--yes", "--skip-preview"],
      ["preview", "--expect-no-changes"],
    ]) {
      // All have created and compiled everything before the first measurement.
      const all = [stack, ...small.map((each) => each.stack)];
      for (const each of all) await each.pulumi("up", "--yes", "--skip-preview");
      const least = all.map(() => Infinity);
      // They take turns, so that other work of the machine affects all.
      for (let time = 0; time < times; time++)
        for (const [index, each] of all.entries()) {
          const took = await seconds(() => each.pulumi(...words));
          least[index] = Math.min(least[index] ?? took, took);
        }
      const [value = NaN, ...others] = least;
      const what = `pulumi ${words[0] ?? ""} with nothing to do, one mirror`;
      for (const [index, each] of small.entries())
        figures.push({
          what,
          value,
          unit: "s",
          against: { what: each.what, value: others[index] ?? NaN },
        });
    }
    let unlogged = Infinity;
    for (let time = 0; time < times; time++)
      unlogged = Math.min(unlogged, await cpuOf(() => previewWithoutLog(bed.folder, stack)));
    const what = "pulumi preview with nothing to do, one mirror, without the CLI's log: CPU time";
    return [...figures, { what, value: unlogged, unit: "s" }];
  });
}

const nothing = `import "@pulumi/pulumi";\n`;
const oneResource = `import * as pulumi from "@pulumi/pulumi";
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

async function smallProgram(program: string, source: string): Promise<string> {
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
