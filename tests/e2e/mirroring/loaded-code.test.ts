import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type Bed, startBed } from "../../bed/bed.ts";
import { newStack, type PulumiStack } from "../../bed/stack.ts";

/**
 * At its beginning and its end, each process of a run adds a line: its script, and how many CommonJS modules it has
 * loaded.
 */
const counter = (log: string) => `
  import { appendFileSync } from "node:fs";
  import { createRequire } from "node:module";
  const { cache } = createRequire(import.meta.url);
  const add = () =>
    appendFileSync(${JSON.stringify(log)}, process.argv[1] + " " + Object.keys(cache).length + "\\n");
  add();
  process.on("exit", add);`;

const most = { run: 650, "dynamic-provider": 450 };

describe("the code that a run loads", function () {
  this.timeout("5m");

  let bed: Bed<"west" | "east">;

  before(async () => {
    bed = await startBed({ clusters: ["west", "east"], runs: "nothing" });
  });

  after(() => bed.stop());

  /** Returns how many modules each process has loaded. */
  async function counted(stack: PulumiStack, ...words: readonly string[]) {
    const script = join(bed.folder, "counter.mjs");
    const log = join(bed.folder, "modules");
    await writeFile(log, "");
    await writeFile(script, counter(log));
    const variables = { NODE_OPTIONS: `--import ${script}` };
    const outcome = await stack.run(["preview", ...words], { variables });
    const counts = new Map(
      [...(await readFile(log, "utf8")).matchAll(/\/cmd\/([a-z-]+)\/index\.js (\d+)/g)].map(
        ([, process = "", modules]) => [process, Number(modules)],
      ),
    );
    return { ...outcome, counts };
  }

  it("begins to load in the provider before the program has even read its config", async () => {
    const stack = await newStack(bed, "mistaken", { clusters: "none" });
    const { code, text, counts } = await counted(stack);
    assert.notEqual(code, 0);
    assert.match(text, /linkerd-multicluster:clusters/);
    assert.ok(counts.has("dynamic-provider"), text);
  });

  it("is little beside Pulumi's whole SDK, in the program and in the provider", async () => {
    const stack = await newStack(bed, "loaded", {
      manage: "mirrors",
      clusters: { west: {}, east: {} },
      links: [{ source: "east", target: "west", gateway: false }],
    });
    await stack.pulumi("up", "--yes", "--skip-preview");
    const { code, text, counts } = await counted(stack, "--expect-no-changes");
    assert.equal(code, 0, text);
    for (const [process, limit] of Object.entries(most)) {
      const modules = counts.get(process) ?? Infinity;
      assert.ok(modules <= limit, `${process}: ${modules} modules, more than ${limit}`);
    }
  });
});
