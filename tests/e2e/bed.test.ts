import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { type Bed, type Cluster, mark, requestsOf, startBed, until } from "../../testbed/bed.ts";
import { request } from "../../testbed/request.ts";
import { newStack, repository } from "../../testbed/stack.ts";

const run = promisify(execFile);

describe("the test bed", function () {
  // Building the programs takes minutes, once on a machine.
  this.timeout("20m");

  let bed: Bed<"west" | "east">;

  before(async () => {
    bed = await startBed({ clusters: ["west", { name: "east", runs: "controllers" }] });
  });
  after(() => bed.stop());

  it("runs a StatefulSet's pods and names each in the Endpoints of its headless Service", async () => {
    const { west } = bed.clusters;
    await createStatefulSet(west);
    assert.deepEqual(await until("three hostnames", [], () => hostnamesIn(west, 3)), [
      "nginx-set-0",
      "nginx-set-1",
      "nginx-set-2",
    ]);
  });

  it("tells which requests a cluster got, and from whom, but for its own", async () => {
    const { west } = bed.clusters;
    const uri = "/api/v1/namespaces/default/services/kubernetes";
    const before = await mark(west);
    await west.request("GET", "/api/v1/services");
    await request(west.access, "GET", uri);
    const userAgent = "linkerd-multicluster-bed";
    const requests = await requestsOf(before, userAgent);
    assert.deepEqual(
      requests.map(({ received, answered, ...told }) => {
        assert.ok(received <= answered);
        return told;
      }),
      [
        {
          verb: "get",
          resource: "services",
          namespace: "default",
          name: "kubernetes",
          userAgent,
          code: 200,
          uri,
        },
      ],
    );
  });

  it("refuses connections to a cluster that is cut off, and brings it back as it was", async () => {
    const { east } = bed.clusters;
    await east.request("POST", "/api/v1/namespaces", { metadata: { name: "kept" } });
    await east.cut();
    await assert.rejects(request(east.access, "GET", "/version"), { code: "ECONNREFUSED" });
    await east.restore();
    assert.equal((await east.request("GET", "/api/v1/namespaces/kept")).code, 200);
    await until("a service account by its controllers", [], async () => {
      const path = "/api/v1/namespaces/kept/serviceaccounts/default";
      return (await east.request("GET", path)).code === 200 || undefined;
    });
  });

  it("leaves requests to a cluster that fell silent without an answer until it is back", async () => {
    const { east, west } = bed.clusters;
    await east.cut("silent");
    let isAnswered = false;
    const answer = request(east.access, "GET", "/version").finally(() => (isAnswered = true));
    assert.equal((await request(west.access, "GET", "/version")).code, 200);
    assert.equal(isAnswered, false);
    await east.restore();
    assert.equal((await answer).code, 200);
  });

  it("has an engine that runs TypeScript and dynamic providers without a warning", async () => {
    const program = await writeProgram(join(bed.folder, "program"));
    const stack = await newStack(bed, "hello", {}, program);
    const text = await stack.pulumi("up", "--yes", "--skip-preview");
    assert.match(text, /greeting: +"hello"/);
    assert.doesNotMatch(text, /warning|error/i);
  });

  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    it(`leaves nothing behind when its process gets ${signal}`, async () => {
      const owner = spawn(process.execPath, ["--input-type=module", "--eval", OWNER], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [folder] = (await once(createInterface(owner.stdout), "line")) as [string];
      // Its watchdog, etcd, the API server and CoreDNS.
      assert.ok((await commandsNaming(folder)).length >= 4);
      owner.kill(signal);
      await until("the end of it all", [], async () => {
        const isGone = await access(folder).then(
          () => false,
          () => true,
        );
        return (isGone && (await commandsNaming(folder)).length === 0) || undefined;
      });
    });
  }
});

const OWNER = `
  import { startBed } from ${JSON.stringify(import.meta.resolve("../../testbed/bed.ts"))};
  const bed = await startBed({ clusters: ["west"], runs: "nothing" });
  await bed.dns("west");
  console.log(bed.folder);
  setInterval(() => undefined, 1000);
`;

async function createStatefulSet({ request }: Cluster): Promise<void> {
  const labels = { app: "nginx" };
  const service = await request("POST", "/api/v1/namespaces/default/services", {
    metadata: { name: "nginx-svc" },
    spec: { clusterIP: "None", selector: labels, ports: [{ port: 80 }] },
  });
  assert.equal(service.code, 201);
  const containers = [{ name: "nginx", image: "nginx" }];
  const set = await request("POST", "/apis/apps/v1/namespaces/default/statefulsets", {
    metadata: { name: "nginx-set" },
    spec: {
      replicas: 3,
      serviceName: "nginx-svc",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  });
  assert.equal(set.code, 201);
}

interface Endpoints {
  readonly subsets?: readonly { readonly addresses?: readonly { readonly hostname?: string }[] }[];
}

async function hostnamesIn(cluster: Cluster, count: number): Promise<string[] | undefined> {
  const { body } = await cluster.request("GET", "/api/v1/namespaces/default/endpoints/nginx-svc");
  const { subsets = [] } = body as Endpoints;
  const addresses = subsets.flatMap((subset) => subset.addresses ?? []);
  if (addresses.length < count) return undefined;
  return addresses.map(({ hostname }) => hostname ?? "").sort();
}

/** A Pulumi program with one dynamic resource, which finds its packages as this repository does. */
async function writeProgram(folder: string): Promise<string> {
  await mkdir(folder);
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const files = {
    "Pulumi.yaml":
      "name: linkerd-multicluster\nmain: index.ts\nruntime: {name: nodejs, options: {typescript: false}}\n",
    "package.json": JSON.stringify({ type: "module", main: "index.ts" }),
    "index.ts": `
      import * as pulumi from "@pulumi/pulumi";
      const provider: pulumi.dynamic.ResourceProvider = {
        create: async (inputs) => ({ id: "1", outs: inputs }),
      };
      class Greeting extends pulumi.dynamic.Resource {
        declare readonly text: pulumi.Output<string>;
      }
      export const greeting = new Greeting(provider, "greeting", { text: "hello" }).text;
    `,
  };
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
  }
  return folder;
}

async function commandsNaming(text: string): Promise<string[]> {
  const { stdout } = await run("ps", ["-A", "-ww", "-o", "args="], { maxBuffer: 64 * 1024 ** 2 });
  return stdout.split("\n").filter((line) => line.includes(text));
}
