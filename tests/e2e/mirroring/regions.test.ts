import assert from "node:assert/strict";

import { connect } from "../../../engine/kubernetes/client/connect.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { type Bed, startBed } from "../../bed/bed.ts";
import { installGateway } from "../../bed/gateway.ts";
import { newStack, type PulumiStack } from "../../bed/stack.ts";
import { discovered, exported, member, service } from "./objects.ts";
import { create, createNamespaces, each } from "./shared-bed.ts";

const regions = {
  eu: ["paris", "berlin", "madrid"],
  us: ["austin", "boston", "denver"],
} as const;
const names = [...regions.eu, ...regions.us];
type Name = (typeof names)[number];

describe("a mesh of two regions with six clusters", function () {
  this.timeout("10m");

  let bed: Bed<Name> | undefined;
  let stack: PulumiStack;
  const kube = new Map<Name, Kubernetes>();

  before(async () => {
    bed = await startBed({ clusters: names });
    const { kubeconfig } = bed;
    await each(names, async (name) => {
      const client = await connect({ context: name, kubeconfig }, name);
      kube.set(name, client);
      await createNamespaces(client, ["linkerd-multicluster"]);
      const ip = `192.0.2.${String(names.indexOf(name) + 1)}`;
      await installGateway(client, { ip, port: 4143, identity: "gateway" });
      await create(client, [
        service("shop/web", { labels: { ...exported, ...member } }),
        service("shop/cache", { labels: discovered }),
      ]);
    });
    stack = await newStack(bed, "regions", {
      manage: "mirrors",
      clusters: Object.fromEntries(names.map((name) => [name, { context: name }])),
      topology: { regions },
    });
    await stack.pulumi("up", "--yes", "--skip-preview");
  });
  after(async () => {
    await Promise.all([...kube.values()].map((client) => client.close()));
    await bed?.stop();
  });

  for (const source of names)
    it(`mirrors into ${source} from pod to pod within its region, and through gateways from the other`, async () => {
      const services =
        (await kube.get(source)?.list(resources.services, { namespace: "shop" })) ?? [];
      const endpoints =
        (await kube.get(source)?.list(resources.endpoints, { namespace: "shop" })) ?? [];
      const own = regions.eu.some((name) => name === source) ? regions.eu : regions.us;
      const expected = names
        .filter((target) => target !== source)
        .flatMap((target) => {
          const isNear = own.some((name) => name === target);
          const gateway = `192.0.2.${String(names.indexOf(target) + 1)}`;
          return isNear ? [`cache-${target}`, `web-${target}`] : [`web-${target} by ${gateway}`];
        });
      const addressOf = (name: string) => {
        const { subsets = [] } = endpoints.find(({ metadata }) => metadata.name === name) ?? {};
        const ip = subsets[0]?.addresses?.[0]?.ip;
        return ip === undefined ? name : `${name} by ${ip}`;
      };
      const found = services.map(({ metadata }) => addressOf(metadata.name));
      assert.deepEqual(found.sort(), ["cache", "web", "web-federated", ...expected].sort());
      const federated = services.find(({ metadata }) => metadata.name === "web-federated");
      const members = federated?.metadata.annotations?.["multicluster.linkerd.io/remote-discovery"];
      const near = own.filter((name) => name !== source).map((name) => `web@${name}`);
      assert.deepEqual(members?.split(",").sort(), near.sort());
    });

  it("has nothing left to do in the next run", async () => {
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });
});
