import { deepEqual, equal, match } from "node:assert/strict";
import type { LoadBalancerIngress, Service } from "../../../engine/kubernetes/objects.ts";
import type { GatewaySource } from "../../../engine/mirroring/model/link.ts";
import { readGateway } from "../../../engine/mirroring/observe/gateway.ts";
import { link } from "../../unit/fixtures/link.ts";
import { MemoryCluster } from "../../unit/fixtures/memory-cluster.ts";
import { cluster, endpoints, exported, pods } from "../../unit/fixtures/objects.ts";
import { planned, reconciled, skipped } from "../../unit/fixtures/reconcile.ts";
import { gatewayService } from "../../unit/fixtures/world.ts";
import { Runs, target, toWest } from "./runs.ts";

const web = exported("shop/web");
const viaDiscovery = exported("shop/web", {
  labels: { "mirror.linkerd.io/exported": "remote-discovery" },
});
const gatewayAt = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };

/** `west` with its gateway's Service as it is in the cluster. */
function behind(gateway: Service, ...services: readonly Service[]): MemoryCluster {
  return new MemoryCluster(cluster("west", { services: [gateway, ...services] }));
}

function balanced(...ingress: LoadBalancerIngress[]): Service {
  return { ...gatewayService("west"), status: { loadBalancer: { ingress } } };
}

describe("bugs of Linkerd's controller: mirrors behind a gateway", () => {
  it("linkerd2 edge-20.6.1: the gateway's port is found by its name, whatever the others are", async () => {
    const ports = [
      { name: "mc-probe", port: 4191 },
      { name: "mc-gateway", port: 5143 },
    ];
    const gateway = gatewayService("west");
    const runs = new Runs();
    await runs.up([behind({ ...gateway, spec: { ...gateway.spec, ports } }, web)]);
    deepEqual(await runs.leadsTo("shop/web-west"), ["192.0.2.10:5143"]);
  });

  it("linkerd2 edge-20.6.2: a gateway without an address yet costs one run, and is told", async () => {
    const runs = new Runs();
    const { notMirrored } = await runs.up([behind(balanced(), web)]);
    match(notMirrored?.west?.["shop/web"] ?? "", /^NoGateway: .* no external address yet/);
    await runs.up([behind(balanced({ ip: "192.0.2.20" }), web)]);
    deepEqual(await runs.leadsTo("shop/web-west"), ["192.0.2.20:4143"]);
  });

  it("linkerd2 edge-20.6.2: another identity or port of the gateway reaches mirrors that exist", async () => {
    const runs = new Runs();
    await runs.up([target("west", [web])]);
    const { metadata, spec, status } = gatewayService("west");
    const annotations = { "mirror.linkerd.io/gateway-identity": "new.gateway.west" };
    const moved: Service = {
      metadata: { ...metadata, annotations },
      spec: { ...spec, ports: [{ name: "mc-gateway", port: 5143 }] },
      ...(status !== undefined && { status }),
    };
    await runs.up([behind(moved, web)]);
    const live = await runs.endpoints("shop/web-west");
    equal(
      live.metadata.annotations?.["mirror.linkerd.io/remote-gateway-identity"],
      "new.gateway.west",
    );
    deepEqual(await runs.leadsTo("shop/web-west"), ["192.0.2.10:5143"]);
  });

  it("linkerd2#8725: a mirror takes traffic from the start, before anybody has probed its gateway", async () => {
    const runs = new Runs();
    await runs.up([target("west", [web])]);
    deepEqual(await runs.leadsTo("shop/web-west"), ["192.0.2.10:4143"]);
  });

  it("linkerd2#7520: with readiness: follow, a mirror is empty while its Service has no ready pod", async () => {
    const runs = new Runs();
    const args = toWest({ readiness: "follow" });
    const withPods = (...subset: Parameters<typeof pods>) =>
      target("west", [web], endpoints("shop/web", [pods(...subset)]));
    await runs.up([withPods([""])], args);
    deepEqual(await runs.leadsTo("shop/web-west"), ["192.0.2.10:4143"]);
    await runs.up([withPods([], [""])], args);
    deepEqual((await runs.endpoints("shop/web-west")).subsets ?? [], []);
    await runs.up([withPods([""])], args);
    deepEqual(await runs.leadsTo("shop/web-west"), ["192.0.2.10:4143"]);
  });

  it("linkerd2#11201, linkerd2#11224, linkerd2#11251: remote discovery takes labels and no Endpoints, also after a change", async () => {
    const runs = new Runs();
    await runs.up([target("west", [web])]);
    const west = target("west", [viaDiscovery], endpoints("shop/web", [pods([""])]));
    for (const targets of [[west], []]) {
      await runs.up(targets);
      const { labels = {} } = (await runs.service("shop/web-west")).metadata;
      equal(labels["multicluster.linkerd.io/remote-discovery"], "west");
      equal(labels["multicluster.linkerd.io/remote-service"], "web");
      equal((await runs.east.snapshot()).endpoints.has("shop/web-west"), false);
    }
    await runs.up([target("west", [web])]);
    const { labels = {} } = (await runs.service("shop/web-west")).metadata;
    equal(labels["multicluster.linkerd.io/remote-discovery"], undefined);
    deepEqual(await runs.leadsTo("shop/web-west"), ["192.0.2.10:4143"]);
  });

  it("linkerd2#11226: a link without a gateway mirrors what needs none, on a target that has none", async () => {
    const runs = new Runs();
    const flat = exported("shop/flat", {
      labels: { "mirror.linkerd.io/exported": "remote-discovery" },
    });
    const west = new MemoryCluster(cluster("west", { services: [flat, web] }));
    await runs.up([west], toWest({ gateway: false }));
    deepEqual(await runs.mirrors(), ["shop/flat-west"]);
  });

  it("linkerd2#11564: addresses that the link names win over the load balancer's", async () => {
    const runs = new Runs();
    const gateway = { ...gatewayAt, addresses: ["198.51.100.7"] };
    await runs.up([target("west", [web])], toWest({ gateway }));
    deepEqual(await runs.leadsTo("shop/web-west"), ["198.51.100.7:4143"]);
  });

  it("linkerd2 edge-20.12.1: a gateway need not be a LoadBalancer", async () => {
    const ports = [{ name: "mc-gateway", port: 4143, nodePort: 30143 }];
    const { metadata } = gatewayService("west");
    const runs = new Runs();
    const gateway = { ...gatewayAt, addresses: ["198.51.100.7"] };
    await runs.up(
      [behind({ metadata, spec: { type: "NodePort", ports } }, web)],
      toWest({ gateway }),
    );
    deepEqual(await runs.leadsTo("shop/web-west"), ["198.51.100.7:30143"]);
  });

  it("linkerd2#11499: traffic goes to all addresses of a gateway, in one order", async () => {
    const ips = ["192.0.2.4", "192.0.2.200", "192.0.2.30"].map((ip) => ({ ip }));
    const runs = new Runs();
    const first = await runs.up([behind(balanced(...ips), web)]);
    const all = ["192.0.2.200:4143", "192.0.2.30:4143", "192.0.2.4:4143"];
    deepEqual(await runs.leadsTo("shop/web-west"), all);
    const { revision } = await runs.up([behind(balanced(...ips.reverse()), web)]);
    equal(revision, first.revision);
  });

  it("linkerd2#8598: a gateway may have IPv6 addresses", async () => {
    const runs = new Runs();
    await runs.up([behind(balanced({ ip: "2001:db8::7" }), web)]);
    const { subsets } = await runs.endpoints("shop/web-west");
    deepEqual(subsets?.[0]?.addresses, [{ ip: "2001:db8::7" }]);
  });
});

