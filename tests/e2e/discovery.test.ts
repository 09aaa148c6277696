import assert from "node:assert/strict";
import type { Endpoints, Service } from "../../engine/kubernetes/objects.ts";
import { type Bed, startBed, until } from "../../testbed/bed.ts";
import { type Config, newStack, type Stack } from "./engine.ts";
import { addNamespace, addPods, addService, label, serviceIn } from "./objects.ts";

const exported = "mirror.linkerd.io/exported";
const owner = {
  "mirror.linkerd.io/mirrored-service": "true",
  "mirror.linkerd.io/cluster-name": "west",
};
const discovered = (name: string) => ({
  ...owner,
  "multicluster.linkerd.io/remote-discovery": "west",
  "multicluster.linkerd.io/remote-service": name,
});

/** Both selectors match what is exported for remote discovery. */
const config: Config = {
  clusters: { west: {}, east: {} },
  links: [
    {
      source: "east",
      target: "west",
      headless: true,
      gateway: { addresses: ["192.0.2.1"], port: 4143, identity: "gateway.west" },
      selector: { matchExpressions: [{ key: exported, operator: "Exists" }] },
    },
  ],
  manage: "mirrors",
};

/** Each test goes on from the one before. */
describe("remote discovery on two real clusters", function () {
  this.timeout("20m");

  let bed: Bed<"west" | "east">;
  let stack: Stack;

  before(async () => {
    bed = await startBed({ clusters: ["west", "east"], runs: "controllers" });
    const { west, east } = bed.clusters;
    for (const cluster of [west, east]) await addNamespace(cluster, "shop");
    const labels = { [exported]: "remote-discovery" };
    const annotations = { note: "kept", "config.linkerd.io/opaque-ports": "8080" };
    await addService(west, "shop", "web", { labels, annotations });
    await addService(west, "shop", "db", { labels, spec: { clusterIP: "None" } });
    await addPods(west, "shop", "db", "db-0", "db-1");
    stack = await newStack(bed, "discovery", config);
  });
  after(() => bed.stop());

  function up(...words: readonly string[]): Promise<string> {
    return stack.pulumi("up", "--yes", "--skip-preview", ...words);
  }

  function mirror(name: string): Promise<Service | undefined> {
    return serviceIn(bed.clusters.east, "shop", name);
  }

  async function endpointsOf(name: string): Promise<Endpoints | undefined> {
    const path = `/api/v1/namespaces/shop/endpoints/${name}`;
    const { code, body } = await bed.clusters.east.request("GET", path);
    return code === 404 ? undefined : (body as Endpoints);
  }

  /** Kubernetes copies a mirror's Endpoints to slices, and has to take them back. */
  async function slicesGone(name: string): Promise<void> {
    await until(`the end of the slices of ${name}`, [], async () => {
      const path = `/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices?labelSelector=kubernetes.io/service-name=${name}`;
      const { body } = await bed.clusters.east.request("GET", path);
      return (body as { readonly items: readonly unknown[] }).items.length === 0 || undefined;
    });
  }

  it("mirrors a Service without Endpoints, by labels, even where the other selector matches too", async () => {
    const text = await stack.pulumi("preview", "--diff");
    assert.match(text, /shop\/web-west *: "remote-discovery mirror of web: http 8080\/TCP"/);
    await up();
    const web = await mirror("web-west");
    assert.deepEqual(web?.metadata.labels, discovered("web"));
    const { "mirror.linkerd.io/remote-resource-version": version, ...annotations } =
      web.metadata.annotations ?? {};
    assert.match(version ?? "", /^\d+$/);
    assert.deepEqual(annotations, {
      note: "kept",
      "config.linkerd.io/opaque-ports": "8080",
      "mirror.linkerd.io/remote-svc-fq-name": "web.shop.svc.cluster.local",
    });
    assert.equal(await endpointsOf("web-west"), undefined);
  });

  it("mirrors a headless Service too, which Linkerd drops while it supports them", async () => {
    const db = await mirror("db-west");
    assert.deepEqual(db?.metadata.labels, discovered("db"));
    assert.notEqual(db.spec.clusterIP, "None");
    assert.equal(await endpointsOf("db-west"), undefined);
    assert.equal(await mirror("db-0-west"), undefined);
    await up("--expect-no-changes");
  });

  it("goes over to the gateway and back, and the Service stays the same", async () => {
    const { west } = bed.clusters;
    const before = await mirror("web-west");
    await label(west, "shop", "web", { [exported]: "true" });
    const preview = await stack.pulumi("preview", "--diff");
    assert.match(preview, /"remote-discovery mirror of web: .*" => "gateway mirror of web: /);
    assert.match(preview, /label multicluster.linkerd.io\/remote-discovery *: .*west.* → none/);
    await up();
    assert.deepEqual((await mirror("web-west"))?.metadata.labels, owner);
    assert.deepEqual((await endpointsOf("web-west"))?.subsets, [
      { addresses: [{ ip: "192.0.2.1" }], ports: [{ name: "http", port: 4143, protocol: "TCP" }] },
    ]);

    await label(west, "shop", "web", { [exported]: "remote-discovery" });
    await up();
    const after = await mirror("web-west");
    assert.deepEqual(after?.metadata.labels, before?.metadata.labels);
    assert.deepEqual([after?.metadata.uid, after?.spec], [before?.metadata.uid, before?.spec]);
    assert.equal(await endpointsOf("web-west"), undefined);
    await slicesGone("web-west");
  });

  it("goes over to a headless mirror and back, with the pods' mirrors coming and going", async () => {
    const { west } = bed.clusters;
    await label(west, "shop", "db", { [exported]: "true" });
    assert.match(await stack.pulumi("preview", "--diff"), /replace: delete and create again/);
    await up();
    assert.equal((await mirror("db-west"))?.spec.clusterIP, "None");
    const pods = (await endpointsOf("db-west"))?.subsets?.flatMap(
      ({ addresses = [] }) => addresses,
    );
    const addressOf = async (name: string) => (await mirror(name))?.spec.clusterIP;
    assert.deepEqual(
      pods?.map(({ hostname, ip }) => [hostname, ip]),
      [
        ["db-0", await addressOf("db-0-west")],
        ["db-1", await addressOf("db-1-west")],
      ],
    );

    await label(west, "shop", "db", { [exported]: "remote-discovery" });
    await up();
    const db = await mirror("db-west");
    assert.deepEqual(db?.metadata.labels, discovered("db"));
    assert.notEqual(db.spec.clusterIP, "None");
    assert.equal(await endpointsOf("db-west"), undefined);
    assert.equal(await mirror("db-0-west"), undefined);
    await slicesGone("db-west");
    await up("--expect-no-changes");
  });

  it("ends with the label, and with the stack", async () => {
    await label(bed.clusters.west, "shop", "web", { [exported]: null });
    await up();
    assert.equal(await mirror("web-west"), undefined);
    await stack.pulumi("destroy", "--yes", "--skip-preview");
    assert.equal(await mirror("db-west"), undefined);
  });
});
