import assert from "node:assert/strict";
import { join } from "node:path";
import { accountName } from "../../engine/credentials/objects.ts";
import { tokenName } from "../../engine/credentials/tokens.ts";
import { until } from "../bed/bed.ts";
import type { Config } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { type Hostile, hostileServer } from "../e2e/hostile.ts";
import { configOf, fillShop, type Name, realMesh } from "./real-mesh.ts";
import { chartsFolder, skipNote } from "./real-plugins.ts";

describe(`a revoked cluster of a whole mesh, with real plugins and charts${skipNote}`, function () {
  this.timeout("30m");

  const mesh = realMesh("revoked", () => config({}));
  let hostile: Hostile | undefined;

  before(async () => {
    await fillShop(mesh.clusters);
    await mesh.stack.pulumi("up", "--yes", "--skip-preview");
  });
  after(() => hostile?.close());

  it("loses its access everywhere, its mirrors and its members, and is not contacted", async () => {
    const { west, east, north } = mesh.clusters;
    const token = await clusters.issuedToken(west, first("east"));
    assert.equal(await clusters.answerTo(west, token, "/api/v1/services"), 200);
    assert.ok(await clusters.serviceIn(north, "shop", "api-east"));
    hostile = await hostileServer("east", east.access, join(mesh.bed.folder, "hostile"));
    await mesh.stack.configure(config({ kubeconfig: hostile.kubeconfig, revoked: true }));
    const preview = await mesh.stack.pulumi("preview", "--diff");
    assert.match(preview, /ClusterRoleBinding linkerd-multicluster-access-east/);
    await mesh.stack.pulumi("up", "--yes", "--skip-preview");
    await until("the end of the token", [], async () => {
      return (await clusters.answerTo(west, token, "/api/v1/services")) === 401 || undefined;
    });
    for (const path of [
      `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${accountName("east")}`,
      `/apis/rbac.authorization.k8s.io/v1/clusterroles/${accountName("east")}`,
      `${clusters.inNamespace("linkerd-multicluster", "serviceaccounts")}/${accountName("east")}`,
      `${clusters.secretsOf}/${first("east")}`,
    ])
      assert.equal((await west.request("GET", path)).code, 404, path);
    assert.equal(await clusters.serviceIn(north, "shop", "api-east"), undefined);
    const shared = await clusters.serviceIn(north, "shop", "shared-federated");
    assert.equal(
      shared?.metadata.annotations?.["multicluster.linkerd.io/remote-discovery"],
      "shared@west",
    );
    const secret = `${clusters.inNamespace("linkerd", "secrets")}/cluster-credentials-east`;
    assert.equal((await north.request("GET", secret)).code, 404);
    // What was in it is as it was, and nobody has asked.
    assert.ok(await clusters.serviceIn(east, "shop", "web-west"));
    assert.equal(hostile.connections(), 0);
  });

  it("is the same in the next run, and then leaves the config without a request", async () => {
    await mesh.stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await mesh.stack.configure(config(undefined));
    await mesh.stack.pulumi("up", "--yes", "--skip-preview");
    assert.doesNotMatch(await mesh.stack.pulumi("stack", "export"), /::east(-|\/|")/);
    assert.equal(hostile?.connections(), 0);
    const release = "/apis/apps/v1/namespaces/linkerd/deployments/linkerd-destination";
    assert.equal((await mesh.clusters.east.request("GET", release)).code, 200);
  });

  const first = (consumer: string) =>
    tokenName(accountName(consumer), { generation: 1, serial: 1 });

  /** @param east more keys of the cluster; undefined: it has left the config */
  function config(east: Config | undefined): Config {
    const pair = (from: Name, to: Name) => ({ source: from, target: to });
    const all = [pair("east", "west"), pair("north", "east"), pair("north", "west")];
    const made = mesh.clusters;
    return {
      manage: "all",
      clusters: {
        west: configOf(made.west),
        north: configOf(made.north),
        ...(east !== undefined && { east: { ...configOf(made.east), ...east } }),
      },
      links: east === undefined ? [pair("north", "west")] : all,
      charts: { source: chartsFolder },
    };
  }
});
