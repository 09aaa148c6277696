import assert from "node:assert/strict";
import { issuerName, trustRootsName } from "../../engine/trust/live.ts";
import { type Config, newStack, type PulumiStack } from "../bed/stack.ts";
import { get, inNamespace } from "../e2e/access-clusters.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";
import { configOf, realBed } from "./real-mesh.ts";
import { chartsFolder, skipNote } from "./real-plugins.ts";

interface Stored {
  readonly metadata: { readonly uid: string };
  readonly data?: Readonly<Record<string, string>>;
}

const deployments = "/apis/apps/v1/namespaces/linkerd/deployments";
const kept = [
  "/api/v1/namespaces/linkerd",
  "/api/v1/namespaces/linkerd-multicluster",
  `${inNamespace("linkerd", "secrets")}/${issuerName}`,
  `${inNamespace("linkerd", "configmaps")}/${trustRootsName}`,
  ...["identity", "destination", "proxy-injector"].map((name) => `${deployments}/linkerd-${name}`),
  `${inNamespace("linkerd-multicluster", "services")}/linkerd-gateway`,
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/links.multicluster.linkerd.io",
];

/** Each test continues from the one before. */
describe(`taking over a Linkerd that Helm installed, with real plugins and charts${skipNote}`, function () {
  this.timeout("20m");

  const real = realBed(["west"]);
  const anchor = authority();
  const issuer = issuerUnder(anchor);
  let stack: PulumiStack;
  let original: readonly string[];
  const stored = () => Promise.all(kept.map((path) => get<Stored>(real.clusters.west, path)));
  const uids = async () => (await stored()).map(({ metadata }) => metadata.uid);

  function configured({ trust, west = {} }: { trust: Config; west?: Config }): Config {
    const { gateway, ...rest } = configOf(real.clusters.west);
    return {
      manage: "all",
      clusters: { west: { ...rest, gateway: { ...(gateway as Config), enabled: true }, ...west } },
      charts: { source: chartsFolder },
      trust,
    };
  }

  /** Returns a stack with the anchor that `step` would create. The issuer's key has to be a secret. */
  async function stackOf(name: string, more: Config): Promise<PulumiStack> {
    const trust = { anchors: anchor.pem, issuers: { west: { certificate: issuer.pem } } };
    const made = await newStack(real.bed, name, configured({ trust, west: more }));
    await setKey(made, issuer.keyPem);
    return made;
  }

  before(async () => {
    // Releases of the plugin are Helm's own. Nothing else uses this stack.
    const helm = await stackOf("helm", {});
    await helm.pulumi("up", "--yes", "--skip-preview");
    original = await uids();
    stack = await stackOf("takeover", { adopt: true });
  });

  it("succeeds without a new object once Helm's records are deleted", async () => {
    for (const namespace of ["linkerd", "linkerd-multicluster"]) {
      const records = `${inNamespace(namespace, "secrets")}?labelSelector=owner%3Dhelm`;
      assert.equal((await real.clusters.west.request("DELETE", records)).code, 200);
    }
    await stack.pulumi("up", "--yes", "--skip-preview");
    assert.deepEqual(await uids(), original);
  });

  it("keeps the anchor and issuer, and then needs no more changes", async () => {
    const [, , secret, roots] = await stored();
    assert.equal(roots?.data?.["ca-bundle.crt"]?.trim(), anchor.pem.trim());
    assert.equal(atob(secret?.data?.["tls.crt"] ?? "").trim(), issuer.pem.trim());
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });
});

async function setKey(stack: PulumiStack, keyPem: string): Promise<void> {
  const key = "linkerd-multicluster:trust.issuers.west.key";
  await stack.pulumi("config", "set", "--secret", "--path", key, "--", keyPem);
}
