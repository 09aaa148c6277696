import assert from "node:assert/strict";

import { until } from "../../../testbed/bed.ts";
import { nameOf, relabel, unexport } from "./changes.ts";
import { worldWithGateway } from "./gateway.ts";
import { headlessMirror, nothing } from "./mirrors.ts";
import { exported, type Item, kinds, service } from "./objects.ts";
import { Methods } from "./methods.ts";
import { written } from "./operations.ts";
import { note } from "../../simulation/preview.ts";
import { contentsOf } from "./view.ts";
import { create, type World } from "./world.ts";

const namespace = "tutorial";
const set = `${namespace}/nginx-set` as const;
const headless = `${namespace}/nginx-svc` as const;
const ports = [{ name: "http", protocol: "TCP", port: 80, targetPort: 80 }];

const links = [{ source: "east", target: "west", headless: true }];

/** Linkerd's tutorial on StatefulSets: nginx runs in west and is reached from east, pod by pod. */
describe("the StatefulSet of Linkerd's tutorial, with real pods", function () {
  this.timeout("3m");

  let world: World;
  let stack: Methods;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    const { west } = world.kube;
    await create(west, tutorial);
    await podsAreThere(world, 3);
    stack = await Methods.create(world, "tutorial", { clusters: { west: {}, east: {} }, links });
  });

  it("mirrors nothing before the Service is exported", async () => {
    await stack.up();
    assert.deepEqual(await contentsOf(world, namespace), nothing);
  });

  it("previews the headless mirror and one for each pod, and makes them so", async () => {
    await relabel(world.kube.west, headless, exported);
    await until("the label on the Endpoints", [], async () => {
      const { metadata } = await world.kube.west.get(kinds.Endpoints, nameOf(headless));
      return metadata.labels?.["mirror.linkerd.io/exported"];
    });
    const { previewed } = await stack.upAsPreviewed();
    assert.deepEqual(previewed.comes, {
      [`${namespace}/nginx-svc-west`]: "headless mirror of nginx-svc: http 80/TCP, 3 pods",
      ...Object.fromEntries(
        hosts(3).map((host) => [
          `${namespace}/${host}-west`,
          `endpoint mirror of ${host}.nginx-svc: http 80/TCP`,
        ]),
      ),
    });
    assert.deepEqual(await contentsOf(world, namespace), mirrors(3));
  });

  for (const { from, to } of [
    { from: 3, to: 5 },
    { from: 5, to: 1 },
    { from: 1, to: 0 },
    { from: 0, to: 2 },
  ]) {
    it(`follows the StatefulSet as it is scaled from ${String(from)} to ${String(to)}`, async () => {
      await world.kube.west.patch(kinds.StatefulSet, nameOf(set), { spec: { replicas: to } });
      await podsAreThere(world, to);
      assert.deepEqual(written(await stack.up()), [
        ...changed(from, to),
        `${namespace}/nginx-svc-west`,
      ]);
      // Whoever was there before keeps the version of the Endpoints that made it.
      assert.deepEqual(
        withoutVersions(await contentsOf(world, namespace)),
        withoutVersions(mirrors(to)),
      );
    });
  }

  it("has nothing to preview then, and nothing to do", async () => {
    await stack.previewNothing();
    await stack.assertSettled();
  });

  it("takes all mirrors away when the Service is not exported any more", async () => {
    await relabel(world.kube.west, headless, unexport);
    await stack.up();
    assert.deepEqual(await contentsOf(world, namespace), nothing);
  });

  it("leaves its mirrors to a controller of Linkerd's that mirrors the link by now", async () => {
    await relabel(world.kube.west, headless, exported);
    await stack.up();
    const before = await contentsOf(world, namespace);
    await create(world.kube.east, [controller]);
    await stack.configure({ clusters: { west: {}, east: {} }, links: [] });
    const { text, writes } = await stack.up();
    const sentence = "its mirrors stay, because Deployment east/tutorial/controller-west";
    assert.ok(text.includes(`${note("east", "west")}${sentence} mirrors it now`), text);
    assert.deepEqual(writes, []);
    assert.deepEqual(await contentsOf(world, namespace), before);
    await world.kube.east.remove(kinds.Deployment, controller.object.metadata);
    await stack.configure({ clusters: { west: {}, east: {} }, links });
    const { changes } = await stack.previewed();
    assert.deepEqual(changes[`${namespace}/nginx-svc-west`], { action: "adopt: already exists" });
  });

  it("takes all mirrors away on destroy", async () => {
    await stack.up();
    assert.deepEqual(
      withoutVersions(await contentsOf(world, namespace)),
      withoutVersions(mirrors(2)),
    );
    await stack.destroy();
    assert.deepEqual(await contentsOf(world, namespace), nothing);
  });
});

const labels = { app: "nginx" };
const ofWest = {
  "linkerd.io/extension": "multicluster",
  "mirror.linkerd.io/cluster-name": "west",
};
const controller: Item = {
  kind: "Deployment",
  object: {
    metadata: { namespace, name: "controller-west", labels: ofWest },
    spec: {
      selector: { matchLabels: ofWest },
      template: {
        metadata: { labels: ofWest },
        spec: { containers: [{ name: "controller", image: "controller" }] },
      },
    },
  },
};
const tutorial: readonly Item[] = [
  service(headless, { labels }, { clusterIP: "None", selector: labels, ports }),
  {
    kind: "StatefulSet",
    object: {
      metadata: { ...nameOf(set) },
      spec: {
        replicas: 3,
        serviceName: "nginx-svc",
        podManagementPolicy: "Parallel",
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: "nginx", image: "nginx", ports: [{ containerPort: 80 }] }] },
        },
      },
    },
  },
];

function hosts(count: number, from = 0): string[] {
  return Array.from({ length: count - from }, (_, index) => `nginx-set-${String(from + index)}`);
}

function changed(from: number, to: number): string[] {
  return hosts(Math.max(from, to), Math.min(from, to)).map((host) => `${namespace}/${host}-west`);
}

function mirrors(count: number) {
  return headlessMirror({
    namespace,
    service: "nginx-svc",
    labels,
    hosts: hosts(count),
    ports,
    podPorts: [{ name: "http", protocol: "TCP", port: 80 }],
  });
}

async function podsAreThere({ kube }: World, count: number): Promise<void> {
  await until(`${String(count)} pods in the Endpoints`, [], async () => {
    const { subsets } = await kube.west.get(kinds.Endpoints, nameOf(headless));
    const addresses = ((subsets ?? []) as { addresses?: { hostname: string }[] }[]).flatMap(
      (subset) => subset.addresses ?? [],
    );
    return addresses.length === count || undefined;
  });
}

function withoutVersions(contents: object): object {
  const text = JSON.stringify(contents);
  return JSON.parse(
    text.replace(/("mirror.linkerd.io\/remote-resource-version"):"[^"]*"/g, '$1:"any"'),
  ) as object;
}
