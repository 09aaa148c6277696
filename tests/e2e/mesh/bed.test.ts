import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { type Bed, until } from "../../bed/bed.ts";
import { request } from "../../bed/request.ts";
import { type ClusterName, emptyBed } from "../mirroring/shared-bed.ts";
import { running } from "../watched-runs.ts";

const run = promisify(execFile);

describe("the test bed", function () {
  // Building the programs takes minutes, once on a machine.
  this.timeout("20m");

  let bed: Bed<ClusterName>;

  before(async () => {
    ({ bed } = await emptyBed());
  });

  it("leaves requests to a frozen cluster unanswered until it is back", async () => {
    const { east, west } = bed.clusters;
    await east.cut("silent");
    let isAnswered = false;
    const answer = request(east.access, "GET", "/version").finally(() => (isAnswered = true));
    assert.equal((await request(west.access, "GET", "/version")).code, 200);
    assert.equal(isAnswered, false);
    await east.restore();
    assert.equal((await answer).code, 200);
  });

  it("sends webhook calls nowhere, so that none leaves the machine", async () => {
    const { west } = bed.clusters;
    const hook = {
      name: "hook.example.com",
      clientConfig: { service: { namespace: "default", name: "hook" } },
      rules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["endpoints"] },
      ],
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
    };
    const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
    const objects = { metadata: { name: "hook" } };
    const service = { ...objects, spec: { ports: [{ port: 443 }] } };
    await west.request("POST", "/api/v1/namespaces/default/services", service);
    await west.request("POST", configurations, { ...objects, webhooks: [hook] });
    try {
      // The API server notices a new webhook after a moment.
      const { message } = await until("a call of the webhook", [], async () => {
        const path = "/api/v1/namespaces/default/endpoints?dryRun=All";
        const { code, body } = await west.request("POST", path, { metadata: { name: "any" } });
        return code === 500 ? (body as { readonly message: string }) : undefined;
      });
      assert.match(message, /dial unix .+: no such file or directory/);
    } finally {
      await west.request("DELETE", `${configurations}/hook`);
      await west.request("DELETE", "/api/v1/namespaces/default/services/hook");
    }
  });

  it("leaves nothing behind when its process is killed", async () => {
    const owner = spawn(process.execPath, ["--input-type=module", "--eval", OWNER], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [folder] = (await once(createInterface(owner.stdout), "line")) as [string];
    // These are the watchdog, etcd, the API server and CoreDNS.
    assert.ok((await commandsNaming(folder)).length >= 4);
    const engines = () => running(`TMPDIR=${folder}/tmp`);
    assert.equal((await engines()).length, 1);
    owner.kill("SIGKILL");
    await until("the end of it all", [], async () => {
      const left = [...(await commandsNaming(folder)), ...(await engines())];
      return (!existsSync(folder) && left.length === 0) || undefined;
    });
  });
});

/** `sleep` stands for an engine, which belongs to no process group that the watchdog knows. */
const OWNER = `
  import { spawn } from "node:child_process";
  import { startBed } from ${JSON.stringify(import.meta.resolve("../../bed/bed.ts"))};
  import { environment } from ${JSON.stringify(import.meta.resolve("../../bed/pulumi.ts"))};
  const bed = await startBed({ clusters: ["west"], runs: "nothing" });
  await bed.dns("west");
  spawn("sleep", ["600"], { env: environment(bed), stdio: "ignore" });
  console.log(bed.folder);
  setInterval(() => undefined, 1000);
`;

async function commandsNaming(text: string): Promise<string[]> {
  const { stdout } = await run("ps", ["-A", "-ww", "-o", "args="], { maxBuffer: 64 * 1024 ** 2 });
  return stdout.split("\n").filter((line) => line.includes(text));
}
