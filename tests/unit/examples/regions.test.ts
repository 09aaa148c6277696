import { deepEqual, doesNotMatch, equal } from "node:assert/strict";

import type { Draft } from "../../simulation/api-server.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { gatewayService } from "../fixtures/world.ts";
import { documents, keysIn } from "./files.ts";

const regions = { paris: "berlin", berlin: "paris", austin: "boston", boston: "austin" } as const;
type Name = keyof typeof regions;
const names = Object.keys(regions) as Name[];
const gatewayOf = (name: Name) => `203.0.113.${names.indexOf(name) + 1}`;

/** docs/guides/flat-networks.md says what is reached by which name; so does this. */
describe("examples/regions: flat networks, and gateways between them", () => {
  // Linkerd itself is not what this is about.
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

  for (const [name, near] of Object.entries(regions) as [Name, Name][]) {
    const far = names.filter((other) => other !== name && other !== near);
    const all = (plural: string) =>
      [...mesh.server(name).all(plural)].filter(([key]) => key.startsWith("shop/web-"));

    it(`${name} mirrors all, through the gateways of ${far.join(" and ")} alone`, () => {
      const endings = ["federated", ...names.filter((other) => other !== name)];
      deepEqual(
        all("services")
          .map(([key]) => key)
          .sort(),
        endings.map((ending) => `shop/web-${ending}`).sort(),
      );
      deepEqual(
        all("endpoints").map(([key, { subsets }]) => [key, subsets]),
        far.toSorted().map((other) => {
          const ports = [{ name: "http", port: 4143, protocol: "TCP" }];
          return [`shop/web-${other}`, [{ addresses: [{ ip: gatewayOf(other) }], ports }]];
        }),
      );
    });

    it(`${name} has Linkerd discover the pods of ${near}, for its mirror and for web-federated`, () => {
      const services = new Map(all("services"));
      const { labels = {} } = services.get(`shop/web-${near}`)?.metadata ?? {};
      equal(labels["multicluster.linkerd.io/remote-discovery"], near);
      deepEqual(services.get("shop/web-federated")?.metadata.annotations, {
        "multicluster.linkerd.io/local-discovery": "web",
        "multicluster.linkerd.io/remote-discovery": `web@${near}`,
      });
    });
  }

  it("is at rest, with nothing that asks for a mirror and has none", async () => {
    for (const { name, changes, inputs } of (await mesh.preview()).steps) {
      equal(changes, false, name);
      doesNotMatch(JSON.stringify(inputs), /notMirrored/);
    }
  });
});
