import assert from "node:assert/strict";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";

import { missingOnPath } from "../bed/path.ts";
import { repository } from "../bed/stack.ts";

const missing = await missingOnPath(["pulumi", "pulumi-language-nodejs"]);
const note = missing.length === 0 ? "" : `, skipped: ${missing.join(", ")} not on PATH`;
const type = "pulumi-nodejs:dynamic/linkerd:Mirrors";
const inputs = {
  source: "east",
  linkDefaults: { maxDeletions: 10 },
  links: [{ source: "east", target: "west" }],
  mirrors: { west: { "shop/db-west": "gateway mirror of db: postgres 5432/TCP" } },
};

/** The bed's language host can't start packs; tests/e2e/mirroring/policies.test.ts has one of its own in its place. */
describe(`the policy pack under Pulumi's own analyzer${note}`, function () {
  this.timeout("2m");

  let folder: string;

  before(async function () {
    if (missing.length > 0) return this.skip();
    folder = await mkdtemp(join(tmpdir(), "policies-"));
    const pack = join(folder, "pack");
    await cp(join(repository, "examples/policies"), pack, { recursive: true });
    await symlink(join(repository, "node_modules"), join(pack, "node_modules"));
  });

  after(async () => {
    if (missing.length === 0) await rm(folder, { recursive: true });
  });

  it("judges a state file by the links as they are declared, and by their mirrors", async () => {
    const urn = `urn:pulumi:prod::linkerd-multicluster::${type}::east`;
    const resource = { urn, custom: true, id: "east", type, inputs, outputs: inputs };
    const state = join(folder, "state.json");
    await writeFile(state, JSON.stringify({ version: 3, deployment: { resources: [resource] } }));
    const rules = join(folder, "pack/rules.json");
    const words = ["--file", state, "--policy-pack", "pack", "--policy-pack-config", rules];
    const { all, exitCode } = await execa("pulumi", ["policy", "analyze", ...words], {
      cwd: folder,
      all: true,
      reject: false,
      env: { PULUMI_HOME: join(folder, "home"), PULUMI_SKIP_UPDATE_CHECK: "true" },
    });
    assert.notEqual(exitCode, 0);
    assert.match(all, /link from east to west: its selector must demand the label/);
    assert.match(all, /east\/shop\/db-west: port 5432 is private/);
    assert.doesNotMatch(all, /few-deletions/);
  });
});
