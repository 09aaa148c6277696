import { deepEqual, match, ok } from "node:assert/strict";
import { readGateway } from "../../../../engine/mirroring/observe/gateway.ts";
import { link } from "../../fixtures/link.ts";
import { cluster, service } from "../../fixtures/objects.ts";
import { exporting } from "../../fixtures/world.ts";

const place = { namespace: "linkerd-multicluster", name: "linkerd-gateway" };
const east = cluster("east", { services: [service("shop/web", {}, { clusterIP: "10.0.0.7" })] });
const named = exporting("west", []);
const target = {
  ...named,
  services: new Map(
    [...named.services].map(([key, each]) => [
      key,
      { ...each, status: { loadBalancer: { ingress: [{ hostname: "gw.example" }] } } },
    ]),
  ),
};

describe("what a gateway's hostname resolves to", () => {
  const read = (addresses: readonly string[], pinned?: string) => {
    const gateway = { ...place, ...(pinned !== undefined && { addresses: [pinned] }) };
    return readGateway(link({ gateway }), target, east, () => Promise.resolve(addresses));
  };

  it("is no gateway where it is local to the source", async () => {
    for (const ip of ["127.0.0.1", "169.254.169.254", "10.0.0.7"]) {
      const reading = await read([ip]);
      ok(!reading.known, ip);
      match(reading.why, /announces no address that may be used/);
    }
  });

  it("is left out with a warning where another address is left", async () => {
    const reading = await read(["10.0.0.7", "192.0.2.1"]);
    ok(reading.known);
    deepEqual(reading.gateway.addresses, ["192.0.2.1"]);
    match(
      reading.warnings.join(),
      /west is left out: 10\.0\.0\.7 is a ClusterIP of the source itself/,
    );
  });

  it("is what the whole name resolves to, and not one that a search domain completes", async () => {
    const asked: string[] = [];
    const resolve = (name: string) => {
      asked.push(name);
      return Promise.resolve(["192.0.2.1"]);
    };
    await readGateway(link({ gateway: place }), target, east, resolve);
    await readGateway(link({ gateway: { ...place, addresses: ["gw"] } }), target, east, resolve);
    deepEqual(asked, ["gw.example.", "gw"]);
  });

  it("is not judged where the config names it", async () => {
    const reading = await read(["127.0.0.1"], "gw.example");
    ok(reading.known);
    deepEqual(reading.gateway.addresses, ["127.0.0.1"]);
  });
});
