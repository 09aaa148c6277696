import { deepEqual, doesNotMatch, equal } from "node:assert/strict";

import type { Draft } from "../../simulation/api-server.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { gatewayService } from "../fixtures/objects.ts";
import { documents, keysIn } from "./files.ts";

const regions = { paris: "berlin", berlin: "paris", austin: "boston", boston: "austin" } as const;
type Name = keyof typeof regions;
const names = Object.keys(regions) as Name[];
const gatewayOf = (name: Name) => `203.0.113.${names.indexOf(name) + 1}`;

/** docs/guides/flat-networks.md describes this mesh. */
describe("examples/regions: flat networks, and gateways between them", () => {
  // Linkerd itself needs no test here.
  const config = { ...keysIn(documents("regions/Pulumi.regions.yaml")[0]), manage: "mirrors" };
  const mesh = new Mesh(names, config);

  before(async () => {
    const [namespace, , web] = documents("regions/manifests/web.yaml") as readonly Draft[];
    for (const name of names) {
      const server = mesh.server(name);
      server.put("services", gatewayService(name, gatewayOf(name)));
      if (namespace !== undefined) server.put("namespaces", namespace);
      if (web !== undefined) server.put("services", web);
    }
    equal((await mesh.up()).failure, undefined);
  });

  for (const [name, near] of Object.entries(regions) as [Name, Name][])
    it(`${name} reaches ${near} directly, and the others through their gateways`, () => {
      const all = (plural: string) =>
        new Map(
          [...mesh.server(name).all(plural)].filter(([key]) => key.startsWith("shop/web-")).sort(),
        );
      const others = names.filter((other) => other !== name);
      const services = all("services");
      deepEqual(
        [...services.keys()],
        ["federated", ...others].map((ending) => `shop/web-${ending}`).sort(),
      );
      const far = others.filter((other) => other !== near).sort();
      const ports = [{ name: "http", port: 4143, protocol: "TCP" }];
      deepEqual(
        [...all("endpoints")].map(([key, { subsets }]) => [key, subsets]),
        far.map((other) => [
          `shop/web-${other}`,
          [{ addresses: [{ ip: gatewayOf(other) }], ports }],
        ]),
      );
      const { labels = {} } = services.get(`shop/web-${near}`)?.metadata ?? {};
      equal(labels["multicluster.linkerd.io/remote-discovery"], near);
      deepEqual(services.get("shop/web-federated")?.metadata.annotations, {
        "multicluster.linkerd.io/local-discovery": "web",
        "multicluster.linkerd.io/remote-discovery": `web@${near}`,
      });
    });

  it("the next run has nothing to do, and no Service lacks a mirror", async () => {
    for (const { name, changes, inputs } of (await mesh.preview()).steps) {
      equal(changes, false, name);
      doesNotMatch(JSON.stringify(inputs), /notMirrored/);
    }
  });
});
