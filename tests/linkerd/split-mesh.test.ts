import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Bed } from "../bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { configOf, exported, realBed } from "./real-mesh.ts";
import { chartsFolder, skipNote } from "./real-plugins.ts";

type Names = "west" | "east";
type TheCluster = Bed<Names>["clusters"][Names];

const home = "/api/v1/namespaces/linkerd";

describe(`a mesh of a trust stack and a stack for each cluster, with real plugins and charts${skipNote}`, function () {
  this.timeout("30m");

  const real = realBed(["west", "east"]);
  let trust: PulumiStack;
  let west: PulumiStack;
  let east: PulumiStack;
  let mesh: string;

  before(async () => {
    const { bed } = real;
    mesh = join(bed.folder, "mesh.yaml");
    await writeFile(mesh, stringify(shared(bed)));
    trust = await newStack(bed, "trust", { mesh, manage: "trust", trust: {} });
    west = await newStack(bed, "west", { mesh, sources: ["west"] });
    east = await newStack(bed, "east", { mesh, sources: ["east"] });
    for (const cluster of Object.values(bed.clusters)) await clusters.addNamespace(cluster, "shop");
    await clusters.addService(bed.clusters.west, "shop", "web", exported);
  });

  it("installs nothing while there is no trust, and says what to run", async () => {
    const { code, text } = await east.run(["up", "--yes", "--skip-preview"]);
    assert.notEqual(code, 0);
    assert.match(
      text,
      /trust\.stack: the stack organization\/linkerd-multicluster\/trust exports no trust: run it first/,
    );
    assert.equal((await real.clusters.east.request("GET", home)).code, 404);
  });

  it("comes up whichever stack runs first: one waits for the other", async () => {
    await up(trust);
    assert.equal((await real.clusters.west.request("GET", home)).code, 404);
    const [output] = await Promise.all([up(east), up(west)]);
    assert.match(output, /health: \d+ passed/);
    assert.ok(await clusters.serviceIn(real.clusters.east, "shop", "web-west"));
    const release = "/apis/apps/v1/namespaces/linkerd-multicluster/deployments/linkerd-gateway";
    assert.equal((await real.clusters.west.request("GET", release)).code, 200);
    assert.equal((await real.clusters.east.request("GET", release)).code, 404);
    await trust.pulumi("preview", "--expect-no-changes");
    await west.pulumi("preview", "--expect-no-changes");
  });

  it("goes through a rotation as its stacks run, never ahead of any of them", async () => {
    const both = real.clusters;
    const issuers = { west: await issuerOf(both.west), east: await issuerOf(both.east) };
    await trust.configure({ mesh, manage: "trust", trust: { generation: 2 } });
    assert.match(await up(trust), /Rotation, step 1 of 3: the next run of every cluster's stack/);
    await up(east);
    assert.deepEqual([await anchorsOf(both.east), await anchorsOf(both.west)], [2, 1]);
    assert.match(await up(trust), /Rotation, step 1 of 3/);
    await up(east);
    assert.equal(await issuerOf(both.east), issuers.east);
    await up(west);
    assert.match(await up(trust), /Rotation, step 2 of 3/);
    await up(west);
    assert.notEqual(await issuerOf(both.west), issuers.west);
    assert.equal(await issuerOf(both.east), issuers.east);
    // The next step isn't published while east lacks this one.
    assert.match(await up(trust), /Rotation, step 2 of 3/);
    await up(east);
    assert.notEqual(await issuerOf(both.east), issuers.east);
    assert.deepEqual([await anchorsOf(both.east), await anchorsOf(both.west)], [2, 2]);
  });

  it("keeps every key encrypted, and the anchor's in the stack that created it", async () => {
    for (const stack of [trust, west, east])
      assert.doesNotMatch(await stack.pulumi("stack", "export"), /PRIVATE KEY/);
    const ofEast = await east.pulumi("stack", "export", "--show-secrets");
    assert.match(ofEast, /PRIVATE KEY/);
    assert.doesNotMatch(ofEast, /tls:index\/privateKey/);
  });

  const up = (stack: PulumiStack) => stack.pulumi("up", "--yes", "--skip-preview");
});

async function issuerOf(cluster: TheCluster): Promise<string | undefined> {
  const path = `${home}/secrets/linkerd-identity-issuer`;
  const { data } = await clusters.get<{ readonly data: Record<string, string> }>(cluster, path);
  return data["tls.crt"];
}

function shared({ clusters: { west, east } }: Bed<Names>): Config {
  return {
    clusters: {
      west: configOf(west),
      east: configOf(east),
    },
    links: [{ source: "east", target: "west" }],
    trust: { stack: "organization/linkerd-multicluster/trust" },
    charts: { source: chartsFolder },
  };
}

/** Counts the certificates in the bundle that a cluster trusts. */
async function anchorsOf(cluster: TheCluster): Promise<number> {
  const path = `${clusters.inNamespace("linkerd", "configmaps")}/linkerd-identity-trust-roots`;
  const { data } = await clusters.get<{ readonly data: Record<string, string> }>(cluster, path);
  return (data["ca-bundle.crt"] ?? "").split("-----BEGIN CERTIFICATE-----").length - 1;
}
