import assert from "node:assert/strict";
import { join } from "node:path";
import type { Bed } from "../../bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../../bed/stack.ts";
import * as clusters from "../access-clusters.ts";
import { type Hostile, hostileServer } from "../hostile.ts";
import { exported, member } from "../mirroring/objects.ts";
import { type ClusterName, emptyBed, type SharedBed } from "../mirroring/shared-bed.ts";
import { servicesIn } from "../mirroring/view.ts";

/** access.test.ts revokes the account of a link. */
describe("revocation of a compromised cluster with manage: mirrors", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let kube: SharedBed["kube"];
  let hostile: Hostile;
  let stack: PulumiStack;

  before(async () => {
    ({ bed, kube } = await emptyBed());
    const { west, east, north } = bed.clusters;
    hostile = await hostileServer("east", east.access, join(bed.folder, "hostile"));
    for (const cluster of [west, east, north]) await clusters.addNamespace(cluster, "shop");
    for (const cluster of [west, east]) {
      await clusters.addService(cluster, "shop", "web", { labels: exported });
      await clusters.addService(cluster, "shop", "shared", { labels: member });
    }
    stack = await newStack(bed, "revoked", config({}));
    await stack.pulumi("up", "--yes", "--skip-preview");
    const mirrors = await servicesIn(kube.north, "shop");
    assert.deepEqual(mirrors, ["shared-federated", "web-east", "web-west"]);
  });

  after(() => hostile.close());

  it("removes its mirrors and members from other sources, and drops its own from the state", async () => {
    const { east, north } = bed.clusters;
    await stack.configure(config({ kubeconfig: hostile.kubeconfig, revoked: true }));
    const said = await stack.pulumi("up", "--yes", "--skip-preview");
    assert.match(said, /east: it is revoked, so its mirrors stay and leave the state/);
    assert.deepEqual(await servicesIn(kube.north, "shop"), ["shared-federated", "web-west"]);
    const shared = await clusters.serviceIn(north, "shop", "shared-federated");
    const members = shared?.metadata.annotations?.["multicluster.linkerd.io/remote-discovery"];
    assert.equal(members, "shared@west");
    assert.ok(await clusters.serviceIn(east, "shop", "web-west"));
    assert.equal(hostile.connections(), 0);
  });

  it("lets it leave the config afterwards", async () => {
    await stack.configure(config(undefined));
    await stack.pulumi("up", "--yes", "--skip-preview");
    assert.doesNotMatch(await stack.pulumi("stack", "export"), /::east"/);
    assert.equal(hostile.connections(), 0);
  });

  /** @param east more keys of the cluster; undefined: it has left the config */
  function config(east: Config | undefined): Config {
    const own = { gateway: { addresses: ["192.0.2.7"], port: 4143, identity: "gateway.mesh" } };
    const all = [
      { source: "north", target: "west", maxDeletions: 0 },
      { source: "east", target: "west", maxDeletions: 0 },
      { source: "north", target: "east", maxDeletions: 0 },
    ];
    return {
      manage: "mirrors",
      clusters: { west: own, north: own, ...(east !== undefined && { east: { ...own, ...east } }) },
      links: east === undefined ? all.slice(0, 1) : all,
    };
  }
});
