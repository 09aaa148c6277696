import assert from "node:assert/strict";
import type { Endpoints, ObjectKey, Service } from "../../engine/kubernetes/objects/objects.ts";
import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { until } from "../../testbed/bed.ts";
import { nameOf, relabel } from "./mirroring/changes.ts";
import { Methods } from "./mirroring/methods.ts";
import { endpoints, service } from "./mirroring/objects.ts";
import { create, createNamespaces, emptyWorld, type World } from "./mirroring/world.ts";

const namespace = "discovery";
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
const key = (name: string): ObjectKey => `${namespace}/${name}`;

/** Both selectors match what is exported for remote discovery. */
const config = {
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
};

/** Each test goes on from the one before. */
describe("remote discovery on two real clusters", function () {
  this.timeout("20m");

  let world: World;
  let stack: Methods;

  before(async () => {
    world = await emptyWorld();
    const { west, east } = world.kube;
    await createNamespaces(east, [namespace]);
    const labels = { [exported]: "remote-discovery" };
    const annotations = { note: "kept", "config.linkerd.io/opaque-ports": "8080" };
    const ports = [{ name: "http", port: 8080 }];
    const addresses = ["db-0", "db-1"].map((hostname, index) => ({
      hostname,
      ip: `10.9.0.${index + 1}`,
    }));
    await create(west, [
      service(key("web"), { labels, annotations }, { ports }),
      service(key("db"), { labels }, { ports, clusterIP: "None" }),
      endpoints(key("db"), [{ addresses, ports }]),
    ]);
    stack = await Methods.create(world, "discovery", config);
  });

  function mirror(name: string): Promise<Service | undefined> {
    return world.kube.east.find(resources.services, nameOf(key(name)));
  }

  function endpointsOf(name: string): Promise<Endpoints | undefined> {
    return world.kube.east.find(resources.endpoints, nameOf(key(name)));
  }

  /** Kubernetes copies a mirror's Endpoints to slices, and has to take them back. */
  async function slicesGone(name: string): Promise<void> {
    await until(`the end of the slices of ${name}`, [], async () => {
      const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices?labelSelector=kubernetes.io/service-name=${name}`;
      const { body } = await world.bed.clusters.east.request("GET", path);
      return (body as { readonly items: readonly unknown[] }).items.length === 0 || undefined;
    });
  }

  it("mirrors a Service without Endpoints, by labels, even where the other selector matches too", async () => {
    const { previewed } = await stack.upAsPreviewed();
    const line = "remote-discovery mirror of web: http 8080/TCP";
    assert.equal(previewed.comes[key("web-west")], line);
    const web = await mirror("web-west");
    assert.deepEqual(web?.metadata.labels, discovered("web"));
    const { "mirror.linkerd.io/remote-resource-version": version, ...annotations } =
      web.metadata.annotations ?? {};
    assert.match(version ?? "", /^\d+$/);
    assert.deepEqual(annotations, {
      note: "kept",
      "config.linkerd.io/opaque-ports": "8080",
      "mirror.linkerd.io/remote-svc-fq-name": "web.discovery.svc.cluster.local",
    });
    assert.equal(await endpointsOf("web-west"), undefined);
  });

  it("mirrors a headless Service too, which Linkerd drops while it supports them", async () => {
    const db = await mirror("db-west");
    assert.deepEqual(db?.metadata.labels, discovered("db"));
    assert.notEqual(db.spec.clusterIP, "None");
    assert.equal(await endpointsOf("db-west"), undefined);
    assert.equal(await mirror("db-0-west"), undefined);
    await stack.assertSettled();
  });

  it("goes over to the gateway and back, and the Service stays the same", async () => {
    const { west } = world.kube;
    const before = await mirror("web-west");
    await relabel(west, key("web"), { [exported]: "true" });
    const { previewed } = await stack.upAsPreviewed();
    const fields = previewed.changes[key("web-west")] ?? {};
    assert.equal(fields["label multicluster.linkerd.io/remote-discovery"], '"west" → none');
    assert.deepEqual((await mirror("web-west"))?.metadata.labels, owner);
    assert.deepEqual((await endpointsOf("web-west"))?.subsets, [
      { addresses: [{ ip: "192.0.2.1" }], ports: [{ name: "http", port: 4143, protocol: "TCP" }] },
    ]);

    await relabel(west, key("web"), { [exported]: "remote-discovery" });
    await stack.up();
    const after = await mirror("web-west");
    assert.deepEqual(after?.metadata.labels, before?.metadata.labels);
    assert.deepEqual([after?.metadata.uid, after?.spec], [before?.metadata.uid, before?.spec]);
    assert.equal(await endpointsOf("web-west"), undefined);
    await slicesGone("web-west");
  });

  it("goes over to a headless mirror and back, with the pods' mirrors coming and going", async () => {
    const { west } = world.kube;
    await relabel(west, key("db"), { [exported]: "true" });
    const { previewed } = await stack.upAsPreviewed();
    const { action } = previewed.changes[key("db-west")] ?? {};
    assert.equal(action, "replace: delete and create again");
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

    await relabel(west, key("db"), { [exported]: "remote-discovery" });
    await stack.up();
    const db = await mirror("db-west");
    assert.deepEqual(db?.metadata.labels, discovered("db"));
    assert.notEqual(db.spec.clusterIP, "None");
    assert.equal(await endpointsOf("db-west"), undefined);
    assert.equal(await mirror("db-0-west"), undefined);
    await slicesGone("db-west");
    await stack.assertSettled();
  });

  it("ends with the label, and with the stack", async () => {
    await relabel(world.kube.west, key("web"), { [exported]: null });
    await stack.up();
    assert.equal(await mirror("web-west"), undefined);
    await stack.destroy();
    assert.equal(await mirror("db-west"), undefined);
  });
});
