import assert from "node:assert/strict";
import { join } from "node:path";
import type { TargetArgs } from "../../../engine/credentials/state.ts";
import { type Bed } from "../../bed/bed.ts";
import { newStack, type PulumiStack } from "../../bed/stack.ts";
import { account } from "../../components/access-graph.ts";
import * as clusters from "../access-clusters.ts";
import { type ClusterName, emptyBed } from "../mirroring/shared-bed.ts";
import { importedFrom, writeProgramText } from "../written-program.ts";

describe("the dynamic resources of a link's access, in a real engine", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let stack: PulumiStack;
  const first = `${account}-token-1-1`;

  before(async () => {
    ({ bed } = await emptyBed());
    const { west, east } = bed.clusters;
    await clusters.addNamespaces(west);
    for (const cluster of [west, east]) await clusters.addNamespace(cluster, "shop");
    const labels = { "mirror.linkerd.io/exported": "true" };
    await clusters.addService(west, "shop", "web", { labels });
    const folder = join(bed.folder, "access");
    const sourceAccess = { context: "east", kubeconfig: bed.kubeconfig };
    await writeProgram(folder, clusters.question(bed, { sourceAccess }));
    stack = await newStack(bed, "access-engine", { generation: 1 }, folder);
  });

  it("leave the target's facts unknown in a preview of a bare cluster, and show the mirrors", async () => {
    const stdout = await stack.pulumi("preview", "--diff");
    assert.match(stdout, /linkerd:LinkTarget/);
    assert.match(stdout, /secret +: \[unknown\]/);
    // Where the gateway is to be does not matter for what there will be.
    assert.match(stdout, /shop\/web-west: "gateway mirror of web: .+"/);
    assert.doesNotMatch(stdout, /error/);
  });

  it("find them out in an up", async () => {
    const { west, east } = bed.clusters;
    await clusters.addLinkerd(west);
    await clusters.addBalancerAddress(west, "192.0.2.7");
    // As the Kubernetes provider would, between one dynamic resource and the next.
    const accounts = clusters.inNamespace("linkerd-multicluster", "serviceaccounts");
    await west.request("POST", accounts, { metadata: { name: account } });
    await clusters.post(west, clusters.secretsOf, {
      metadata: {
        name: first,
        labels: { "app.kubernetes.io/managed-by": "linkerd-multicluster" },
        annotations: { "kubernetes.io/service-account.name": account },
      },
      type: "kubernetes.io/service-account-token",
    });
    assert.match(
      await stack.pulumi("up", "--yes", "--skip-preview"),
      new RegExp(`token +: "${first}"`),
    );
    assert.ok(await clusters.serviceIn(east, "shop", "web-west"));
  });

  it("show a rotation in the preview, with the reason", async () => {
    await stack.configure({ generation: 2 });
    const stdout = await stack.pulumi("preview", "--diff");
    assert.match(stdout, /token *: "[^"]*-token-1-1" => "[^"]*-token-2-1"/);
    assert.match(stdout, /remark *: "new token: credentialsGeneration changed from 1 to 2"/);
  });

  it("keep no credential in state, and can be destroyed", async () => {
    const { west } = bed.clusters;
    const state = await stack.pulumi("stack", "export", "--show-secrets");
    assert.match(state, /linkTargets/);
    for (const secret of [west.access.token, await clusters.issuedToken(west, first)])
      for (const form of [secret, btoa(secret)]) assert(!state.includes(form));
    await stack.pulumi("destroy", "--yes", "--skip-preview");
  });
});

/** A program of the dynamic resources alone, since the provider of those between them is not to be had here. */
async function writeProgram(folder: string, question: TargetArgs): Promise<void> {
  await writeProgramText(
    folder,
    `
      import * as pulumi from "@pulumi/pulumi";
      import { EngineResource } from ${importedFrom("engine-resource.ts")};
      import { Mirrors } from ${importedFrom("mirrors.ts")};
      const generation = new pulumi.Config().requireNumber("generation");
      const question = ${JSON.stringify(question)};
      const asked = { ...question, rotation: { generation }, facts: undefined };
      export const { facts } = new EngineResource("LinkTarget", "east/west", asked);
      new Mirrors("east", {
        source: "east",
        stack: "access-engine/test",
        links: [{ source: "east", target: "west" }],
        clusters: { west: question.access, east: question.sourceAccess },
        observedGateways: {
          west: facts.apply(({ gateway: { addresses, port, identity } }) =>
            ({ addresses, port, identity })),
        },
      });
      new EngineResource("TokenCheck", "east/west", {
        target: "west",
        access: question.access,
        namespace: question.multiclusterNamespace,
        account: ${JSON.stringify(account)},
        secret: facts.apply(({ token }) => token),
        rules: [],
      });
    `,
  );
}
