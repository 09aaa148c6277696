import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import { execa } from "execa";
import { parseAllDocuments } from "yaml";

import { until } from "../bed/bed.ts";
import { notOnPath } from "../bed/path.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { manifests, rightsUsed } from "../e2e/runner-account.ts";
import { linksConfig, prepareClusters, runnersKubeconfig } from "./links-runner.ts";
import { exported, realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";

const lacking = await notOnPath(["linkerd"]);
const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const policies = "/apis/policy.linkerd.io/v1alpha1/namespaces/linkerd-multicluster";
const chartPolicy = `${policies}/authorizationpolicies/linkerd-gateway`;
const routes = `${policies.replace("v1alpha1", "v1beta3")}/httproutes`;

interface Policy {
  readonly spec: { readonly targetRef: { readonly kind: string } };
}

interface Routes {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly hostnames?: readonly string[] };
    readonly status?: object;
  }[];
}

/** Linkerd itself isn't there, but its CRDs are. */
describe(`a closed gateway with only the rights of examples/rbac, with real plugins${skipNote}`, function () {
  this.timeout("15m");

  const real = realBed(["west", "east"]);
  let stack: PulumiStack;
  let kubeconfig: string;
  let isOver = false;

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
    const server = { group: "policy.linkerd.io", kind: "Server", name: "linkerd-gateway" };
    const policy = {
      apiVersion: "policy.linkerd.io/v1alpha1",
      kind: "AuthorizationPolicy",
      metadata: { name: "linkerd-gateway" },
      spec: { targetRef: server, requiredAuthenticationRefs: [] },
    };
    const path = `${policies}/authorizationpolicies`;
    for (const each of [path, `${policies}/meshtlsauthentications`, routes])
      await until(
        each,
        [],
        async () => (await west.request("GET", each)).code === 200 || undefined,
      );
    await clusters.post(west, path, policy);
    await clusters.addService(west, "shop", "web", exported);
    await clusters.addService(west, "shop", "secret", { labels: {} });
    kubeconfig = await runnersKubeconfig(real.clusters, real.bed.folder);
    stack = await newStack(real.bed, "gateway-access", config());
  });

  it("is closed, follows the exports and is opened by destroy, and lacks no right", async () => {
    const { west, east } = real.clusters;
    const up = () => stack.run(["up", "--yes", "--skip-preview"]);
    const accepting = accept();
    try {
      await rightsUsed(real.bed, async () => {
        assert.match(await stack.pulumi("preview"), /west: \+ shop\/web: east/);
        // Health fails, since Linkerd itself isn't there.
        const { text } = await up();
        assert.ok(await clusters.serviceIn(east, "shop", "web-west"), text);
        assert.deepEqual([await targetKind(), await hostnames()], ["HTTPRoute", ["web"]], text);
        await clusters.addService(west, "shop", "api", exported);
        const labels = { "mirror.linkerd.io/exported": null };
        const service = clusters.inNamespace("shop", "services/web");
        await west.request("PATCH", service, { metadata: { labels } });
        await stack.configure(config({ maxDeletions: 0 }));
        await up();
        assert.deepEqual(await hostnames(), ["api", "web"]);
        await stack.configure(config({ allowDeletions: true }));
        assert.match((await up()).text, /west: - shop\/web: east/);
        assert.deepEqual(await hostnames(), ["api"]);
        await stack.pulumi("destroy", "--yes", "--skip-preview");
        assert.deepEqual([await targetKind(), await hostnames()], ["Server", []]);
      });
    } finally {
      isOver = true;
      await accepting;
    }
  });

  async function targetKind(): Promise<string> {
    const { spec } = await clusters.get<Policy>(real.clusters.west, chartPolicy);
    return spec.targetRef.kind;
  }

  async function hostnames(): Promise<readonly string[]> {
    const { items } = await clusters.get<Routes>(real.clusters.west, routes);
    const all = items.flatMap(({ spec }) => spec.hostnames ?? []);
    return all.map((host) => host.replace(".shop.svc.cluster.local", "")).sort();
  }

  /** Accepts routes, as Linkerd's policy controller does. */
  async function accept(): Promise<void> {
    const { west } = real.clusters;
    const parentRef = { group: "policy.linkerd.io", kind: "Server", name: "linkerd-gateway" };
    const lastTransitionTime = new Date().toISOString();
    const accepted = { type: "Accepted", status: "True", reason: "Accepted", message: "" };
    const conditions = [{ ...accepted, lastTransitionTime }];
    const parents = [{ controllerName: "linkerd.io/policy-controller", parentRef, conditions }];
    while (!isOver) {
      const { items } = await clusters.get<Routes>(west, routes);
      for (const { metadata, status } of items)
        if (status === undefined)
          await west.request("PATCH", `${routes}/${metadata.name}/status`, { status: { parents } });
      await sleep(100);
    }
  }

  function config(change: Config = {}): Config {
    const target = { gatewayAccess: "exported" };
    return linksConfig(real.clusters, kubeconfig, { link: change, target });
  }
});
