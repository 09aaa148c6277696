import assert from "node:assert/strict";
import { join } from "node:path";
import { accountName } from "../../engine/credentials/objects.ts";
import { tokenName } from "../../engine/credentials/tokens.ts";
import { type Bed, startBed, until } from "../../testbed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../../testbed/stack.ts";
import * as clusters from "./access-clusters.ts";
import { type Hostile, hostileServer } from "./hostile.ts";
import { addNamespace, addService, serviceIn } from "./objects.ts";
import { arePluginsReal, chartsFolder, skipNote } from "./real-plugins.ts";

type Names = "west" | "east" | "north";

const exported = { labels: { "mirror.linkerd.io/exported": "true" } };
const member = { labels: { "mirror.linkerd.io/federated": "member" } };

describe(`a revoked cluster of a whole mesh, with real plugins and charts${skipNote}`, function () {
  this.timeout("30m");

  let bed: Bed<Names>;
  let stack: PulumiStack;
  let hostile: Hostile | undefined;

  before(async function () {
    if (!arePluginsReal) return this.skip();
    bed = await startBed({ clusters: ["west", "east", "north"] });
    stack = await newStack(bed, "revoked", config({}));
    for (const cluster of Object.values(bed.clusters)) await addNamespace(cluster, "shop");
    const { west, east } = bed.clusters;
    await addService(west, "shop", "web", exported);
    await addService(east, "shop", "api", exported);
    await addService(east, "shop", "shared", member);
    await addService(west, "shop", "shared", member);
    await stack.pulumi("up", "--yes", "--skip-preview");
  });
  after(async () => {
    await hostile?.close();
    if (arePluginsReal) await bed.stop();
  });

  it("loses its access everywhere, its mirrors and its members, and is not contacted", async () => {
    const { west, east, north } = bed.clusters;
    const token = await clusters.issuedToken(west, first("east"));
    assert.equal(await clusters.answerTo(west, token, "/api/v1/services"), 200);
    assert.ok(await serviceIn(north, "shop", "api-east"));
    hostile = await hostileServer("east", east.access, join(bed.folder, "hostile"));
    await stack.configure(config({ kubeconfig: hostile.kubeconfig, revoked: true }));
    const preview = await stack.pulumi("preview", "--diff");
    assert.match(preview, /ClusterRoleBinding linkerd-multicluster-access-east/);
    await stack.pulumi("up", "--yes", "--skip-preview");
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
    assert.equal(await serviceIn(north, "shop", "api-east"), undefined);
    const shared = await serviceIn(north, "shop", "shared-federated");
    assert.equal(
      shared?.metadata.annotations?.["multicluster.linkerd.io/remote-discovery"],
      "shared@west",
    );
    const secret = `${clusters.inNamespace("linkerd", "secrets")}/cluster-credentials-east`;
    assert.equal((await north.request("GET", secret)).code, 404);
    // What was in it is as it was, and nobody has asked.
    assert.ok(await serviceIn(east, "shop", "web-west"));
    assert.equal(hostile.connections(), 0);
  });

  it("is the same in the next run, and then leaves the config without a request", async () => {
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await stack.configure(config(undefined));
    await stack.pulumi("up", "--yes", "--skip-preview");
    assert.doesNotMatch(await stack.pulumi("stack", "export"), /::east(-|\/|")/);
    assert.equal(hostile?.connections(), 0);
    const release = "/apis/apps/v1/namespaces/linkerd/deployments/linkerd-destination";
    assert.equal((await bed.clusters.east.request("GET", release)).code, 200);
  });

  const first = (consumer: string) =>
    tokenName(accountName(consumer), { generation: 1, serial: 1 });

  /** @param east more keys of the cluster; undefined: it has left the config */
  function config(east: Config | undefined): Config {
    const values = { "linkerd-multicluster": { gateway: { serviceType: "NodePort" } } };
    const own = { gateway: { addresses: ["192.0.2.7"] }, values };
    const pair = (from: Names, to: Names) => ({ source: from, target: to });
    const all = [pair("east", "west"), pair("north", "east"), pair("north", "west")];
    return {
      manage: "all",
      clusters: {
        west: { apiServer: bed.clusters.west.server, ...own },
        north: { apiServer: bed.clusters.north.server, ...own },
        ...(east !== undefined && {
          east: { apiServer: bed.clusters.east.server, ...own, ...east },
        }),
      },
      links: east === undefined ? [pair("north", "west")] : all,
      charts: { source: chartsFolder },
    };
  }
});
