import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { isWriteRequest } from "../../bed/audit.ts";
import { type Bed, mark, requestsOf } from "../../bed/bed.ts";
import { environment } from "../../bed/pulumi.ts";
import { configFile, repository } from "../../bed/stack.ts";
import * as clusters from "../access-clusters.ts";
import { addMesh, replaceCredentials } from "../health-mesh.ts";
import { type ClusterName, emptyBed } from "../mirroring/shared-bed.ts";

const main = join(repository, "cli/linkerd-clusters.mjs");

describe("linkerd-clusters check", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let secrets: readonly string[];
  let folder: string;

  before(async () => {
    bed = (await emptyBed()).bed;
    secrets = await addMesh(bed);
    folder = join(bed.folder, "health");
    await mkdir(folder);
    const links = [{ source: "east", target: "west", headless: true }];
    const config = { clusters: { west: {}, east: {} }, links, manage: "links" };
    await writeFile(join(folder, "Pulumi.links.yaml"), configFile(config));
  });

  async function check() {
    const options = { cwd: folder, env: environment(bed), reject: false } as const;
    const words = [main, "check", "--all", "--stack", "links"];
    const { exitCode: code, stdout, stderr } = await execa(process.execPath, words, options);
    for (const secret of secrets)
      assert.ok(!(stdout + stderr).includes(secret), "a credential in the output");
    return { code, stdout, stderr };
  }

  it("reports a mesh that is in order in a table and with exit code 0, and writes nothing", async () => {
    const { west, east } = bed.clusters;
    const since = await Promise.all([west, east].map(mark));
    const { code, stdout, stderr } = await check();
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(
      stdout,
      /^link east → west\n-+\n√ both clusters trust a common anchor \[trust-anchors-shared\]\n/m,
    );
    assert.doesNotMatch(stdout, /[×‼]/);
    assert.match(stdout, /\nStatus: √ \(\d+ passed, 8 skipped\)$/);
    for (const log of since) {
      const requests = await requestsOf(log);
      assert.deepEqual(requests.filter(isWriteRequest), []);
      assert.ok(requests.length < 30, String(requests.length));
    }
  });

  it("reports a refused token, a replaced cluster and missing rights", async () => {
    const { west, east } = bed.clusters;
    const problems = [
      { target: west, token: "canary-that-nobody-issued", sentence: /the token is rejected/ },
      { target: east, token: east.access.token, sentence: /lead to another cluster/ },
      {
        target: west,
        token: await clusters.tokenOf(west, "default", "default"),
        sentence: /is not allowed to get services, list services, watch services, list endpoints/,
      },
    ];
    for (const { target, token, sentence } of problems) {
      await replaceCredentials(east, target, token);
      const { code, stdout } = await check();
      assert.equal(code, 1);
      assert.match(stdout, sentence);
      // One check fails, and the last line says so.
      assert.equal(stdout.match(/×/g)?.length, 2, stdout);
    }
  });
});
