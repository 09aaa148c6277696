import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { installGateway } from "./gateway.ts";
import { Methods } from "./methods.ts";
import { exportedService } from "./objects.ts";
import { create, createNamespaces, emptyWorld, type World } from "./world.ts";

const namespace = "probe";
const mirror = { namespace, name: "web-west" };
const clusters = { west: {}, east: {} };

/** An address of this machine that a mirror can lead to: Kubernetes takes no loopback address. */
const address = Object.values(networkInterfaces())
  .flat()
  .find((each) => each !== undefined && !each.internal && each.family === "IPv4")?.address;

// The source's API server has the same address here, which no target may announce by itself.
const gatewaySettings = { addresses: [address ?? ""] };
const links = [{ source: "east", target: "west", gatewayProbe: true, gateway: gatewaySettings }];

/** A gateway that answers its probe, or says that it is not ready. */
describe("a gateway that is probed", function () {
  this.timeout("2m");

  let world: World;
  let stack: Methods;
  let gateway: Server;
  let status = 200;
  let port = 0;

  before(async function () {
    this.timeout("20m");
    if (address === undefined) {
      console.log("skipped: this machine has no IPv4 address but loopback ones");
      this.skip();
    }
    gateway = createServer((_, response) => response.writeHead(status).end());
    gateway.listen(0, address);
    await once(gateway, "listening");
    ({ port } = gateway.address() as AddressInfo);
    world = await emptyWorld();
    await installGateway(world.kube.west, {
      ...{ addresses: [address], port: 888, identity: "gateway-identity" },
      probe: { path: "/ready", period: "100ms", port },
    });
    await createNamespaces(world.kube.east, [namespace]);
    await create(world.kube.west, exportedService(`${namespace}/web`));
    stack = await Methods.create(world, "probe", { clusters, links });
  });

  after(() => {
    gateway.closeAllConnections();
    gateway.close();
  });

  /** The addresses of the mirror, those that are ready and those that are not. */
  async function leads(): Promise<readonly (readonly string[])[]> {
    const { subsets = [] } = await world.kube.east.get(resources.endpoints, mirror);
    return subsets.map(({ addresses = [], notReadyAddresses = [] }) => [
      ...addresses.map(({ ip }) => ip),
      ...notReadyAddresses.map(({ ip }) => `not ready: ${ip}`),
    ]);
  }

  const out = [[`not ready: ${address}`]];
  const failing = () =>
    `its gateway ${address}:${port} fails its probe /ready (HTTP status 503): 1 mirror leads nowhere until it answers`;

  it("has mirrors that lead to it while it answers", async () => {
    assert.doesNotMatch((await stack.up()).text, /its gateway/);
    assert.deepEqual(await leads(), [[address]]);
    await stack.assertSettled();
  });

  it("has none once it is down, as the preview says, and nothing is deleted", async () => {
    status = 503;
    const { text } = await stack.preview();
    assert.ok(text.includes(failing()), text);
    const { writes } = await stack.up();
    assert.deepEqual(writes, [`update endpoints ${namespace}/web-west`]);
    assert.deepEqual(await leads(), out);
    await stack.assertSettled();
  });

  it("has them again once it is back", async () => {
    status = 200;
    await stack.up();
    assert.deepEqual(await leads(), [[address]]);
  });

  it("is followed also while the API of its cluster is out of reach", async () => {
    await world.bed.clusters.west.cut();
    status = 503;
    const { text } = await stack.up();
    assert.ok(text.includes(failing()), text);
    assert.match(text, /its mirrors stay as they are, because/);
    assert.deepEqual(await leads(), out);
    status = 200;
    await stack.up();
    assert.deepEqual(await leads(), [[address]]);
    await world.bed.clusters.west.restore();
    await stack.up();
    await stack.assertSettled();
  });
});
