import assert from "node:assert/strict";
import { kubeconfigFor } from "../../engine/credentials/kubeconfig.ts";
import type { TargetFacts } from "../../engine/credentials/state.ts";
import type { Bed, BedCluster } from "../bed/bed.ts";
import { addLinkCrd } from "../bed/links.ts";
import { account } from "../components/access-graph.ts";
import { provider, wantedResources } from "../simulation/providers.ts";
import { authority, issuerUnder } from "../unit/trust/certificates.ts";
import * as clusters from "./access-clusters.ts";

/** `check` derives this name from the file Pulumi.links.yaml. */
export const meshStack = "organization/linkerd-multicluster/links";

/**
 * Creates everything that a stack with a link from east to west would have.
 *
 * @returns texts that no output may hold
 */
export async function addMesh(bed: Bed<"west" | "east">): Promise<readonly string[]> {
  const { west, east } = bed.clusters;
  const root = authority({ notBefore: daysFromNow(-30), notAfter: daysFromNow(3000) });
  const validity = { notBefore: daysFromNow(-1), notAfter: daysFromNow(300) };
  const secrets: string[] = [];
  await addLinkCrd(east);
  for (const cluster of [west, east]) {
    await clusters.addNamespaces(cluster);
    await clusters.addNamespace(cluster, "shop");
    const issuer = issuerUnder(root, validity);
    await clusters.post(cluster, clusters.inNamespace("linkerd", "configmaps"), {
      metadata: { name: "linkerd-identity-trust-roots" },
      data: { "ca-bundle.crt": root.pem },
    });
    await clusters.post(cluster, clusters.inNamespace("linkerd", "secrets"), {
      metadata: { name: "linkerd-identity-issuer" },
      data: { "crt.pem": btoa(issuer.pem), "key.pem": btoa(issuer.keyPem) },
    });
    const lines = issuer.keyPem.split("\n").filter((line) => /^[^-]{20}/.test(line));
    secrets.push(issuer.keyPem, btoa(issuer.keyPem), ...lines);
  }
  await clusters.addLinkerd(west);
  await clusters.addLinkerdConfig(east);
  await clusters.addBalancerAddress(west, "192.0.2.7");

  const facts: TargetFacts = {
    trustDomain: "trust.example",
    clusterDomain: "cluster.local",
    server: west.server,
    certificateAuthority: btoa(west.access.authority),
    gateway: { addresses: ["192.0.2.7"], port: 4143, identity: "gateway.west" },
    token: `${account}-token-1-1`,
  };
  await clusters.carryOut(west, await clusters.graphOf(facts));
  const token = await clusters.issuedToken(west, facts.token);
  await clusters.carryOut(east, await clusters.graphOf(facts, {}, token));

  const labels = { "mirror.linkerd.io/exported": "true" };
  await clusters.addService(west, "shop", "web", { labels });
  const links = [{ source: "east", target: "west", headless: true }];
  const config = { clusters: { west: {}, east: {} }, links };
  const mirrors = provider();
  for (const args of wantedResources(config, meshStack, () => bed.kubeconfig).values())
    await mirrors.create((await mirrors.check({}, args)).inputs);
  return [...secrets, token, btoa(token)];
}

/** Replaces the credentials in the Secret of Linkerd's multicluster extension in east. */
export async function replaceCredentials(
  east: BedCluster,
  { server, access }: Pick<BedCluster, "server" | "access">,
  token: string,
): Promise<void> {
  const certificateAuthority = btoa(access.authority);
  const parts = { server, certificateAuthority, token, cluster: "west", user: "account" };
  const data = { kubeconfig: btoa(kubeconfigFor(parts)) };
  const path = `${clusters.secretsOf}/cluster-credentials-west`;
  const { code, body } = await east.request("PATCH", path, { data });
  assert.equal(code, 200, JSON.stringify(body));
}

function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000);
}
