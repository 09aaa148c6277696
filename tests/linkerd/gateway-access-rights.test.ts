import assert from "node:assert/strict";

import { execa } from "execa";
import { parseAllDocuments } from "yaml";

import { until } from "../bed/bed.ts";
import { notOnPath } from "../bed/path.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { manifests, rightsUsed } from "../e2e/runner-account.ts";
import { accepting, authorizationPolicies, gateOf, routes, server } from "./accepted-routes.ts";
import { linksConfig, prepareClusters, runnersKubeconfig } from "./links-runner.ts";
import { exported, realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";

const lacking = await notOnPath(["linkerd"]);
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const role =
  "/apis/rbac.authorization.k8s.io/v1/namespaces/linkerd-multicluster/roles/linkerd-multicluster-gateway-access-up";

interface Rule {
  readonly verbs: readonly string[];
}

/** Linkerd itself isn't there, but its CRDs are. */
describe(`a closed gateway with only the rights of examples/rbac, with real plugins${skipNote}`, function () {
  this.timeout("15m");

  const real = realBed(["west", "east"]);
  let stack: PulumiStack;
  let kubeconfig: string;

  before(async function () {
    if (lacking.length > 0) return this.skip();
    const { west } = real.clusters;
    const both = ["preview.yaml", "preview-mesh.yaml", "preview-secrets.yaml", "links.yaml"];
    await prepareClusters(real.clusters, {
      west: manifests(...both, "gateway-access.yaml"),
      east: manifests(...both, "up.yaml"),
    });
    const { stdout } = await execa("linkerd", ["install", "--crds", "--ignore-cluster"]);
    for (const document of parseAllDocuments(stdout))
      if (document.contents !== null) await clusters.post(west, crds, document.toJS());
    const policy = {
      apiVersion: "policy.linkerd.io/v1alpha1",
      kind: "AuthorizationPolicy",
      metadata: { name: "linkerd-gateway" },
      spec: { targetRef: server, requiredAuthenticationRefs: [] },
    };
    const authentications = authorizationPolicies.replace(/[a-z]+$/, "meshtlsauthentications");
    for (const each of [authorizationPolicies, authentications, routes])
      await until(
        each,
        [],
        async () => (await west.request("GET", each)).code === 200 || undefined,
      );
    await clusters.post(west, authorizationPolicies, policy);
    await clusters.addService(west, "shop", "web", exported);
    await clusters.addService(west, "shop", "secret", { labels: {} });
    kubeconfig = await runnersKubeconfig(real.clusters, real.bed.folder);
    stack = await newStack(real.bed, "gateway-access", config());
  });

  it("is closed, follows the exports and is opened by destroy, and lacks no right", async () => {
    const { west, east } = real.clusters;
    const up = () => stack.run(["up", "--yes", "--skip-preview"]);
    await accepting(west, () =>
      rightsUsed(real.bed, async () => {
        assert.match(await stack.pulumi("preview"), /west: \+ shop\/web: east/);
        // Health fails, since Linkerd itself isn't there.
        const { text } = await up();
        assert.ok(await clusters.serviceIn(east, "shop", "web-west"), text);
        assert.deepEqual(await gateOf(west), [true, ["web"]], text);
        await clusters.addService(west, "shop", "api", exported);
        const labels = { "mirror.linkerd.io/exported": null };
        const service = clusters.inNamespace("shop", "services/web");
        await west.request("PATCH", service, { metadata: { labels } });
        await stack.configure(config({ maxDeletions: 0 }));
        await up();
        assert.deepEqual(await gateOf(west), [true, ["api", "web"]]);
        await stack.configure(config({ allowDeletions: true }));
        assert.match((await up()).text, /west: - shop\/web: east/);
        assert.deepEqual(await gateOf(west), [true, ["api"]]);
        await stack.pulumi("destroy", "--yes", "--skip-preview");
        assert.deepEqual(await gateOf(west), [false, []]);
      }),
    );
  });

  it("is as it was after destroy, although the first run could not close it", async () => {
    const { west } = real.clusters;
    const rules = async (change: (all: readonly Rule[]) => readonly Rule[]) => {
      const before = await clusters.get<{ readonly rules: readonly Rule[] }>(west, role);
      await west.request("PATCH", role, { rules: change(before.rules) });
      return before.rules;
    };
    const up = () => stack.run(["up", "--yes", "--skip-preview"]);
    await accepting(west, async () => {
      await stack.configure(config());
      const all = await rules((given) => given.filter(({ verbs }) => !verbs.includes("patch")));
      const { text } = await up();
      assert.match(text, /patch .*linkerd-gateway/i);
      assert.deepEqual(await gateOf(west), [false, ["api"]]);
      assert.match(await stack.pulumi("stack", "export"), /west\/take/);
      await rules(() => all);
      await stack.pulumi("destroy", "--yes", "--skip-preview");
      assert.deepEqual(await gateOf(west), [false, []]);
    });
  });

  function config(change: Config = {}): Config {
    const target = { gatewayAccess: "exported" };
    return linksConfig(real.clusters, kubeconfig, { link: change, target });
  }
});