describe("bugs of Linkerd's controller: a gateway known by its hostname", () => {
  const named: Partial<GatewaySource> = { addresses: ["gateway.example.com"] };
  const spec = { gateway: { ...gatewayAt, ...named } };
  const west = cluster("west", { services: [gatewayService("west"), web] });

  /** The source after a run in which DNS says this; undefined: it says nothing. */
  async function after(source: typeof west, addresses: readonly string[] | undefined) {
    const gateway = await readGateway(link(spec), west, undefined, () =>
      addresses === undefined
        ? Promise.reject(new Error("ENOTFOUND gateway.example.com"))
        : Promise.resolve(addresses),
    );
    const situation = { target: west, source, link: spec, gateway };
    return { source: reconciled(situation), skips: skipped(planned(situation)) };
  }
  const addressesIn = ({ endpoints }: typeof west) =>
    endpoints.get("shop/web-west")?.subsets?.[0]?.addresses?.map(({ ip }) => ip);
  const empty = cluster("east", { namespaces: ["shop"] });

  it("linkerd2 edge-20.6.3: its Endpoints have the addresses, for Kubernetes takes no names there", async () => {
    const { source } = await after(empty, ["192.0.2.4", "192.0.2.30"]);
    deepEqual(addressesIn(source), ["192.0.2.30", "192.0.2.4"]);
  });

  it("linkerd2#10635: mirrors follow the name to its new addresses", async () => {
    const { source } = await after(empty, ["192.0.2.4"]);
    const moved = await after(source, ["192.0.2.5"]);
    deepEqual(addressesIn(moved.source), ["192.0.2.5"]);
  });

  it("linkerd2#5362: a name that does not resolve is told, and leaves mirrors where they lead", async () => {
    const { source } = await after(empty, ["192.0.2.4"]);
    const lost = await after(source, undefined);
    deepEqual(lost.skips, ["NoGateway shop/web"]);
    deepEqual(addressesIn(lost.source), ["192.0.2.4"]);
    const back = await after(lost.source, ["192.0.2.5"]);
    deepEqual([back.skips, addressesIn(back.source)], [[], ["192.0.2.5"]]);
  });
});
