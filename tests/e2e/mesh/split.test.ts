import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { type Bed, type BedCluster, mark, requestsOf } from "../../bed/bed.ts";
import { isWriteRequest } from "../../bed/audit.ts";
import { newStack, type PulumiStack } from "../../bed/stack.ts";
import { addNamespace, addService } from "../access-clusters.ts";
import { exported } from "../mirroring/objects.ts";
import { type ClusterName, emptyBed, type SharedBed } from "../mirroring/shared-bed.ts";
import { servicesIn } from "../mirroring/view.ts";

const namespace = "split";

describe("a mesh that several stacks share, each with its own clusters", function () {
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

  it("runs them at the same time, and each writes only to its own cluster", async () => {
    const since = await marks();
    await Promise.all([ofEast, ofWest].map((stack) => stack.pulumi(...up)));
    const expected = (mirror: string) => [`endpoints ${mirror}`, `services ${mirror}`];
    assert.deepEqual(await writtenSince(since), [
      expected("of-east-east"),
      expected("of-west-west"),
    ]);
  });

  it("leaves mirrors to the first of two stacks with the same cluster, and says so to the second", async () => {
    const since = await marks();
    assert.match(
      await other.pulumi(...up),
      /NotOurs\): stack organization\/linkerd-multicluster\/of-east owns the mirror east\/split\/of-west-west/,
    );
    await other.pulumi("destroy", "--yes", "--skip-preview");
    assert.deepEqual(await writtenSince(since), [[], []]);
  });

  it("keeps working when one stack is destroyed, which leaves nothing in its own cluster", async () => {
    await ofEast.pulumi("destroy", "--yes", "--skip-preview");
    assert.deepEqual(await servicesIn(kube.east, namespace), ["of-east"]);
    assert.deepEqual(await servicesIn(kube.west, namespace), ["of-east-east", "of-west"]);
  });

  const up = ["up", "--yes", "--skip-preview"];
  const both = (): readonly BedCluster[] => [bed.clusters.west, bed.clusters.east];
  const marks = () => Promise.all(both().map(mark));

  /** Returns the writes to west, and those to east. */
  function writtenSince(since: Awaited<ReturnType<typeof marks>>): Promise<string[][]> {
    const writes = since.map(async (log) => {
      const requests = (await requestsOf(log, "linkerd")).filter(isWriteRequest);
      return requests.map(({ resource, name }) => `${resource} ${name}`).sort();
    });
    return Promise.all(writes);
  }
});
