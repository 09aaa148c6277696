import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Bed, type BedCluster, mark, requestsOf } from "../../testbed/bed.ts";
import { isWriteRequest } from "../../testbed/audit.ts";
import { newStack, type PulumiStack } from "../../testbed/stack.ts";
import { addNamespace, inNamespace } from "./access-clusters.ts";
import { addService, serviceIn } from "./objects.ts";
import { type ClusterName, emptyBed } from "./mirroring/shared-bed.ts";

const exported = { labels: { "mirror.linkerd.io/exported": "true" } };
const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/linkerd-multicluster";
const fullName = (stack: string) => `organization/linkerd-multicluster/${stack}`;

describe("a mesh that several stacks share, each with clusters of its own", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let mesh: string;
  const stacks = new Map<string, PulumiStack>();

  before(async () => {
    ({ bed } = await emptyBed());
    for (const [name, cluster] of Object.entries(bed.clusters)) {
      await addNamespace(cluster, "shop");
      await addService(cluster, "shop", `of-${name}`, exported);
    }
    mesh = join(bed.folder, "mesh.yaml");
    const gateway = { addresses: ["192.0.2.7"], port: 4143, identity: "gateway" };
    const clusters = { west: { gateway }, east: { gateway } };
    await writeFile(mesh, stringify({ clusters, topology: "mesh", manage: "mirrors" }));
    for (const [name, source] of [
      ["of-east", "east"],
      ["of-west", "west"],
      ["other", "east"],
    ] as const)
      stacks.set(name, await newStack(bed, name, { mesh, sources: [source] }));
  });

  it("runs them side by side, and each writes to its own cluster alone", async () => {
    const { west, east } = bed.clusters;
    const before = await Promise.all([west, east].map(mark));
    await up("of-east");
    const [toWest = [], toEast = []] = await Promise.all(
      before.map(async (log) => (await requestsOf(log, "linkerd")).filter(isWriteRequest)),
    );
    assert.deepEqual(toWest, []);
    // A Service, its Endpoints and the Lease.
    assert.equal(toEast.length, 3);
    assert.ok(await serviceIn(east, "shop", "of-west-west"));
    assert.equal(await serviceIn(west, "shop", "of-east-east"), undefined);
    await Promise.all([up("of-west"), stack("of-east").pulumi("preview", "--expect-no-changes")]);
    assert.ok(await serviceIn(west, "shop", "of-east-east"));
    assert.equal(await holderOf(east), fullName("of-east"));
    assert.equal(await holderOf(west), fullName("of-west"));
  });

  it("refuses a second stack with the same cluster, by the name of the first", async () => {
    const { east } = bed.clusters;
    const before = await mark(east);
    const { code, text } = await stack("other").run(["up", "--yes", "--skip-preview"]);
    assert.notEqual(code, 0);
    assert.match(
      text,
      /cluster east is the stack organization\/linkerd-multicluster\/of-east's, as Lease east\/default\/linkerd-multicluster says, so the stack organization\/linkerd-multicluster\/other may not write to it: .* kubectl --context east -n default delete lease linkerd-multicluster/,
    );
    const written = (await requestsOf(before, "linkerd")).filter(({ verb }) =>
      ["create", "update", "patch", "delete"].includes(verb),
    );
    assert.deepEqual(written, []);
  });

  it("is left by a stack that is destroyed, without a trace in its cluster alone", async () => {
    const { west, east } = bed.clusters;
    await stack("of-east").pulumi("destroy", "--yes", "--skip-preview");
    assert.equal(await holderOf(east), undefined);
    const path = `${inNamespace("shop", "services")}/of-west-west`;
    assert.equal((await east.request("GET", path)).code, 404);
    assert.equal(await holderOf(west), fullName("of-west"));
    assert.ok(await serviceIn(west, "shop", "of-east-east"));
  });

  function stack(name: string): PulumiStack {
    const found = stacks.get(name);
    if (found === undefined) throw new Error(`there is no stack ${name}`);
    return found;
  }

  const up = (name: string) => stack(name).pulumi("up", "--yes", "--skip-preview");

  async function holderOf(cluster: BedCluster): Promise<string | undefined> {
    const { code, body } = await cluster.request("GET", lease);
    if (code === 404) return undefined;
    return (body as { readonly spec: { readonly holderIdentity: string } }).spec.holderIdentity;
  }
});
