import assert from "node:assert/strict";
import { join } from "node:path";
import { type Bed } from "../../testbed/bed.ts";
import { newStack, type PulumiStack } from "../../testbed/stack.ts";
import { account } from "../components/access-graph.ts";
import * as clusters from "./access-clusters.ts";
import { writeProgram } from "./access-program.ts";
import { addService, serviceIn } from "./objects.ts";
import { type ClusterName, emptyBed } from "./mirroring/shared-bed.ts";

describe("the dynamic resources of a link's access, in a real engine", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let stack: PulumiStack;
  const first = `${account}-token-1-1`;

  before(async () => {
    ({ bed } = await emptyBed());
    await clusters.addNamespaces(bed.clusters.west);
    const sourceAccess = { context: "east", kubeconfig: bed.kubeconfig };
    const question = clusters.question(bed, { sourceAccess });
    const program = await writeProgram(join(bed.folder, "access"), question);
    stack = await newStack(bed, "access-engine", { generation: 1 }, program);
  });

  it("leave the target's facts unknown in a preview of a bare cluster, and show the mirrors", async () => {
    const { west, east } = bed.clusters;
    await clusters.addNamespace(west, "shop");
    await clusters.addNamespace(east, "shop");
    await addService(west, "shop", "web", { labels: { "mirror.linkerd.io/exported": "true" } });
    const stdout = await stack.pulumi("preview", "--diff");
    assert.match(stdout, /linkerd:LinkTarget/);
    assert.match(stdout, /secret +: \[unknown\]/);
    // Where the gateway is to be does not matter for what there will be.
    assert.match(stdout, /shop\/web-west: "gateway mirror of web: .+"/);
    assert.doesNotMatch(stdout, /error/);
  });

  it("find them out in an up", async () => {
    const { west } = bed.clusters;
    await clusters.addLinkerd(west);
    await clusters.addBalancerAddress(west, "192.0.2.7");
    await addToken(first);
    assert.match(
      await stack.pulumi("up", "--yes", "--skip-preview"),
      new RegExp(`token +: "${first}"`),
    );
    assert.ok(await serviceIn(bed.clusters.east, "shop", "web-west"));
  });

  it("show a rotation in the preview, with the reason", async () => {
    await stack.configure({ generation: 2 });
    const stdout = await stack.pulumi("preview", "--diff");
    assert.match(stdout, /token *: "[^"]*-token-1-1" => "[^"]*-token-2-1"/);
    assert.match(stdout, /remark *: "new token: credentialsGeneration changed from 1 to 2"/);
    await addToken(`${account}-token-2-1`);
    await stack.pulumi("up", "--yes", "--skip-preview");
  });

  it("are left alone while the target can't be reached", async () => {
    const { west } = bed.clusters;
    await west.cut();
    try {
      const stdout = await stack.pulumi("preview");
      assert.match(stdout, /link east\/west: kept from the last run, because/);
      assert.doesNotMatch(stdout, /(LinkTarget|TokenCheck) +east\/west +(update|replace|create)/);
    } finally {
      await west.restore();
    }
  });

  it("keep no credential in state, and can be destroyed", async () => {
    const { west } = bed.clusters;
    const state = await stack.pulumi("stack", "export", "--show-secrets");
    assert.match(state, /linkTargets/);
    for (const secret of [
      west.access.token,
      await clusters.issuedToken(west, `${account}-token-2-1`),
    ])
      for (const form of [secret, Buffer.from(secret).toString("base64")])
        assert(!state.includes(form));
    await stack.pulumi("destroy", "--yes", "--skip-preview");
  });

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
