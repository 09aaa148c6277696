import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { until } from "../bed/bed.ts";
import { newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { configOf, exported, realBed } from "./real-mesh.ts";
import { chartsFolder, skipNote } from "./real-plugins.ts";

interface WithSubsets {
  readonly subsets: readonly { readonly addresses: readonly { readonly ip: string }[] }[];
}

const isRoot = process.getuid?.() === 0;
const note = isRoot ? skipNote : `${skipNote}, skipped: needs root, to give pulumi a DNS server`;
const cloudDns = { address: "127.53.0.1", zone: "elb.example.com" };
/** A headless Service of the third cluster has the addresses of this name. */
const hostname = `gateway.${cloudDns.zone}`;
const balancers = clusters.inNamespace("balancers", "endpoints");
const gateway = `${clusters.inNamespace("linkerd-multicluster", "services")}/linkerd-gateway`;

/** Each test continues from the one before. */
describe(`a load balancer with a host name, with real plugins and charts${note}`, function () {
  this.timeout("20m");

  const mesh = realBed(["west", "east", "cloud"]);
  let stack: PulumiStack;

  before(async function () {
    if (!isRoot) return this.skip();
    const { west, east, cloud } = mesh.clusters;
    await mesh.bed.dns("cloud", "cluster.local", cloudDns);
    await clusters.addNamespace(cloud, "balancers");
    for (const cluster of [west, east]) await clusters.addNamespace(cluster, "shop");
    await clusters.addService(west, "shop", "web", exported);
    const path = [await withDns(), ...mesh.bed.path];
    stack = await newStack({ ...mesh.bed, path }, "hostnames", {
      manage: "all",
      clusters: {
        west: { apiServer: west.server },
        east: { ...configOf(east), gateway: false },
      },
      links: [{ source: "east", target: "west" }],
      charts: { source: chartsFolder },
    });
  });

  it("is waited for by the first run, until DNS has the name", async () => {
    const { west, cloud } = mesh.clusters;
    const lines: string[] = [];
    const isAwaited = () =>
      Promise.resolve(lines.some((line) => /DNS has no address for/.test(line)) || undefined);
    const words = ["up", "--yes", "--skip-preview"];
    const run = stack.run(words, { show: (line) => lines.push(line) });
    const status = { loadBalancer: { ingress: [{ hostname }] } };
    const announced = async () =>
      (await west.request("PATCH", `${gateway}/status`, { status })).code;
    await until(
      "the gateway's Service",
      [],
      async () => (await announced()) === 200 || undefined,
      300,
    );
    await until("a wait for DNS", [], isAwaited, 120).catch(() => assert.fail(lines.join("\n")));
    const spec = { clusterIP: "None", ports: [{ port: 4143 }] };
    const path = clusters.inNamespace("balancers", "services");
    await clusters.post(cloud, path, { metadata: { name: "gateway" }, spec });
    await clusters.post(cloud, balancers, {
      metadata: { name: "gateway" },
      ...subsets("192.0.2.1"),
    });
    const { code, text } = await run;
    assert.equal(code, 0, text);
    assert.deepEqual(await addressesOfMirror(), ["192.0.2.1"]);
  });

  it("is followed by the next run when the name has other addresses", async () => {
    const { cloud } = mesh.clusters;
    const moved = subsets("198.51.100.1", "198.51.100.2");
    assert.equal((await cloud.request("PATCH", `${balancers}/gateway`, moved)).code, 200);
    await until("the new addresses", [], async () => {
      await stack.pulumi("up", "--yes", "--skip-preview");
      return (await addressesOfMirror()).length === 2 || undefined;
    });
    assert.deepEqual(await addressesOfMirror(), ["198.51.100.1", "198.51.100.2"]);
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  async function addressesOfMirror(): Promise<readonly string[]> {
    const path = `${clusters.inNamespace("shop", "endpoints")}/web-west`;
    const mirror = await clusters.get<WithSubsets>(mesh.clusters.east, path);
    return mirror.subsets.flatMap(({ addresses }) => addresses.map(({ ip }) => ip)).sort();
  }

  /** Returns a folder with a `pulumi` whose machine asks the cloud's DNS server. */
  async function withDns(): Promise<string> {
    const { folder, path } = mesh.bed;
    const bin = join(folder, "dns", "bin");
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, "resolv.conf"), `nameserver ${cloudDns.address}\n`);
    const inside = `mount --bind '${bin}/resolv.conf' /etc/resolv.conf && exec '${path[0] ?? ""}/pulumi' "$@"`;
    const program = join(bin, "pulumi");
    await writeFile(
      program,
      `#!/bin/sh\nexec unshare --mount sh -c '${inside.replaceAll("'", `'\\''`)}' sh "$@"\n`,
    );
    await chmod(program, 0o755);
    return bin;
  }
});

const subsets = (...ips: readonly string[]): object => ({
  subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ port: 4143 }] }],
});
