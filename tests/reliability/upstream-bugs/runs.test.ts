import { deepEqual, match } from "node:assert/strict";
import type { LinkResource } from "../../../engine/kubernetes/objects/link-resource.ts";
import { MemoryCluster } from "../../unit/fixtures/memory-cluster.ts";
import { cluster } from "../../unit/fixtures/objects.ts";
import { settled, web, west } from "../../unit/fixtures/settled.ts";
import { argsFor, made, mirrorsIn, preview, up } from "../../unit/fixtures/world.ts";

describe("bugs of Linkerd's controller", () => {
  it("linkerd2#12008: a target that serves no Links, or older ones, is read all the same", async () => {
    const target = west(web);
    target.refuse = (line) => (line === "list links" ? "notFound" : undefined);
    const east = new MemoryCluster(cluster("east", { namespaces: ["shop"] }));
    await up({ east, west: target }, argsFor(["west"]));
    deepEqual(await mirrorsIn(east), ["shop/web-west"]);
  });

  for (const list of ["list namespaces", "list services", "list endpoints"])
    for (const failed of ["west", "east"] as const)
      it(`linkerd2#12406: a failed ${list} of ${failed} deletes nothing, and is told`, async () => {
        const { clusters, args, before } = await settled();
        const gone = { ...clusters, west: west() };
        const plan = await preview(gone, args, before);
        gone[failed].refuse = (line) => (line === list ? "server" : undefined);
        // Before it is planned, and between the plan and the writes.
        const { inputs, notes } = await preview(gone, args, before);
        deepEqual(inputs.unreachable, [failed]);
        match(notes.join("\n"), new RegExp(`cluster ${failed}`));
        await made(gone, inputs).catch(() => undefined);
        const failures = await made(gone, plan.inputs).catch((error: unknown) => [String(error)]);
        match(failures.join(), new RegExp(`cluster ${failed}`));
        gone[failed].refuse = () => undefined;
        deepEqual(await mirrorsIn(clusters.east), ["shop/api-north", "shop/web-west"]);
        await up(gone, args, before);
        deepEqual(await mirrorsIn(clusters.east), ["shop/api-north"]);
      });

  it("linkerd2#13420: a status is written past a Link that has changed since it was read, and leaves the rest alone", async () => {
    const metadata = { namespace: "linkerd-multicluster", name: "west" };
    const link = { metadata, spec: { targetClusterName: "west", gatewayAddress: "192.0.2.10" } };
    const snapshot = cluster("east", { namespaces: ["shop"] });
    const east = new MemoryCluster(snapshot, { links: [link] });
    const spec = { ...link.spec, gatewayAddress: "192.0.2.99" };
    east.refuse = (line) => {
      if (line === "create services shop/web-west")
        east.edit("links", "linkerd-multicluster/west", { spec });
      return undefined;
    };
    const args = argsFor(["west"], { statusIn: "linkerd-multicluster" });
    await up({ east, west: west(web) }, args);
    const found: unknown = east.get("links", "linkerd-multicluster/west");
    const { spec: left, status: written } = found as LinkResource;
    deepEqual(left, spec);
    deepEqual(
      written?.mirrorServices?.map(({ remoteRef }) => remoteRef.name),
      ["web"],
    );
  });
});
