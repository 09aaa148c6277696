import assert from "node:assert/strict";

import { issuerName, trustRootsName } from "../../engine/trust/live.ts";
import type { BedCluster } from "../bed/bed.ts";
import { newStack, type PulumiStack } from "../bed/stack.ts";
import { authority, day, issuerUnder } from "../unit/trust/certificates.ts";
import { get, inNamespace, post } from "../e2e/access-clusters.ts";
import { realBed } from "./real-mesh.ts";
import { chartsFolder, skipNote } from "./real-plugins.ts";

interface Owned {
  readonly metadata: { readonly uid: string; readonly managedFields?: readonly object[] };
  readonly data?: Readonly<Record<string, string>>;
}

const secret = `${inNamespace("linkerd", "secrets")}/${issuerName}`;
const bundle = `${inNamespace("linkerd", "configmaps")}/${trustRootsName}`;

describe(`external trust, with real plugins and charts${skipNote}`, function () {
  this.timeout("15m");

  const real = realBed(["west"]);
  let stack: PulumiStack;

  before(async () => {
    stack = await newStack(real.bed, "external", {
      manage: "all",
      clusters: { west: { apiServer: real.clusters.west.server } },
      trust: { external: true },
      charts: { source: chartsFolder },
    });
  });

  it("is reported where it is missing, and nothing is written there", async () => {
    const { code, text } = await stack.run(["up", "--yes", "--skip-preview"]);
    assert.notEqual(code, 0);
    assert.match(text, /Cluster west has no namespace linkerd/);
    assert.equal((await real.clusters.west.request("GET", "/api/v1/namespaces/linkerd")).code, 404);
  });

  it("is used as it is: the control plane starts with it, and no key is in the state", async () => {
    const { west } = real.clusters;
    const { keyPem } = await provide(west);
    const before = await Promise.all([secret, bundle].map((path) => get<Owned>(west, path)));
    await stack.pulumi("up", "--yes", "--skip-preview");
    const identity = "/apis/apps/v1/namespaces/linkerd/deployments/linkerd-identity";
    const deployed = JSON.stringify(await get(west, identity));
    assert.match(deployed, /kubernetes\.io\/tls/);
    const after = await Promise.all([secret, bundle].map((path) => get<Owned>(west, path)));
    assert.deepEqual(after, before);
    const state = await stack.pulumi("stack", "export", "--show-secrets");
    for (const line of keyPem.split("\n").filter((text) => text.length > 20 && !text.includes("-")))
      assert.ok(!state.includes(line), "the issuer's key is in state");
    assert.doesNotMatch(state, /tls:index/);
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  it("stays when the stack is destroyed", async () => {
    await stack.pulumi("destroy", "--yes", "--skip-preview");
    for (const path of [secret, bundle])
      assert.equal((await real.clusters.west.request("GET", path)).code, 200, path);
  });
});

/** Creates the objects as cert-manager and trust-manager do. */
async function provide(cluster: BedCluster): Promise<{ readonly keyPem: string }> {
  const notBefore = new Date(Date.now() - day);
  const notAfter = new Date(Date.now() + 365 * day);
  const anchor = authority({ notBefore, notAfter });
  const issuer = issuerUnder(anchor, { notBefore, notAfter });
  await post(cluster, "/api/v1/namespaces", {
    metadata: {
      name: "linkerd",
      labels: {
        "linkerd.io/is-control-plane": "true",
        "config.linkerd.io/admission-webhooks": "disabled",
        "linkerd.io/control-plane-ns": "linkerd",
      },
    },
  });
  await post(cluster, inNamespace("linkerd", "secrets"), {
    metadata: { name: issuerName },
    type: "kubernetes.io/tls",
    stringData: { "tls.crt": issuer.pem, "tls.key": issuer.keyPem, "ca.crt": anchor.pem },
  });
  await post(cluster, inNamespace("linkerd", "configmaps"), {
    metadata: { name: trustRootsName },
    data: { "ca-bundle.crt": anchor.pem },
  });
  return issuer;
}
