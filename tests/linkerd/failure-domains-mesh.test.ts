import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { accountName } from "../../engine/credentials/objects.ts";
import { tokenName } from "../../engine/credentials/tokens.ts";
import type { BedCluster } from "../bed/bed.ts";
import type { Config } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { configOf, exported, fillShop, realMesh } from "./real-mesh.ts";
import { chartsFolder, skipNote } from "./real-plugins.ts";

describe(`a whole mesh that loses a cluster, with real plugins and charts${skipNote}`, function () {
  this.timeout("30m");

  const mesh = realMesh("domains", () => config());

  before(async () => {
    await fillShop(mesh.clusters);
    await mesh.stack.pulumi("up", "--yes", "--skip-preview");
  });

  it("has one trust domain, whatever the domains of its clusters", async () => {
    const { east, north } = mesh.clusters;
    const identity = "linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd";
    const path = clusters.inNamespace("linkerd-multicluster", "services");
    const gateway = await clusters.get<Annotated>(east, `${path}/linkerd-gateway`);
    assert.equal(
      gateway.metadata.annotations["mirror.linkerd.io/gateway-identity"],
      `${identity}.cluster.local`,
    );
    const secrets = clusters.inNamespace("linkerd", "secrets");
    const secret = await clusters.get<Annotated>(north, `${secrets}/cluster-credentials-east`);
    const { annotations } = secret.metadata;
    assert.equal(annotations["multicluster.linkerd.io/trust-domain"], "cluster.local");
    assert.equal(annotations["multicluster.linkerd.io/cluster-domain"], "east.example");
  });

  it("does for the others whatever is to be done while one is down", async () => {
    const { west, east, north } = mesh.clusters;
    await east.cut();
    await clusters.addService(west, "shop", "more", exported);
    await mesh.stack.configure(config({ logLevel: "debug", generation: 2 }));
    const output = await mesh.stack.pulumi("up", "--yes", "--skip-preview");
    assert.match(
      output,
      /Whatever Linkerd needs in cluster east stays as it is until a run reaches/,
    );
    assert.ok(await clusters.serviceIn(north, "shop", "more-west"));
    assert.ok(await clusters.serviceIn(north, "shop", "api-east"));
    assert.match(await linkerdConfig(west), /^controllerLogLevel: debug$/m);
    // The one token is in use by now; the other would leave east without any.
    await clusters.issuedToken(west, token("north", 2));
    await clusters.issuedToken(west, token("east", 1));
    await mesh.stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  it("catches up once the cluster is back", async () => {
    const { west, east } = mesh.clusters;
    await east.restore();
    await issuesTokens(east);
    await mesh.stack.pulumi("up", "--yes", "--skip-preview");
    assert.ok(await clusters.serviceIn(east, "shop", "more-west"));
    assert.match(await linkerdConfig(east), /^controllerLogLevel: debug$/m);
    await clusters.issuedToken(west, token("east", 2));
    const old = `${clusters.secretsOf}/${token("east", 1)}`;
    assert.equal((await west.request("GET", old)).code, 404);
  });

  it("lets go of one that is gone for good, and nothing of it stays with the others", async () => {
    const { west, east, north } = mesh.clusters;
    await east.cut();
    // What a user tries first, and it gets half-way.
    await mesh.stack.configure(config({ logLevel: "debug", generation: 2, without: true }));
    assert.notEqual((await mesh.stack.run(["up", "--yes", "--skip-preview"])).code, 0);
    await withoutContext(mesh.bed.kubeconfig, "east");
    await mesh.stack.configure(config({ logLevel: "debug", generation: 2, gone: true }));
    await mesh.stack.pulumi("up", "--yes", "--skip-preview");
    for (const cluster of [west, north])
      assert.deepEqual(await traces(cluster, "east"), [], cluster.name);
    const shared = await clusters.serviceIn(north, "shop", "shared-federated");
    const members = shared?.metadata.annotations?.["multicluster.linkerd.io/remote-discovery"];
    assert.equal(members, "shared@west");
  });

  it("and the others can be destroyed while it is still in the config", async () => {
    const { west, north } = mesh.clusters;
    await mesh.stack.pulumi("destroy", "--yes", "--skip-preview");
    assert.equal(await clusters.serviceIn(north, "shop", "more-west"), undefined);
    for (const cluster of [west, north]) {
      const path = `${clusters.inNamespace("linkerd", "configmaps")}/linkerd-config`;
      assert.equal((await cluster.request("GET", path)).code, 404);
    }
  });

  const token = (consumer: string, generation: number) =>
    tokenName(accountName(consumer), { generation, serial: 1 });

  function config({
    logLevel = "info",
    generation = 1,
    gone = false,
    without = false,
  } = {}): Config {
    const values = { "linkerd-control-plane": { controllerLogLevel: logLevel } };
    const { west, east, north } = mesh.clusters;
    return {
      manage: "all",
      clusters: {
        west: configOf(west, values),
        north: configOf(north, values),
        ...(!without && {
          east: { ...configOf(east, values), clusterDomain: "east.example", revoked: gone },
        }),
      },
      topology: "mesh",
      linkDefaults: { credentialsGeneration: generation },
      charts: { source: chartsFolder },
    };
  }
});

/**
 * Pulumi's provider waits five seconds for a token, and controllers whose API server was away look for it
 * again at longer intervals.
 */
async function issuesTokens(cluster: BedCluster): Promise<void> {
  await clusters.post(cluster, clusters.secretsOf, {
    metadata: { name: "probe", annotations: { "kubernetes.io/service-account.name": "default" } },
    type: "kubernetes.io/service-account-token",
  });
  await clusters.issuedToken(cluster, "probe");
}

interface Annotated {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
}

async function linkerdConfig(cluster: BedCluster): Promise<string> {
  const path = `${clusters.inNamespace("linkerd", "configmaps")}/linkerd-config`;
  const { data } = await clusters.get<{ readonly data: { readonly values: string } }>(
    cluster,
    path,
  );
  return data.values;
}

/** Objects that are there for another cluster, by their names. */
async function traces(cluster: BedCluster, other: string): Promise<string[]> {
  const lists = [
    ...["services", "endpoints", "secrets", "serviceaccounts"].map((plural) => `/api/v1/${plural}`),
    ...["clusterroles", "clusterrolebindings"].map(
      (plural) => `/apis/rbac.authorization.k8s.io/v1/${plural}`,
    ),
    "/apis/multicluster.linkerd.io/v1alpha3/links",
  ];
  const found = await Promise.all(
    lists.map(async (path) => {
      const { items } = await clusters.get<{ readonly items: readonly Named[] }>(cluster, path);
      return items.map(({ metadata }) => `${path} ${metadata.name}`);
    }),
  );
  return found.flat().filter((each) => new RegExp(`[ -]${other}(-|$)`).test(each));
}

interface Named {
  readonly metadata: { readonly name: string };
}

/** As `k3d cluster delete` leaves a kubeconfig. */
async function withoutContext(file: string, name: string): Promise<void> {
  const content = parse(await readFile(file, "utf8")) as Record<string, unknown>;
  const others = (list: unknown) =>
    (list as readonly { readonly name: string }[]).filter((each) => each.name !== name);
  const { clusters: all, contexts, users } = content;
  const rest = { clusters: others(all), contexts: others(contexts), users: others(users) };
  await writeFile(file, stringify({ ...content, ...rest }));
}
