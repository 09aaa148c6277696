import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { accountName, tokenName } from "../../engine/credentials/objects.ts";
import { type BedCluster, until } from "../bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { type Canaries, Search } from "../e2e/canaries.ts";
import { type Hostile, hostileServer } from "../e2e/hostile.ts";
import { exported, realBed } from "./real-mesh.ts";
import { skipNote, withCli } from "./real-plugins.ts";
import {
  type Change,
  isInstalled,
  issuerKeyOf,
  issuesTokens,
  linkerdConfig,
  type Named,
  traces,
  wholeMesh,
  withoutContext,
} from "./whole-mesh.ts";

interface LinkObject {
  readonly status?: {
    readonly mirrorServices?: readonly { readonly remoteRef: { readonly name: string } }[];
  };
}

interface Deployment {
  readonly resources: readonly { urn: string; type: string; provider?: string }[];
}

const discovered = { labels: { "mirror.linkerd.io/exported": "remote-discovery" } };
const member = { labels: { "mirror.linkerd.io/federated": "member" } };
const links = "/apis/multicluster.linkerd.io/v1alpha3/namespaces/linkerd-multicluster/links";
const credentials = (target: string) =>
  `${clusters.inNamespace("linkerd", "secrets")}/cluster-credentials-${target}`;
const token = (consumer: string, generation: number) =>
  tokenName(accountName(consumer), { generation, serial: 1 });

