import { deepEqual } from "node:assert/strict";
import type { LinkResource } from "../../../../engine/kubernetes/objects/link-resource.ts";
import { member } from "../../fixtures/federation.ts";
import { MemoryCluster } from "../../fixtures/memory-cluster.ts";
import { cluster } from "../../fixtures/objects.ts";
import { expectFacts, west } from "../../fixtures/settled.ts";
import { argsFor, linkObject, made, mirrorsIn, preview } from "../../fixtures/world.ts";

describe("a namespace that cannot be created", () => {
  it("is the failure of each mirror in it, and of no other; their Link's status says so", async () => {
    const args = argsFor([{ target: "west", createNamespaces: true }], {
      statusIn: "linkerd-multicluster",
    });
    const links = [linkObject("west")];
    const east = new MemoryCluster(cluster("east", { namespaces: ["shop"] }), { links });
    east.refuse = (line) => (line === "create namespaces new" ? "invalid" : undefined);
    const clusters = { east, west: west(member("new/bb"), member("new/cc"), member("shop/bb")) };
    const { inputs } = await preview(clusters, args);
    const failures = await made(clusters, inputs);
    expectFacts(
      { failures, left: await mirrorsIn(east) },
      {
        failures:
          /^2 mirrors: cluster east rejects .* create Namespace new [^\n]*\(new\/bb-federated, new\/cc-federated\)$/,
        left: ["shop/bb-federated"],
      },
    );
    const link: unknown = east.get("links", "linkerd-multicluster/west");
    deepEqual(
      (link as LinkResource).status?.federatedServices?.map(({ remoteRef, conditions = [] }) => [
        `${remoteRef.namespace}/${remoteRef.name}`,
        conditions[0]?.reason,
      ]),
      [
        ["new/bb", "Error"],
        ["new/cc", "Error"],
        ["shop/bb", "Mirrored"],
      ],
    );
  });
});
