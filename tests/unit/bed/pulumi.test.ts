import { execFileSync } from "node:child_process";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { pulumiFolder } from "../../bed/pulumi.ts";
import type { Toolbox } from "../../bed/tools.ts";

describe("the bed's language host", () => {
  let folder: string;
  let host: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "language-host-"));
    const program = join(folder, "program");
    writeFileSync(program, `#!/bin/sh\nprintf '<%s>' "$@"\n`, { mode: 0o755 });
    const tools = { pulumi: program, "pulumi-language-nodejs": program };
    host = join(
      await pulumiFolder(tools as Partial<Toolbox> as Toolbox, folder),
      "pulumi-language-nodejs",
    );
  });

  after(() => {
    rmSync(folder, { recursive: true });
  });

  for (const [project, expected] of [
    ["runtime: nodejs", "<-typescript=true><-nodeargs=>"],
    [
      "runtime: { name: nodejs, options: { typescript: false } }",
      "<-typescript=false><-nodeargs=>",
    ],
    [
      "runtime:\n  name: nodejs\n  options:\n    typescript: false\n    nodeargs: --import ./a.mjs --one=2\nmain: index.ts",
      "<-typescript=false><-nodeargs=--import ./a.mjs --one=2>",
    ],
    [
      "runtime:\n  options:\n    # Why.\n    nodeargs: --import ./a.mjs --import\n      ./b.mjs --one=2\n    typescript: false\nmain: index.ts",
      "<-typescript=false><-nodeargs=--import ./a.mjs --import ./b.mjs --one=2>",
    ],
  ] as const)
    it(`gets the options of ${JSON.stringify(project)}`, () => {
      writeFileSync(join(folder, "Pulumi.yaml"), `name: any\n${project}\n`);
      const said = execFileSync(host, ["127.0.0.1:1"], { cwd: folder, encoding: "utf8" });
      assert.equal(said, `${expected}<127.0.0.1:1>`);
    });
});
