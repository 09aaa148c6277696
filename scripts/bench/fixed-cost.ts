import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { newStack, repository } from "../../tests/bed/stack.ts";
import { type Figure, seconds } from "./figure.ts";
import { withPair } from "./pair.ts";

/** Compares a small stack with the smallest Pulumi program that has a dynamic resource. */
export function measureFixedCost(times: number): Promise<Figure[]> {
  return withPair(1, async ({ bed, stack }) => {
    const empty = await newStack(bed, "empty", {}, await emptyProgram(bed.folder));
    const figures: Figure[] = [];
    for (const words of [
      ["up", "--yes", "--skip-preview"],
      ["preview", "--expect-no-changes"],
    ]) {
      // Both have created and compiled everything before the first measurement.
      await stack.pulumi("up", "--yes", "--skip-preview");
      await empty.pulumi("up", "--yes", "--skip-preview");
      const ours: number[] = [];
      const bare: number[] = [];
      // They take turns, so that other work of the machine affects both.
      for (let time = 0; time < times; time++) {
        ours.push(await seconds(() => stack.pulumi(...words)));
        bare.push(await seconds(() => empty.pulumi(...words)));
      }
      figures.push({
        what: `pulumi ${words[0] ?? ""} with nothing to do, one mirror`,
        value: Math.min(...ours),
        unit: "s",
        against: { what: "empty program", value: Math.min(...bare) },
      });
    }
    return figures;
  });
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
