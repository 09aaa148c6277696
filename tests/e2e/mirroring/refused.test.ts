import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newStack, type PulumiStack, repository } from "../../bed/stack.ts";
import { link } from "../../unit/fixtures/link.ts";
import * as clusters from "../access-clusters.ts";
import { emptyBed, type SharedBed } from "./shared-bed.ts";

const labels = { "mirror.linkerd.io/exported": "remote-discovery" };

/**
 * The program does what a mesh does with `manage: links` and `all`, without the objects of Pulumi's Kubernetes plugin:
 * it waits for the identities of the clusters, and then creates the rest.
 */
describe("a context that leads to another cluster, in a real engine", function () {
  this.timeout("20m");

  let bed: SharedBed["bed"];
  let stack: PulumiStack;
  const known = { west: "uid-of-west", north: "uid-of-north" };

  before(async () => {
    ({ bed } = await emptyBed());
    for (const cluster of Object.values(bed.clusters)) await clusters.addNamespace(cluster, "shop");
    await clusters.addService(bed.clusters.west, "shop", "web", { labels });
    const folder = join(bed.folder, "refused");
    await writeProgram(folder, bed.kubeconfig);
    stack = await newStack(bed, "refused", { uids: known }, folder);
    await stack.pulumi("up", "--yes", "--skip-preview");
  });

  const inEast = (name: string) => clusters.serviceIn(bed.clusters.east, "shop", name);

  it("stops only its own links, and fails the run in the end", async () => {
    assert.ok(await inEast("web-west"));
    await stack.configure({ uids: { ...known, west: "another" } });
    await clusters.addService(bed.clusters.west, "shop", "more", { labels });
    await clusters.addService(bed.clusters.north, "shop", "web", { labels });
    const { code, text } = await stack.run(["up", "--yes", "--skip-preview"]);
    assert.notEqual(code, 0);
    assert.match(text, /context west of cluster west leads to another cluster than before/);
    assert.ok(await inEast("web-north"));
    assert.ok(await inEast("web-west"));
    assert.equal(await inEast("more-west"), undefined);
  });

  it("works as before once the context is right again, and state never recorded the other cluster", async () => {
    await stack.configure({ uids: known });
    await stack.pulumi("up", "--yes", "--skip-preview");
    assert.ok(await inEast("more-west"));
    assert.doesNotMatch(await stack.pulumi("stack", "export"), /another/);
  });
});

async function writeProgram(folder: string, kubeconfig: string): Promise<void> {
  const components = join(repository, "components");
  const links = ["west", "north"].map((target) => link({ target, gateway: false }));
  const text = `
      import * as pulumi from "@pulumi/pulumi";
      import { ClusterIdentity } from "${components}/cluster-provider.ts";
      import { movedClusters } from "${components}/clusters.ts";
      import { Mirrors } from "${components}/mirrors.ts";
      const accessOf = (context) => ({ context, kubeconfig: ${JSON.stringify(kubeconfig)} });
      const uids = Object.entries(new pulumi.Config().requireObject("uids"));
      const identities = uids.map(([name, uid]) =>
        [name, new ClusterIdentity(name, { name, access: accessOf(name) }, { uid })]);
      const refused = await movedClusters(identities);
      new Mirrors("east", {
        source: "east",
        stack: "organization/refused/test",
        links: ${JSON.stringify(links)},
        clusters: { east: accessOf("east"), west: accessOf("west"), north: accessOf("north") },
        ...(refused.size > 0 && { distrusted: Object.fromEntries(refused) }),
      });
    `;
  await mkdir(folder);
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const files = {
    "Pulumi.yaml":
      "name: linkerd-multicluster\nmain: index.ts\nruntime: {name: nodejs, options: {typescript: false}}\n",
    "package.json": JSON.stringify({ type: "module", main: "index.ts" }),
    "index.ts": text,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}
