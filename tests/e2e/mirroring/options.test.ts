import assert from "node:assert/strict";

import { patchEndpoints, removeService } from "./changes.ts";
import { assignAddresses, gatewayName, installGateway } from "./gateway.ts";
import { type Contents, discoveryMirror, gatewayMirror, headlessMirror } from "./mirrors.ts";
import { nothing, together } from "./mirrors.ts";
import {
  discovered,
  endpoints,
  exported,
  exportedService,
  kinds,
  pods,
  service,
} from "./objects.ts";
import { Methods } from "./methods.ts";
import { contentsOf } from "./view.ts";
import { create, createNamespaces, emptyWorld, type World } from "./world.ts";

const namespace = "options";
const northern = { addresses: ["192.0.2.129"], port: 889, identity: "gateway-north" };
/** A name in the config that resolves to 192.0.2.66, and needs no DNS for it. */
const hostname = "0xc0000242";
const several = {
  addresses: ["192.0.2.200", "192.0.2.30", "192.0.2.4"],
  port: 888,
  identity: "gateway-identity",
};
const overriding = { port: 4443, identity: "gateway.override" };
const leadsTo = { ...overriding, addresses: ["192.0.2.66", "198.51.100.7"] };

describe("what a link's config says", function () {
  this.timeout("2m");

  let world: World;
  let stack: Methods;

  before(async function () {
    this.timeout("20m");
    world = await emptyWorld();
    const { west, east, north } = world.kube;
    await installGateway(west);
    await installGateway(north, northern);
    await assignAddresses(west, [
      { ip: "192.0.2.200" },
      { ip: "192.0.2.4" },
      { ip: "192.0.2.30" },
      { hostname: "nowhere.invalid" },
      { ip: "192.0.2.4" },
    ]);
    await createNamespaces(east, [namespace]);
    for (const target of [west, north]) {
      await create(target, exportedService(`${namespace}/service-one`));
      await create(target, [service(`${namespace}/service-two`, { labels: discovered })]);
    }
    stack = await Methods.create(world, "options", config({}, {}));
  });

  /** A link to west and one to north, and what comes of them in the namespace. */
  async function becomes(west: object, north: object, contents: Contents): Promise<string> {
    await stack.configure(config(west, north));
    const { text } = await stack.up();
    assert.deepEqual(await contentsOf(world, namespace), contents);
    return text;
  }

  it("an empty selector selects nothing; a gateway may have several addresses", async () => {
    const text = await becomes(
      { remoteDiscoverySelector: {} },
      { selector: {} },
      together(
        gatewayMirror({ namespace, service: "service-one", gateway: several }),
        discoveryMirror({ namespace, service: "service-two", target: "north" }),
      ),
    );
    assert.match(text, /one address of the gateway of west is left out: nowhere\.invalid: /);
    await stack.assertSettled();
  });

  it("without any selector all mirrors go; a link without a gateway discovers remotely", async () => {
    const text = await becomes(
      { selector: {}, remoteDiscoverySelector: {} },
      { gateway: false },
      discoveryMirror({ namespace, service: "service-two", target: "north" }),
    );
    assert.match(text, /options\/service-one is not mirrored \(NotSelected\): .* no gateway/);
  });

  it("a gateway in the config wins, by name too, readiness may be followed, namespaces may be created", async () => {
    const { west, east } = world.kube;
    await create(west, [
      service(`${namespace}/idle`, { labels: exported }),
      service(`${namespace}/db`, { labels: exported }, { clusterIP: "None" }),
      endpoints(`${namespace}/db`, pods(["db-0"], ["db-1"])),
      ...exportedService("options-new/web"),
    ]);
    const parts = { namespace, gateway: leadsTo };
    await becomes(
      followed,
      {},
      together(
        gatewayMirror({ ...parts, service: "service-one" }),
        discoveryMirror({ ...parts, service: "service-two" }),
        gatewayMirror({ ...parts, service: "idle", leadsNowhere: true }),
        headlessMirror({ ...parts, service: "db", hosts: ["db-0"] }),
        ofNorth,
      ),
    );
    const { metadata } = await east.get(kinds.Namespace, { name: "options-new" });
    assert.deepEqual(metadata.labels, {
      "kubernetes.io/metadata.name": "options-new",
      "mirror.linkerd.io/cluster-name": "west",
      "mirror.linkerd.io/mirrored-service": "true",
    });
    assert.deepEqual(
      await contentsOf(world, "options-new"),
      gatewayMirror({ ...parts, namespace: "options-new", service: "web" }),
    );
    await stack.assertSettled();
  });

  it("readiness is followed in both directions", async () => {
    const { west } = world.kube;
    await patchEndpoints(west, `${namespace}/service-one`, { subsets: null });
    await create(west, [endpoints(`${namespace}/idle`, pods([""]))]);
    await patchEndpoints(west, `${namespace}/db`, { subsets: pods(["db-1"], ["db-0"]) });
    const parts = { namespace, gateway: leadsTo };
    const { previewed } = await stack.upAsPreviewed();
    assert.deepEqual(Object.keys(previewed.goes), [`${namespace}/db-0-west`]);
    assert.deepEqual(
      await contentsOf(world, namespace),
      together(
        gatewayMirror({ ...parts, service: "service-one", leadsNowhere: true }),
        discoveryMirror({ ...parts, service: "service-two" }),
        gatewayMirror({ ...parts, service: "idle" }),
        headlessMirror({ ...parts, service: "db", hosts: ["db-1"] }),
        ofNorth,
      ),
    );
  });

  it("a gateway that is gone leaves mirrors as they are, and the preview says what to do", async () => {
    const { north } = world.kube;
    await removeService(north, `${gatewayName.namespace}/${gatewayName.name}`);
    const { text } = await stack.preview();
    const sentence =
      "there is no gateway Service north/linkerd-multicluster/linkerd-gateway: install Linkerd's gateway there, or set gateway.addresses, gateway.port, gateway.identity on the link";
    assert.ok(text.includes(`options/service-one is not mirrored (NoGateway): ${sentence}`), text);
    assert.deepEqual((await stack.up()).writes, []);
    await installGateway(north, { ...northern, identity: "gateway-renewed" });
    await stack.upAsPreviewed();
    const { endpoints } = await contentsOf(world, namespace);
    assert.equal(
      endpoints["service-one-north"]?.annotations["mirror.linkerd.io/remote-gateway-identity"],
      "gateway-renewed",
    );
  });

  it("a link that is taken out of the config takes its mirrors and Endpoints along, and no other's", async () => {
    const { links } = config({}, {});
    await stack.configure({ clusters, links: links.slice(1) });
    const { goes } = await stack.previewed();
    assert.ok(Object.keys(goes).includes(`${namespace}/service-one-west`));
    await stack.up();
    const renewed = { ...northern, identity: "gateway-renewed" };
    assert.deepEqual(
      await contentsOf(world, namespace),
      together(ofNorth, gatewayMirror({ ...north, service: "service-one", gateway: renewed })),
    );
    assert.deepEqual(await contentsOf(world, "options-new"), nothing);
    await stack.destroy();
    assert.deepEqual(await contentsOf(world, namespace), nothing);
  });
});

const clusters = { west: {}, east: {}, north: {} };

function config(west: object, north: object) {
  return {
    clusters,
    links: [
      { source: "east", target: "west", headless: true, ...west },
      { source: "east", target: "north", ...north },
    ],
  };
}

const followed = {
  gateway: { ...overriding, addresses: ["198.51.100.7", hostname] },
  readiness: "follow",
  createNamespaces: true,
};
const north = { namespace, target: "north", gateway: northern };
const ofNorth = together(
  gatewayMirror({ ...north, service: "service-one" }),
  discoveryMirror({ ...north, service: "service-two" }),
);
