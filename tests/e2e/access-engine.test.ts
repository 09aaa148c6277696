import assert from "node:assert/strict";
import { programVersion } from "../../engine/version.ts";
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Bed, startBed } from "../../testbed/bed.ts";
import { account } from "../components/access-graph.ts";
import * as clusters from "./access-clusters.ts";
import { addLink, addLinkCrd, linksPath } from "./link-crd.ts";
import { addNamespace, addService, serviceIn } from "./objects.ts";

const run = promisify(execFile);
const repository = join(import.meta.dirname, "..", "..");

describe("the dynamic resources of a link's access, in a real engine", function () {
  this.timeout("20m");

  let bed: Bed<"west" | "east">;
  let cwd: string;
  const first = `${account}-token-1-1`;

  before(async () => {
    const workloads = false;
    bed = await startBed({
      clusters: [
        { name: "west", workloads },
        { name: "east", workloads },
      ],
    });
    await clusters.addNamespaces(bed.clusters.west);
    cwd = await writeProgram(join(bed.folder, "access"), bed);
    await pulumi("stack", "init", "test");
  });
  after(() => bed.stop());

  it("leave the target's facts unknown in a preview of a bare cluster, and show the mirrors", async () => {
    const { west, east } = bed.clusters;
    await addNamespace(west, "shop");
    await addNamespace(east, "shop");
    await addService(west, "shop", "web", { labels: { "mirror.linkerd.io/exported": "true" } });
    const stdout = await pulumi("preview", "--diff");
    assert.match(stdout, /linkerd:LinkTarget/);
    assert.match(stdout, /secret +: \[unknown\]/);
    // Where the gateway is to be does not matter for what there will be.
    assert.match(stdout, /shop\/web-west: "gateway mirror of web: .+"/);
    assert.doesNotMatch(stdout, /error/);
  });

  it("refuse a link that somebody else has made, in a preview, with the way out", async () => {
    const { east } = bed.clusters;
    await addLinkCrd(east);
    await clusters.post(east, linksPath, {
      apiVersion: "multicluster.linkerd.io/v1alpha3",
      kind: "Link",
      metadata: {
        name: "west",
        annotations: { "linkerd.io/created-by": "linkerd/cli edge-26.8.3" },
      },
      spec: { targetClusterName: "west", clusterCredentialsSecret: "creds" },
    });
    await assert.rejects(pulumi("preview"), {
      stdout:
        /Link east\/linkerd-multicluster\/west already exists, created by linkerd\/cli edge-26\.8\.3 and not by this stack: .*kubectl --context east delete --ignore-not-found --namespace linkerd-multicluster links\/west secrets\/creds; kubectl .* --namespace linkerd secrets\/creds\), and run again/,
    });
    const annotations = { "linkerd.io/created-by": programVersion };
    await east.request("PATCH", `${linksPath}/west`, { metadata: { annotations } });
    await assert.rejects(pulumi("preview"), {
      stdout: /created by another stack of this program: remove the link from that stack first/,
    });
    assert.equal((await east.request("DELETE", `${linksPath}/west`)).code, 200);
  });

  it("find them out in an up, and nothing to do in the next", async () => {
    const { west } = bed.clusters;
    await clusters.addLinkerd(west);
    await clusters.addBalancerAddress(west, "192.0.2.7");
    await addToken(first);
    assert.match(await pulumi("up", "--yes", "--skip-preview"), new RegExp(`token +: "${first}"`));
    assert.ok(await serviceIn(bed.clusters.east, "shop", "web-west"));
    // From now on it is the stack's own.
    await addLink(bed.clusters.east, "west");
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await pulumi("preview", "--expect-no-changes");
  });

  it("show a rotation in the preview, with the reason", async () => {
    await pulumi("config", "set", "generation", "2");
    const stdout = await pulumi("preview", "--diff");
    assert.match(stdout, /token *: "[^"]*-token-1-1" => "[^"]*-token-2-1"/);
    assert.match(stdout, /remark *: "new token: credentialsGeneration changed from 1 to 2"/);
    await addToken(`${account}-token-2-1`);
    await pulumi("up", "--yes", "--skip-preview");
    await pulumi("preview", "--expect-no-changes");
  });

  it("are left alone while the target can't be reached", async () => {
    const { west } = bed.clusters;
    await west.cut();
    try {
      const stdout = await pulumi("preview");
      assert.match(stdout, /link east\/west: kept from the last run, because/);
      assert.doesNotMatch(stdout, /(LinkTarget|TokenCheck) +east\/west +(update|replace|create)/);
    } finally {
      await west.restore();
    }
  });

  it("keep no credential in state, and can be destroyed", async () => {
    const { west } = bed.clusters;
    await pulumi("stack", "export", "--show-secrets", "--file", "state.json");
    const state = await readFile(join(cwd, "state.json"), "utf8");
    assert.match(state, /linkTargets/);
    for (const secret of [
      west.access.token,
      await clusters.issuedToken(west, `${account}-token-2-1`),
    ])
      for (const form of [secret, Buffer.from(secret).toString("base64")])
        assert(!state.includes(form));
    await pulumi("destroy", "--yes", "--skip-preview");
  });

  async function pulumi(...args: readonly string[]): Promise<string> {
    const { stdout, stderr } = await run("pulumi", [...args], { cwd, env: bed.env });
    return stdout + stderr;
  }

  /** As the Kubernetes provider would, between one dynamic resource and the next. */
  async function addToken(name: string): Promise<void> {
    const { west } = bed.clusters;
    const accounts = clusters.inNamespace("linkerd-multicluster", "serviceaccounts");
    await west.request("POST", accounts, { metadata: { name: account } });
    await clusters.post(west, clusters.secretsOf, {
      metadata: {
        name,
        labels: { "app.kubernetes.io/managed-by": "linkerd-multicluster" },
        annotations: { "kubernetes.io/service-account.name": account },
      },
      type: "kubernetes.io/service-account-token",
    });
  }
});

/** The dynamic resources alone, since the provider of those between them is not to be had here. */
async function writeProgram(folder: string, bed: Bed<"west" | "east">): Promise<string> {
  await mkdir(folder);
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
  const sourceAccess = { context: "east", kubeconfig: bed.kubeconfig };
  const { rotation, ...question } = clusters.question(bed, { sourceAccess });
  const files = {
    "Pulumi.yaml":
      "name: access\nmain: index.ts\nruntime: {name: nodejs, options: {typescript: false}}\n",
    "package.json": JSON.stringify({ type: "module", main: "index.ts" }),
    "index.ts": `
      import * as pulumi from "@pulumi/pulumi";
      import { LinkTarget } from ${JSON.stringify(join(repository, "components/link-target.ts"))};
      import { Mirrors } from ${JSON.stringify(join(repository, "components/mirrors.ts"))};
      import { TokenCheck } from ${JSON.stringify(join(repository, "components/token-check.ts"))};
      const generation = new pulumi.Config().getNumber("generation") ?? ${rotation.generation};
      const question = ${JSON.stringify(question)};
      const target = new LinkTarget("east/west", { ...question, rotation: { generation } });
      export const { facts } = target;
      new Mirrors("east/west", {
        link: { source: "east", target: "west" },
        clusters: { west: question.access, east: question.sourceAccess },
        gatewaySeen: facts.apply(({ gateway: { addresses, port, identity } }) =>
          ({ addresses, port, identity })),
      });
      new TokenCheck("east/west", {
        target: "west",
        access: question.access,
        namespace: question.multiclusterNamespace,
        account: ${JSON.stringify(account)},
        secret: facts.apply(({ token }) => token),
        rules: [],
      });
    `,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}
