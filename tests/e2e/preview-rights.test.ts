import assert from "node:assert/strict";
import { join } from "node:path";
import { preflight } from "../../components/preflight.ts";
import { type Bed } from "../../testbed/bed.ts";
import { writeKubeconfig } from "../../testbed/kubeconfig.ts";
import { addLinkCrd } from "../../testbed/links.ts";
import { newStack, type PulumiStack } from "../../testbed/stack.ts";
import { configOf } from "../unit/config/table.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";
import * as clusters from "./access-clusters.ts";
import { writeProgram } from "./access-program.ts";
import { addService } from "./objects.ts";
import { accessOf, grant, manifests, rightsIn, rightsUsed } from "./runner-account.ts";
import { type ClusterName, emptyBed } from "./mirroring/shared-bed.ts";

describe("a preview with manage: links and all that has the rights of examples/rbac and no others", function () {
  this.timeout("20m");

  let bed: Bed<ClusterName>;
  let kubeconfig: string;
  let stack: PulumiStack;

  before(async () => {
    ({ bed } = await emptyBed());
    const { west, east } = bed.clusters;
    const anchor = authority();
    for (const cluster of [west, east]) {
      await clusters.addNamespaces(cluster);
      await clusters.addNamespace(cluster, "shop");
      await addLinkCrd(cluster);
      await clusters.addLinkerd(cluster);
      await clusters.addBalancerAddress(cluster, "192.0.2.7");
      await clusters.post(cluster, clusters.inNamespace("linkerd", "configmaps"), {
        metadata: { name: "linkerd-identity-trust-roots" },
        data: { "ca-bundle.crt": anchor.pem },
      });
      await clusters.post(cluster, clusters.inNamespace("linkerd", "secrets"), {
        metadata: { name: "linkerd-identity-issuer" },
        stringData: { "tls.crt": issuerUnder(anchor).pem },
      });
      for (const file of ["preview.yaml", "preview-mesh.yaml"])
        for (const manifest of await manifests(file)) await grant(cluster, manifest);
    }
    await addService(west, "shop", "web", { labels: { "mirror.linkerd.io/exported": "true" } });
    kubeconfig = join(bed.folder, "reader");
    const named = [west, east].map(async (cluster) => ({
      name: cluster.name,
      access: await accessOf(cluster, "preview"),
    }));
    await writeKubeconfig(kubeconfig, await Promise.all(named));
    const access = { context: "west", kubeconfig };
    const sourceAccess = { context: "east", kubeconfig };
    const question = clusters.question(bed, { access, sourceAccess });
    const program = await writeProgram(join(bed.folder, "preview"), question);
    stack = await newStack(bed, "preview", { generation: 1 }, program);
  });

  it("shows mirrors without the right to read Secrets, and says what it can't know", async () => {
    const refused = ["get secrets", "list secrets"];
    await rightsUsed(
      bed,
      async () => {
        const text = await stack.pulumi("preview", "--diff");
        assert.match(text, /shop\/web-west: "gateway mirror of web: .+"/);
        assert.match(
          text,
          /cluster west refuses to list secrets in namespace linkerd-multicluster/,
        );
        const { trust } = await preflight(config());
        assert.deepEqual(
          [...trust.values()].map(({ state }) => state),
          ["unreadable", "unreadable"],
        );
      },
      refused,
    );
  });

  it("shows tokens and trust with the right to read these two kinds of them", async () => {
    const secrets = await manifests("preview-secrets.yaml");
    for (const cluster of [bed.clusters.west, bed.clusters.east])
      for (const manifest of secrets) await grant(cluster, manifest);
    const used = await rightsUsed(bed, async () => {
      const text = await stack.pulumi("preview", "--diff");
      assert.match(text, /token *: "linkerd-multicluster-access-east-token-1-1"/);
      const { trust, warnings } = await preflight(config());
      assert.deepEqual(
        [...trust.values()].map(({ state }) => state),
        ["present", "present"],
      );
      assert.deepEqual(warnings, []);
    });
    const granted = rightsIn([
      ...(await manifests("preview.yaml")),
      ...(await manifests("preview-mesh.yaml")),
      ...secrets,
    ]);
    assert.deepEqual(
      [...used].filter((right) => !granted.has(right)),
      [],
    );
    const needed = rightsIn([...(await manifests("preview-mesh.yaml")), ...secrets]);
    // While a rotation goes on.
    assert.deepEqual(
      [...needed].filter((right) => !used.has(right)),
      ["list pods"],
    );
  });

  function config() {
    return configOf({
      trustDomain: "trust.example",
      clusters: { west: { kubeconfig, context: "west" }, east: { kubeconfig, context: "east" } },
    });
  }
});
