import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type Bed, startBed } from "../../bed/bed.ts";
import { newStack } from "../../bed/stack.ts";

/** At its end, each process of a run adds a line: its script, and how many CommonJS modules it has loaded. */
const counter = (log: string) => `
  import { appendFileSync } from "node:fs";
  import { createRequire } from "node:module";
  const { cache } = createRequire(import.meta.url);
  process.on("exit", () =>
    appendFileSync(${JSON.stringify(log)}, process.argv[1] + " " + Object.keys(cache).length + "\\n"));`;

const most = { run: 650, "dynamic-provider": 450 };

describe("the code that a run loads", function () {
  this.timeout("5m");

  let bed: Bed<"west" | "east">;

  before(async () => {
    bed = await startBed({ clusters: ["west", "east"], runs: "nothing" });
  });

  after(() => bed.stop());

  it("is little beside Pulumi's whole SDK, in the program and in the provider", async () => {
    const stack = await newStack(bed, "loaded", {
      manage: "mirrors",
      clusters: { west: {}, east: {} },
      links: [{ source: "east", target: "west", gateway: false }],
    });
    await stack.pulumi("up", "--yes", "--skip-preview");
    const script = join(bed.folder, "counter.mjs");
    const log = join(bed.folder, "modules");
    await writeFile(script, counter(log));
    const variables = { NODE_OPTIONS: `--import ${script}` };
    const { code, text } = await stack.run(["preview", "--expect-no-changes"], { variables });
    assert.equal(code, 0, text);
    const counts = new Map(
      [...(await readFile(log, "utf8")).matchAll(/\/cmd\/([a-z-]+)\/index\.js (\d+)/g)].map(
        ([, process = "", modules]) => [process, Number(modules)],
      ),
    );
    for (const [process, limit] of Object.entries(most)) {
      const modules = counts.get(process) ?? Infinity;
      assert.ok(modules <= limit, `${process}: ${modules} modules, more than ${limit}`);
    }
  });
});
