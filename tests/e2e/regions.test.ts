import assert from "node:assert/strict";
import { type Bed, startBed } from "../../testbed/bed.ts";
import { plain, SimulatedEngine, type Wanted } from "../simulation/engine.ts";
import { wantedResources } from "../simulation/providers.ts";
import { checked, documents, keysIn, text } from "../unit/examples/files.ts";
import * as clusters from "./access-clusters.ts";
import { serviceIn } from "./objects.ts";

const regions = { paris: "berlin", berlin: "paris", austin: "boston", boston: "austin" } as const;
type Name = keyof typeof regions;
const names = Object.keys(regions) as Name[];
const gatewayOf = (name: Name) => `203.0.113.${names.indexOf(name) + 1}`;

interface Named {
  readonly metadata: { readonly name: string };
}
interface Endpoints extends Named {
  readonly subsets?: readonly {
    readonly addresses: readonly { readonly ip: string }[];
    readonly ports: readonly { readonly port: number }[];
  }[];
}

/** docs/guides/flat-networks.md says what is reached by which name; so does this. */
describe("examples/regions: flat networks, and gateways between them", function () {
  this.timeout("10m");

  let bed: Bed<Name>;
  let wanted: Wanted;
  const engine = new SimulatedEngine();

  before(async () => {
    bed = await startBed({ clusters: names });
    const [namespace, , web] = documents("regions/manifests/web.yaml");
    for (const name of names) {
      const cluster = bed.clusters[name];
      await clusters.addNamespaces(cluster);
      await clusters.addLinkerd(cluster);
      await clusters.addBalancerAddress(cluster, gatewayOf(name));
      await clusters.post(cluster, "/api/v1/namespaces", namespace);
      await clusters.post(cluster, clusters.inNamespace("shop", "services"), web);
    }
    // Linkerd itself is not what this is about.
    const { clusters: all, ...rest } = keysIn(text("regions/Pulumi.regions.yaml"));
    const { kubeconfig } = bed;
    const own = Object.entries(all as object).map(([name, cluster]: [string, object]) => {
      return [name, { ...cluster, kubeconfig }] as const;
    });
    const config = checked({ ...rest, manage: "mirrors", clusters: Object.fromEntries(own) });
    const resources = [...wantedResources(config, "regions")];
    wanted = new Map(resources.map(([name, args]) => [name, plain({ ...args })]));
    await engine.up(wanted);
  });
  after(() => bed.stop());

  for (const [name, near] of Object.entries(regions) as [Name, Name][]) {
    const far = names.filter((other) => other !== name && other !== near);

    describe(`in ${name}`, () => {
      it(`has mirrors of all, and the address of the gateway for ${far.join(" and ")} alone`, async () => {
        const found = await list<Named>("services");
        const mirrors = ["federated", ...names.filter((other) => other !== name)];
        assert.deepEqual(
          found.map(({ metadata }) => metadata.name),
          ["web", ...mirrors.map((ending) => `web-${ending}`)].sort(),
        );
        const endpoints = (await list<Endpoints>("endpoints")).map(({ metadata, subsets = [] }) => [
          metadata.name,
          subsets.flatMap(({ addresses, ports }) =>
            addresses.flatMap(({ ip }) => ports.map(({ port }) => `${ip}:${port}`)),
          ),
        ]);
        assert.deepEqual(
          Object.fromEntries(endpoints.filter(([service]) => service !== "web")),
          Object.fromEntries(far.map((other) => [`web-${other}`, [`${gatewayOf(other)}:4143`]])),
        );
      });

      it(`has Linkerd discover the pods of ${near}, for its mirror and for web-federated`, async () => {
        const mirror = await serviceIn(bed.clusters[name], "shop", `web-${near}`);
        assert.equal(mirror?.metadata.labels?.["multicluster.linkerd.io/remote-discovery"], near);
        const federated = await serviceIn(bed.clusters[name], "shop", "web-federated");
        assert.deepEqual(federated?.metadata.annotations, {
          "multicluster.linkerd.io/local-discovery": "web",
          "multicluster.linkerd.io/remote-discovery": `web@${near}`,
        });
      });

      async function list<T>(plural: string): Promise<readonly T[]> {
        const path = clusters.inNamespace("shop", plural);
        return (await clusters.get<{ readonly items: readonly T[] }>(bed.clusters[name], path))
          .items;
      }
    });
  }

  it("is at rest, with nothing that asks for a mirror and has none", async () => {
    for (const { name, changes, inputs } of await engine.preview(wanted)) {
      assert.equal(changes, false, name);
      assert.doesNotMatch(JSON.stringify(inputs), /notMirrored|NotSelected/);
    }
  });
});
