import assert from "node:assert/strict";

import { worldWithGateway } from "../mirroring/gateway.ts";
import { gateway, gatewayMirror } from "../mirroring/mirrors.ts";
import { endpoints, exportedService, p12, service } from "../mirroring/objects.ts";
import { Stack } from "../mirroring/stack.ts";
import { contentsOf } from "../mirroring/view.ts";
import { create, type World } from "../mirroring/world.ts";

const namespace = "other-controllers";
const mirror = `${namespace}/web-west` as const;
const labels = { tier: "front", "argocd.argoproj.io/instance": "shop" };
const annotations = { "external-dns.alpha.kubernetes.io/hostname": "shop.example.com" };

const owner = {
  "mirror.linkerd.io/mirrored-service": "true",
  "mirror.linkerd.io/cluster-name": "west",
};
const remoteName = {
  "mirror.linkerd.io/remote-svc-fq-name": `web.${namespace}.svc.cluster.local`,
};

/** The mirror that Linkerd's controller has made, with the metadata of another version of the Service. */
const adopted = [
  service(mirror, {
    labels: { ...labels, ...owner, "argocd.argoproj.io/instance": "old-shop" },
    annotations: {
      ...annotations,
      ...remoteName,
      "mirror.linkerd.io/remote-resource-version": "1",
    },
  }),
  endpoints(
    mirror,
    [
      {
        addresses: gateway.addresses.map((ip) => ({ ip })),
        ports: p12.map(({ name = "" }) => ({ name, protocol: "TCP", port: gateway.port })),
      },
    ],
    {
      labels: { ...labels, ...owner },
      annotations: { ...remoteName, "mirror.linkerd.io/remote-gateway-identity": gateway.identity },
    },
  ),
];

/** As Argo CD would prune it, and external-dns publish its name. Each test goes on from the one before. */
describe("a mirror that another controller would take for its own", function () {
  this.timeout("5m");

  const clusters = { west: {}, east: {} };
  const link = { source: "east", target: "west" };
  let world: World;
  let stack: Stack;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    await create(world.kube.west, exportedService(`${namespace}/web`, { labels, annotations }));
    await create(world.kube.east, adopted);
    stack = await Stack.create(world, namespace, { clusters, links: [link] });
  });

  it("loses the metadata by which it would, as the preview shows, and nothing else", async () => {
    const { previewed } = await stack.upAsPreviewed();
    assert.deepEqual(previewed.changes, {
      [mirror]: {
        "annotation external-dns.alpha.kubernetes.io/hostname": '"shop.example.com" → none',
        "endpoints label argocd.argoproj.io/instance": '"shop" → none',
        "label argocd.argoproj.io/instance": '"old-shop" → none',
      },
    });
    const { tier } = labels;
    const left = gatewayMirror({ namespace, service: "web", labels: { tier } });
    assert.deepEqual(await contentsOf(world, namespace), left);
    await stack.assertSettled();
  });

  it("goes with its namespace, which the link comes to leave out, only as far as it may delete", async () => {
    const leavingOut = { ...link, excludedNamespaces: [namespace], maxDeletions: 0 };
    await stack.configure({ clusters, links: [leavingOut] });
    const { text, writes } = await stack.up({ fails: true });
    assert.match(text, /would delete 1 of its 1 mirror on east, and maxDeletions \(0\) allows 0/);
    assert.deepEqual(writes, []);
    await stack.configure({ clusters, links: [{ ...leavingOut, allowDeletions: true }] });
    const { previewed } = await stack.upAsPreviewed();
    assert.deepEqual(Object.keys(previewed.goes), [mirror]);
    assert.deepEqual((await contentsOf(world, namespace)).services, {});
  });
});
