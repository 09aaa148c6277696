import assert from "node:assert/strict";
import { join } from "node:path";
import { tokenName } from "../../../engine/credentials/tokens.ts";
import type { RevocationArgs } from "../../../engine/credentials/state.ts";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import { Clusters } from "../../../engine/mesh/clusters.ts";
import { checkRevocation, type ClientOf, revoke } from "../../../engine/credentials/revocation.ts";
import { type Bed, type BedCluster, until } from "../../bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../../bed/stack.ts";
import { account, facts } from "../../components/access-graph.ts";
import * as clusters from "../access-clusters.ts";
import { type Hostile, hostileServer } from "../hostile.ts";
import { exported, member } from "../mirroring/objects.ts";
import { type ClusterName, emptyBed } from "../mirroring/shared-bed.ts";
import { servicesIn } from "../mirroring/view.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const token = tokenName(account, { generation: 1, serial: 1 });
const paths = {
  binding: `${rbac}/clusterrolebindings/${account}`,
  account: `${clusters.inNamespace("linkerd-multicluster", "serviceaccounts")}/${account}`,
  token: `${clusters.secretsOf}/${token}`,
  role: `${rbac}/clusterroles/${account}`,
};
const everything = [
  `ClusterRoleBinding ${account}`,
  `ServiceAccount linkerd-multicluster/${account}`,
  `Secret linkerd-multicluster/${token}`,
  `ClusterRole ${account}`,
].join(", ");

describe("revocation on real clusters, while the revoked one is compromised", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let kube: Awaited<ReturnType<typeof emptyBed>>["kube"];
  let hostile: Hostile;

  before(async () => {
    ({ bed, kube } = await emptyBed());
    const { west, east, north } = bed.clusters;
    hostile = await hostileServer("east", east.access, join(bed.folder, "hostile"));
    for (const cluster of [west, north]) await clusters.addNamespaces(cluster);
  });
  after(async () => {
    await hostile.close();
  });

  /** tests/unit/credentials/revocation.test.ts has the other cases. */
  describe("of an account", () => {
    let args: RevocationArgs;

    before(async () => {
      const target = async (context: "west" | "north") => {
        const { metadata } = await kube[context].get(resources.namespaces, { name: "kube-system" });
        return { context, kubeconfig: bed.kubeconfig, uid: metadata.uid ?? "" };
      };
      args = {
        source: "east",
        isolated: true,
        namespace: "linkerd-multicluster",
        targets: { west: await target("west"), north: await target("north") },
      };
      const { west, north } = bed.clusters;
      const { resources: all, ...graph } = await clusters.graphOf(facts);
      // Both targets get the same account.
      for (const cluster of [west, north]) {
        const inWest = all.filter(({ provider }) => provider === "west");
        const moved = inWest.map((each) => ({ ...each, provider: cluster.name }));
        await clusters.carryOut(cluster, { ...graph, resources: moved });
        const tokens = moved.filter(({ inputs }) => inputs.kind === "Secret");
        // Kubernetes deletes the tokens of an earlier account with the same name some time later.
        await until("a token of this account", [], async () => {
          const { code, body } = await cluster.request("GET", paths.token);
          if (code === 404) await clusters.carryOut(cluster, { ...graph, resources: tokens });
          return (body as { readonly data?: object }).data === undefined ? undefined : true;
        });
      }
    });

    it("deletes its rights, itself and its tokens in every target, and then has nothing to do", async () => {
      const { west, north } = bed.clusters;
      const issued = await clusters.issuedToken(west, token);
      const answer = () => clusters.answerTo(west, issued, "/api/v1/services");
      assert.equal(await answer(), 200);
      const inputs = await checkRevocation({}, args, client);
      assert.deepEqual(inputs.deletes, { north: everything, west: everything });
      assert.deepEqual(await revoke(inputs, client), []);
      for (const cluster of [west, north]) assert.deepEqual(await left(cluster), []);
      await until("the end of the token", [], async () => (await answer()) === 401 || undefined);
      assert.equal((await checkRevocation(inputs, args, client)).deletes, undefined);
      assert.equal(hostile.connections(), 0);
    });
  });

  describe("of a cluster, in a real engine with manage: mirrors", () => {
    let stack: PulumiStack;

    before(async () => {
      const { west, east, north } = bed.clusters;
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
  });

  /** Returns the methods as another process has them. */
  const client: ClientOf = (name, access) => new Clusters().client(name, access);

  /** Returns the parts of the account that still exist. */
  async function left(cluster: BedCluster): Promise<string[]> {
    const codes = Object.entries(paths).map(async ([part, path]) => {
      return (await cluster.request("GET", path)).code === 404 ? [] : [part];
    });
    return (await Promise.all(codes)).flat();
  }

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
