import assert from "node:assert/strict";
import { parseConfig } from "../../config/parse.ts";
import { kubeconfigFor } from "../../engine/credentials/kubeconfig.ts";
import type { TargetFacts } from "../../engine/credentials/state.ts";
import type { Bed, BedCluster } from "../../testbed/bed.ts";
import { account } from "../components/access-graph.ts";
import { type Authority, authority, issuerUnder } from "../unit/trust/certificates.ts";
import * as clusters from "./access-clusters.ts";
import { addLinkCrd } from "../../testbed/links.ts";
import { addService } from "./objects.ts";
import { provider, wantedResources } from "../simulation/providers.ts";

const inLinkerd = (plural: string) => clusters.inNamespace("linkerd", plural);

export const credentials = (namespace: string) =>
  `${clusters.inNamespace(namespace, "secrets")}/cluster-credentials-west`;

export const base64 = (text: string): string => Buffer.from(text).toString("base64");

export interface LiveMesh {
  readonly root: Authority;
  /** Of the service account by which east reads west. */
  readonly token: string;
  /** What no output may hold. */
  readonly secrets: readonly string[];
}

/** Everything that the stack would have made, by hand: a link by which west appears in east. */
export async function addMesh(bed: Bed<"west" | "east">): Promise<LiveMesh> {
  const { west, east } = bed.clusters;
  const root = authority({ notBefore: daysFromNow(-30), notAfter: daysFromNow(3000) });
  const keys: string[] = [];
  for (const cluster of [west, east]) {
    await clusters.addNamespace(cluster, "linkerd");
    keys.push(await addIdentity(cluster, root));
    await clusters.addNamespace(cluster, "shop");
  }
  await addLinkCrd(east);
  await clusters.addNamespace(west, "linkerd-multicluster");
  await clusters.addLinkerd(west);
  await clusters.addLinkerdConfig(east);
  await clusters.addBalancerAddress(west, "192.0.2.7");

  const facts = factsOf(west);
  await clusters.carryOut(west, await clusters.graphOf(facts));
  const token = await clusters.issuedToken(west, facts.token);
  await clusters.carryOut(east, await clusters.graphOf(facts, {}, token));

  const labels = { "mirror.linkerd.io/exported": "true" };
  await addService(west, "shop", "web", { labels });
  await mirror(bed);
  return { root, token, secrets: [token, base64(token), ...keys.flatMap(inParts)] };
}

/** What Linkerd's identity rests on. Returns the issuer's private key, which nobody may read. */
async function addIdentity(cluster: BedCluster, root: Authority): Promise<string> {
  const issuer = issuerUnder(root, {
    notBefore: daysFromNow(-1),
    notAfter: daysFromNow(300),
  });
  await clusters.post(cluster, inLinkerd("configmaps"), {
    metadata: { name: "linkerd-identity-trust-roots" },
    data: { "ca-bundle.crt": root.pem },
  });
  await clusters.post(cluster, inLinkerd("secrets"), {
    metadata: { name: "linkerd-identity-issuer" },
    data: { "crt.pem": base64(issuer.pem), "key.pem": base64(issuer.keyPem) },
  });
  return issuer.keyPem;
}

/** As the run before has left it. */
async function mirror({ kubeconfig }: Bed<"west" | "east">): Promise<void> {
  const parsed = parseConfig({
    manage: "mirrors",
    clusters: { west: { kubeconfig }, east: { kubeconfig } },
    links: [{ source: "east", target: "west", headless: true }],
  });
  assert.ok("config" in parsed);
  const mirrors = provider();
  for (const args of wantedResources(parsed.config, "bed/health").values()) {
    const { inputs } = await mirrors.check({}, { ...args });
    await mirrors.create(inputs);
  }
}

function factsOf(west: BedCluster): TargetFacts {
  return {
    ...{ trustDomain: "trust.example", clusterDomain: "cluster.local" },
    ...{ server: west.server, certificateAuthority: base64(west.access.authority) },
    gateway: { addresses: ["192.0.2.7"], port: 4143, identity: "gateway.west" },
    token: `${account}-token-1-1`,
  };
}

/** The Secret of one of the two readers in east gets other credentials. */
export async function replaceCredentials(
  { clusters: { east } }: Bed<"west" | "east">,
  namespace: string,
  { server, access }: Pick<BedCluster, "server" | "access">,
  token: string,
): Promise<void> {
  const certificateAuthority = base64(access.authority);
  const parts = { server, certificateAuthority, token, cluster: "west", user: "account" };
  const data = { kubeconfig: base64(kubeconfigFor(parts)) };
  const { code, body } = await east.request("PATCH", credentials(namespace), { data });
  assert.equal(code, 200, JSON.stringify(body));
}

function inParts(keyPem: string): string[] {
  return [keyPem, base64(keyPem), ...keyPem.split("\n").filter((line) => /^[^-]{20}/.test(line))];
}

function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000);
}
