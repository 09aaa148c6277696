import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { accountName } from "../../engine/credentials/objects.ts";
import { tokenName } from "../../engine/credentials/tokens.ts";
import { type BedCluster, until } from "../bed/bed.ts";
import type { Config } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { type Canaries, Search } from "../e2e/canaries.ts";
import { configOf, exported, type Name, type RealMesh, realMesh } from "./real-mesh.ts";
import { chartsFolder, skipNote, withCli } from "./real-plugins.ts";

interface LinkObject {
  readonly status?: {
    readonly mirrorServices?: readonly { readonly remoteRef: { readonly name: string } }[];
  };
}

interface Identified {
  readonly metadata: { readonly uid: string };
}

interface Deployment {
  readonly resources: readonly { urn: string; type: string; provider?: string }[];
}

const discovered = { labels: { "mirror.linkerd.io/exported": "remote-discovery" } };
const links = "/apis/multicluster.linkerd.io/v1alpha3/namespaces/linkerd-multicluster/links";

describe(`a whole mesh, with real plugins and charts${skipNote}`, function () {
  this.timeout("30m");

  const mesh = realMesh("whole", (made) => config(made));

  before(async () => {
    const { west, east } = mesh.clusters;
    await clusters.addService(west, "shop", "web", exported);
    await clusters.addService(west, "shop", "found", discovered);
    await clusters.addService(east, "shop", "shown", exported);
  });

  it("is shown in a preview while there is nothing yet, and nothing is written", async () => {
    const { west } = mesh.clusters;
    const output = await mesh.stack.pulumi("preview", "--diff");
    assert.match(output, /shop\/web-west *: "gateway mirror of web: .+"/);
    assert.equal((await west.request("GET", "/api/v1/namespaces/linkerd")).code, 404);
  });

  it("comes up in one go: Linkerd, the link, its mirrors, and all is in order", async () => {
    const { west, east, north } = mesh.clusters;
    const output = await mesh.stack.pulumi("up", "--yes", "--skip-preview");
    assert.match(output, /health: \d+ passed/);
    const mirror = await clusters.serviceIn(east, "shop", "web-west");
    assert.deepEqual(
      mirror?.spec.ports?.map(({ port }) => port),
      [8080],
    );
    for (const cluster of [west, east, north]) {
      const deployments = "/apis/apps/v1/namespaces/linkerd/deployments/linkerd-destination";
      assert.equal((await cluster.request("GET", deployments)).code, 200);
    }
    const link = await clusters.get<{ readonly spec: Config }>(east, `${links}/west`);
    assert.equal(link.spec["gatewayAddress"], "192.0.2.7");
  });

  it("keeps the status of links that one run makes one after the other", async () => {
    const { east, north } = mesh.clusters;
    const mirrored = async (cluster: BedCluster, target: Name) => {
      const { status } = await clusters.get<LinkObject>(cluster, `${links}/${target}`);
      return status?.mirrorServices?.map(({ remoteRef }) => remoteRef.name);
    };
    assert.deepEqual(await mirrored(east, "west"), ["found", "web"]);
    assert.deepEqual(await mirrored(north, "west"), ["found"]);
    assert.deepEqual(await mirrored(north, "east"), ["shown"]);
  });

  it("is the same afterwards", async () => {
    await mesh.stack.pulumi("preview", "--expect-no-changes");
    await mesh.stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  it("follows what is exported, by a run that touches nothing but mirrors", async () => {
    const { west, east } = mesh.clusters;
    await clusters.addService(west, "shop", "api", exported);
    const output = await mesh.stack.pulumi("up", "--yes", "--skip-preview");
    assert.match(output, /linkerd:Mirrors +east +updated/);
    assert.doesNotMatch(output, /^ *[-+~]+ +(kubernetes|tls):/m);
    assert.ok(await clusters.serviceIn(east, "shop", "api-west"));
  });

  it("gives a link a new token, and everybody who uses it", async () => {
    const { west, east } = mesh.clusters;
    const secret = "/api/v1/namespaces/linkerd/secrets/cluster-credentials-west";
    const before = await clusters.get<Identified>(east, secret);
    await mesh.stack.configure(config(mesh.clusters, { credentialsGeneration: 2 }));
    const output = await mesh.stack.pulumi("up", "--yes", "--skip-preview");
    assert.match(output, /health: \d+ passed/);
    // The destination controller looks at a Secret only when it comes.
    const after = await clusters.get<Identified>(east, secret);
    assert.notEqual(after.metadata.uid, before.metadata.uid);
    const old = tokenName(accountName("east"), { generation: 1, serial: 1 });
    const path = `/api/v1/namespaces/linkerd-multicluster/secrets/${old}`;
    assert.equal((await west.request("GET", path)).code, 404);
  });

  it("keeps every key and token encrypted, and uses no provider but its clusters' own", async () => {
    const { folder, clusters: made } = mesh.bed;
    const file = join(folder, "whole.json");
    await mesh.stack.pulumi("stack", "export", "--file", file);
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
    // The plugin would leave copies of a kubeconfig in the temporary folder if it were given a path.
    const folders = ["pulumi-state", "pulumi-home", "tmp"].map((each) => join(folder, each));
    const found = await Promise.all(folders.map((each) => search.inFolder(each)));
    assert.deepEqual([...search.inText("export", text), ...found.flat()], []);
    const { deployment } = JSON.parse(text) as { readonly deployment: Deployment };
    const objects = deployment.resources.filter(({ type }) => type.startsWith("kubernetes:"));
    assert.ok(objects.length > 0);
    for (const { urn, provider = "" } of objects)
      assert.match(provider, /::(west|east|north)::/, urn);
  });

  it("is gone without a trace of the link when it is destroyed", async () => {
    const { west, east, north } = mesh.clusters;
    await mesh.stack.pulumi("destroy", "--yes", "--skip-preview");
    assert.equal(await clusters.serviceIn(east, "shop", "web-west"), undefined);
    const role = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${accountName("east")}`;
    assert.equal((await west.request("GET", role)).code, 404);
    for (const cluster of [west, east, north])
      await until("namespace linkerd to be gone", [], async () => {
        const { code } = await cluster.request("GET", "/api/v1/namespaces/linkerd");
        return code === 404 ? true : undefined;
      });
  });
});

/** Without what all keys of a kind begin and end with. */
async function issuerKeyOf(cluster: BedCluster): Promise<string> {
  const path = "/api/v1/namespaces/linkerd/secrets/linkerd-identity-issuer";
  const { data } = await clusters.get<{ readonly data: Record<string, string> }>(cluster, path);
  const pem = Buffer.from(data["tls.key"] ?? "", "base64").toString();
  return pem.replaceAll(/-----[A-Z ]+-----|\s/g, "").slice(48, -12);
}

function config({ west, east, north }: RealMesh["clusters"], link: Config = {}): Config {
  return {
    manage: "all",
    clusters: {
      west: configOf(west),
      east: configOf(east),
      north: configOf(north),
    },
    links: [
      { source: "east", target: "west", ...link },
      { source: "north", target: "east" },
      { source: "north", target: "west", gateway: false },
    ],
    linkerdCheck: withCli,
    charts: { source: chartsFolder },
  };
}