/** Each test continues from the one before. */
describe(`a whole mesh, with real plugins and charts${skipNote}`, function () {
  this.timeout("30m");

  const mesh = realBed(["west", "east", "north"]);
  let stack: PulumiStack;
  let hostile: Hostile | undefined;
  const up = () => stack.pulumi("up", "--yes", "--skip-preview");

  before(async () => {
    const { west, east } = mesh.clusters;
    stack = await newStack(
      mesh.bed,
      "whole",
      config({ logLevel: "info", generation: 1, linkerdCheck: withCli }),
    );
    for (const cluster of Object.values(mesh.clusters))
      await clusters.addNamespace(cluster, "shop");
    await clusters.addService(west, "shop", "web", exported);
    await clusters.addService(west, "shop", "found", discovered);
    await clusters.addService(east, "shop", "shown", exported);
    for (const cluster of [east, west])
      await clusters.addService(cluster, "shop", "shared", member);
  });
  after(() => hostile?.close());

  it("is shown in a preview before anything exists, and nothing is written", async () => {
    const { west } = mesh.clusters;
    const output = await stack.pulumi("preview", "--diff");
    assert.match(output, /shop\/web-west *: "gateway mirror of web: .+"/);
    assert.equal((await west.request("GET", "/api/v1/namespaces/linkerd")).code, 404);
  });

  it("is created by one up: Linkerd, the link and its mirrors, and all checks pass", async () => {
    const { west, east, north } = mesh.clusters;
    assert.match(await up(), /health: \d+ passed/);
    const mirror = await clusters.serviceIn(east, "shop", "web-west");
    assert.deepEqual(
      mirror?.spec.ports?.map(({ port }) => port),
      [8080],
    );
    for (const cluster of [west, east, north]) assert.equal(await isInstalled(cluster), true);
    const link = await clusters.get<{ readonly spec: Config }>(east, `${links}/west`);
    assert.equal(link.spec["gatewayAddress"], "192.0.2.7");
  });

  it("has one trust domain, whatever the domains of its clusters", async () => {
    const { east, north } = mesh.clusters;
    const path = clusters.inNamespace("linkerd-multicluster", "services");
    const gateway = await clusters.get<Named>(east, `${path}/linkerd-gateway`);
    assert.equal(
      gateway.metadata.annotations["mirror.linkerd.io/gateway-identity"],
      "linkerd-gateway.linkerd-multicluster.serviceaccount.identity.linkerd.cluster.local",
    );
    const { annotations } = (await clusters.get<Named>(north, credentials("east"))).metadata;
    assert.equal(annotations["multicluster.linkerd.io/trust-domain"], "cluster.local");
    assert.equal(annotations["multicluster.linkerd.io/cluster-domain"], "east.example");
  });

  it("has the right status on Links that one run creates one after the other", async () => {
    const { east, north } = mesh.clusters;
    const mirrored = async (cluster: BedCluster, target: string) => {
      const { status } = await clusters.get<LinkObject>(cluster, `${links}/${target}`);
      return status?.mirrorServices?.map(({ remoteRef }) => remoteRef.name);
    };
    assert.deepEqual(await mirrored(east, "west"), ["found", "web"]);
    assert.deepEqual(await mirrored(north, "west"), ["found"]);
    assert.deepEqual(await mirrored(north, "east"), ["shown"]);
  });

  it("needs no changes afterwards", async () => {
    await stack.pulumi("preview", "--expect-no-changes");
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  it("follows new exports in a run that changes only mirrors", async () => {
    const { west, east } = mesh.clusters;
    await clusters.addService(west, "shop", "api", exported);
    const output = await up();
    assert.match(output, /linkerd:Mirrors +east +updated/);
    assert.doesNotMatch(output, /^ *[-+~]+ +(kubernetes|tls):/m);
    assert.ok(await clusters.serviceIn(east, "shop", "api-west"));
  });

  it("updates the other clusters while one is down", async () => {
    const { west, east, north } = mesh.clusters;
    await east.cut();
    await clusters.addService(west, "shop", "more", discovered);
    await stack.configure(config());
    assert.match(await up(), /Linkerd in cluster east stays as it is until a run reaches/);
    assert.ok(await clusters.serviceIn(north, "shop", "more-west"));
    assert.ok(await clusters.serviceIn(north, "shop", "shown-east"));
    assert.match(await linkerdConfig(west), /^controllerLogLevel: debug$/m);
    // North already uses its new token. The old one of east stays, since east would have none without it.
    await clusters.issuedToken(west, token("north", 2));
    await clusters.issuedToken(west, token("east", 1));
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  it("catches up once the cluster is back, and gives its link the new token", async () => {
    const { west, east } = mesh.clusters;
    await east.restore();
    await issuesTokens(east);
    const before = await clusters.get<Named>(east, credentials("west"));
    assert.match(await up(), /health: \d+ passed/);
    assert.ok(await clusters.serviceIn(east, "shop", "more-west"));
    assert.match(await linkerdConfig(east), /^controllerLogLevel: debug$/m);
    // The destination controller reads a Secret only when it is created.
    const after = await clusters.get<Named>(east, credentials("west"));
    assert.notEqual(after.metadata.uid, before.metadata.uid);
    await clusters.issuedToken(west, token("east", 2));
    const old = `${clusters.secretsOf}/${token("east", 1)}`;
    assert.equal((await west.request("GET", old)).code, 404);
  });

  it("keeps every key and token encrypted, and uses no provider but its clusters' own", async () => {
    const { folder, clusters: made } = mesh.bed;
    const file = join(folder, "whole.json");
    await stack.pulumi("stack", "export", "--file", file);
    const text = await readFile(file, "utf8");
    const token = await clusters.issuedToken(
      made.west,
      tokenName(accountName("east"), { generation: 2, serial: 1 }),
    );
    assert.ok(!text.includes("PRIVATE KEY"));
    const kept = await Promise.all(
      Object.entries(made).map(async ([name, cluster]) => [
        [`the runner's token of ${name}`, cluster.access.token],
        [`the issuer's key of ${name}`, await issuerKeyOf(cluster)],
      ]),
    );
    const canaries = Object.fromEntries([["a link's token", token], ...kept.flat()]) as Canaries;
    const search = new Search(canaries);
    // If the plugin got a path, it would leave copies of the kubeconfig in the temporary folder.
    const folders = ["pulumi-state", "pulumi-home", "tmp"].map((each) => join(folder, each));
    const found = await Promise.all(folders.map((each) => search.inFolder(each)));
    assert.deepEqual([...search.inText("export", text), ...found.flat()], []);
    const { deployment } = JSON.parse(text) as { readonly deployment: Deployment };
    const objects = deployment.resources.filter(({ type }) => type.startsWith("kubernetes:"));
    assert.ok(objects.length > 0);
    for (const { urn, provider = "" } of objects)
      assert.match(provider, /::(west|east|north)::/, urn);
  });

  it("removes all access, mirrors and members of a revoked cluster, and doesn't contact it", async () => {
    const { west, east, north } = mesh.clusters;
    const issued = await clusters.issuedToken(west, token("east", 2));
    const answer = () => clusters.answerTo(west, issued, "/api/v1/services");
    assert.equal(await answer(), 200);
    // A user tries this first while the cluster is down, and it succeeds in part.
    await east.cut();
    await stack.configure(config({ east: undefined }));
    assert.notEqual((await stack.run(["up", "--yes", "--skip-preview"])).code, 0);
    await east.restore();
    hostile = await hostileServer("east", east.access, join(mesh.bed.folder, "hostile"));
    const { kubeconfig } = hostile;
    await stack.configure(config({ east: { kubeconfig, revoked: true } }));
    await up();
    await until("the end of the token", [], async () => (await answer()) === 401 || undefined);
    for (const cluster of [west, north])
      assert.deepEqual(await traces(cluster, "east"), [], cluster.name);
    const shared = await clusters.serviceIn(north, "shop", "shared-federated");
    assert.equal(
      shared?.metadata.annotations?.["multicluster.linkerd.io/remote-discovery"],
      "shared@west",
    );
    assert.ok(await clusters.serviceIn(east, "shop", "web-west"));
    assert.equal(hostile.connections(), 0);
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  it("lets a revoked cluster's context and config go without a request", async () => {
    await withoutContext(mesh.bed.kubeconfig, "east");
    await stack.configure(config({ east: { revoked: true } }));
    await up();
    await stack.configure(config({ east: undefined }));
    await up();
    assert.doesNotMatch(await stack.pulumi("stack", "export"), /::east(-|\/|")/);
    assert.equal(hostile?.connections(), 0);
    assert.equal(await isInstalled(mesh.clusters.east), true);
  });

  it("leaves no trace of the link when it is destroyed", async () => {
    const { west, north } = mesh.clusters;
    await stack.pulumi("destroy", "--yes", "--skip-preview");
    assert.equal(await clusters.serviceIn(north, "shop", "more-west"), undefined);
    const role = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${accountName("north")}`;
    assert.equal((await west.request("GET", role)).code, 404);
    for (const cluster of [west, north])
      await until("namespace linkerd to be gone", [], async () => {
        const { code } = await cluster.request("GET", "/api/v1/namespaces/linkerd");
        return code === 404 ? true : undefined;
      });
  });

  function config(change?: Change): Config {
    return wholeMesh(mesh.clusters, change);
  }
});
