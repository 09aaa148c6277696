import assert from "node:assert/strict";
import { linksPath } from "../bed/links.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { beyond, manifests, rightsIn, rightsUsed } from "../e2e/runner-account.ts";
import { old } from "../unit/trust/live.ts";
import { linksConfig, prepareClusters, runnersKubeconfig } from "./links-runner.ts";
import { realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";

const reading = manifests("preview.yaml", "preview-mesh.yaml", "preview-secrets.yaml");
const links = manifests("links.yaml");
const mirrors = manifests("up.yaml");
const bundle = old.pem;
/** Pulumi's plugin does without the Events that it asks for. */
const events = ["list events", "watch events"];

describe(`a runner with manage: links and only the rights of examples/rbac, with real plugins${skipNote}`, function () {
  this.timeout("15m");

  const real = realBed(["west", "east"]);
  let stack: PulumiStack;
  let kubeconfig: string;

  before(async () => {
    const { west } = real.clusters;
    await prepareClusters(real.clusters, {
      west: [...reading, ...links],
      east: [...reading, ...links, ...mirrors],
    });
    await clusters.post(west, clusters.inNamespace("linkerd", "configmaps"), {
      metadata: { name: "linkerd-identity-trust-roots", annotations: { ring: "1" } },
      data: { "ca-bundle.crt": bundle },
    });
    const labels = { "mirror.linkerd.io/exported": "remote-discovery" };
    await clusters.addService(west, "shop", "web", { labels });
    kubeconfig = await runnersKubeconfig(real.clusters, real.bed.folder);
    stack = await newStack(real.bed, "links-rights", config());
  });

  it("creates links, replaces their tokens and deletes links, and lacks no right", async () => {
    const { west, east } = real.clusters;
    const used = await rightsUsed(
      real.bed,
      async () => {
        await stack.pulumi("preview");
        // Health fails, since Linkerd itself isn't there.
        await stack.run(["up", "--yes", "--skip-preview"]);
        assert.ok(await clusters.serviceIn(east, "shop", "web-west"));
        const { status } = await clusters.get<{ readonly status: object }>(
          east,
          `${linksPath}/west`,
        );
        const { trustRoots } = status as { readonly trustRoots: Record<string, unknown> };
        assert.deepEqual(trustRoots, {
          targetClusterFullTrustRoots: bundle,
          targetClusterTrustMetadata: { ring: "1" },
          lastSyncedTime: trustRoots["lastSyncedTime"],
        });
        await stack.configure(config({ credentialsGeneration: 2 }));
        await stack.pulumi("preview");
        await stack.run(["up", "--yes", "--refresh"]);
        const token = "linkerd-multicluster-access-east-token-2-1";
        await clusters.get(west, `${clusters.secretsOf}/${token}`);
        await stack.pulumi("destroy", "--yes", "--skip-preview");
        assert.equal(await clusters.serviceIn(east, "shop", "web-west"), undefined);
      },
      events,
      "",
    );
    const all = rightsIn([...reading, ...links, ...mirrors]);
    assert.deepEqual(beyond(used, all), events);
  });

  function config(change: Config = {}): Config {
    return linksConfig(real.clusters, kubeconfig, { link: change });
  }
});
