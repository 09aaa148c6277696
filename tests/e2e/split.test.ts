import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Bed, type BedCluster, mark, requestsOf } from "../../testbed/bed.ts";
import { isWriteRequest } from "../../testbed/audit.ts";
import { newStack, type PulumiStack } from "../../testbed/stack.ts";
import { addNamespace, addService } from "./access-clusters.ts";
import { exported, kinds } from "./mirroring/objects.ts";
import { type ClusterName, emptyBed, type SharedBed } from "./mirroring/shared-bed.ts";
import { servicesIn } from "./mirroring/view.ts";

const namespace = "split";
const lease = { namespace: "default", name: "linkerd-multicluster" };
const fullName = (stack: string) => `organization/linkerd-multicluster/${stack}`;

describe("a mesh that several stacks share, each with clusters of its own", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let kube: SharedBed["kube"];
  let ofEast: PulumiStack;
  let ofWest: PulumiStack;
  let other: PulumiStack;

  before(async () => {
    ({ bed, kube } = await emptyBed());
    for (const [name, cluster] of Object.entries(bed.clusters)) {
      await addNamespace(cluster, namespace);
      await addService(cluster, namespace, `of-${name}`, { labels: exported });
    }
    const mesh = join(bed.folder, "mesh.yaml");
    const gateway = { addresses: ["192.0.2.7"], port: 4143, identity: "gateway" };
    const clusters = { west: { gateway }, east: { gateway } };
    await writeFile(mesh, stringify({ clusters, topology: "mesh", manage: "mirrors" }));
    ofEast = await newStack(bed, "of-east", { mesh, sources: ["east"] });
    ofWest = await newStack(bed, "of-west", { mesh, sources: ["west"] });
    other = await newStack(bed, "other", { mesh, sources: ["east"] });
  });

  it("runs them side by side, and each writes to its own cluster alone", async () => {
    const since = await marks();
    await Promise.all([ofEast, ofWest].map((stack) => stack.pulumi(...up)));
    const expected = (mirror: string) =>
      [`endpoints ${mirror}`, `leases ${lease.name}`, `services ${mirror}`].sort();
    assert.deepEqual(await writtenSince(since), [
      expected("of-east-east"),
      expected("of-west-west"),
    ]);
    assert.deepEqual(await holders(), [fullName("of-west"), fullName("of-east")]);
  });

  it("refuses a second stack with the same cluster, by the name of the first", async () => {
    const since = await marks();
    const { code, text } = await other.run(up);
    assert.notEqual(code, 0);
    assert.match(
      text,
      /cluster east is the stack organization\/linkerd-multicluster\/of-east's, as Lease east\/default\/linkerd-multicluster says, so the stack organization\/linkerd-multicluster\/other may not write to it: .* kubectl --context east -n default delete lease linkerd-multicluster/,
    );
    assert.deepEqual(await writtenSince(since), [[], []]);
  });

  it("is left by a stack that is destroyed, without a trace in its cluster alone", async () => {
    await ofEast.pulumi("destroy", "--yes", "--skip-preview");
    assert.deepEqual(await holders(), [fullName("of-west"), undefined]);
    assert.deepEqual(await servicesIn(kube.east, namespace), ["of-east"]);
    assert.deepEqual(await servicesIn(kube.west, namespace), ["of-east-east", "of-west"]);
  });

  const up = ["up", "--yes", "--skip-preview"];
  const both = (): readonly BedCluster[] => [bed.clusters.west, bed.clusters.east];
  const marks = () => Promise.all(both().map(mark));

  /** To west, and to east. */
  function writtenSince(since: Awaited<ReturnType<typeof marks>>): Promise<string[][]> {
    const writes = since.map(async (log) => {
      const requests = (await requestsOf(log, "linkerd")).filter(isWriteRequest);
      return requests.map(({ resource, name }) => `${resource} ${name}`).sort();
    });
    return Promise.all(writes);
  }

  function holders(): Promise<unknown[]> {
    const holder = async (cluster: "west" | "east") => {
      const spec = (await kube[cluster].find(kinds.Lease, lease))?.["spec"];
      return (spec as { readonly holderIdentity: string } | undefined)?.holderIdentity;
    };
    return Promise.all([holder("west"), holder("east")]);
  }
});
