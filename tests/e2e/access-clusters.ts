import assert from "node:assert/strict";
import type { TargetArgs, TargetFacts } from "../../engine/credentials/state.ts";
import type { Service, StringMap } from "../../engine/kubernetes/objects/objects.ts";
import { type Bed, type BedCluster, until } from "../bed/bed.ts";
import { request } from "../bed/request.ts";
import { graph, type Graph, namespaces } from "../components/access-graph.ts";
import { clusters as ofThisProcess } from "../../engine/providers/process.ts";
import { linkTargets } from "../../engine/providers/stateless.ts";

/** Creates an object. The API server refuses fields that its schema doesn't have. */
export async function post(cluster: BedCluster, path: string, body: unknown): Promise<void> {
  const answer = await cluster.request("POST", `${path}?fieldValidation=Strict`, body);
  assert.equal(answer.code, 201, JSON.stringify(answer.body));
}

export async function get<T>(cluster: BedCluster, path: string): Promise<T> {
  const { code, body } = await cluster.request("GET", path);
  assert.equal(code, 200, JSON.stringify(body));
  return body as T;
}

export const inNamespace = (namespace: string, plural: string) =>
  `/api/v1/namespaces/${namespace}/${plural}`;
export const secretsOf = inNamespace("linkerd-multicluster", "secrets");

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export function pathOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${root}${place}/${kind.toLowerCase().replace(/y$/, "ie")}s`;
}

export async function addNamespaces(cluster: BedCluster): Promise<void> {
  for (const name of Object.values(namespaces)) await addNamespace(cluster, name);
}

/** Creates a namespace, unless an earlier file has left it. */
export async function addNamespace({ request }: BedCluster, name: string): Promise<void> {
  const { code, body } = await request("POST", "/api/v1/namespaces", { metadata: { name } });
  assert.ok(code === 201 || code === 409, JSON.stringify(body));
}

export async function addService(
  cluster: BedCluster,
  namespace: string,
  name: string,
  { labels }: { readonly labels: StringMap },
): Promise<void> {
  const spec = { ports: [{ name: "http", port: 8080 }] };
  await post(cluster, inNamespace(namespace, "services"), { metadata: { name, labels }, spec });
}

export async function serviceIn(
  { request }: BedCluster,
  namespace: string,
  name: string,
): Promise<Service | undefined> {
  const { code, body } = await request("GET", `${inNamespace(namespace, "services")}/${name}`);
  return code === 404 ? undefined : (body as Service);
}

/** Requests a token of a service account as `kubectl create token` does. */
export async function tokenOf(
  { request }: BedCluster,
  namespace: string,
  account: string,
  spec: object = {},
): Promise<string> {
  const path = `${inNamespace(namespace, "serviceaccounts")}/${account}/token`;
  const { code, body } = await request("POST", path, { spec });
  assert.equal(code, 201, JSON.stringify(body));
  return (body as { readonly status: { readonly token: string } }).status.token;
}

/** Creates what the chart of the control plane leaves in any cluster. */
export async function addLinkerdConfig(cluster: BedCluster): Promise<void> {
  await post(cluster, inNamespace("linkerd", "configmaps"), {
    metadata: { name: "linkerd-config" },
    data: { values: "clusterDomain: cluster.local\nidentityTrustDomain: trust.example\n" },
  });
}

/** Creates what Linkerd's charts leave in a target. */
export async function addLinkerd(cluster: BedCluster): Promise<void> {
  await addLinkerdConfig(cluster);
  const annotations = {
    "mirror.linkerd.io/gateway-identity": "gateway.west",
    "mirror.linkerd.io/probe-path": "/ready",
    "mirror.linkerd.io/probe-period": "3",
  };
  const ports = [
    { name: "mc-gateway", port: 4143 },
    { name: "mc-probe", port: 4191 },
  ];
  await post(cluster, inNamespace("linkerd-multicluster", "services"), {
    metadata: { name: "linkerd-gateway", annotations },
    spec: { type: "LoadBalancer", ports },
  });
}

export async function addBalancerAddress(cluster: BedCluster, ip: string): Promise<void> {
  const path = `${inNamespace("linkerd-multicluster", "services")}/linkerd-gateway/status`;
  const status = { loadBalancer: { ingress: [{ ip }] } };
  assert.equal((await cluster.request("PATCH", path, { status })).code, 200);
}

/** Returns the arguments of the link by which west's Services appear in east. */
export function question(bed: Bed<"west" | "east">, more: Partial<TargetArgs> = {}): TargetArgs {
  return {
    source: "east",
    target: "west",
    access: { context: "west", kubeconfig: bed.kubeconfig },
    // In the bed, all clusters are on the same machine.
    apiServer: bed.clusters.west.server,
    targetDomain: "cluster.local",
    gateway: { namespace: "linkerd-multicluster", name: "linkerd-gateway" },
    linkerdNamespace: "linkerd",
    multiclusterNamespace: "linkerd-multicluster",
    rotation: { generation: 1 },
    ...more,
  };
}

/**
 * Creates what the component asks of the Kubernetes provider in one cluster, object by object, in its
 * order and with its very inputs. The suite runs without the provider's plugin.
 */
export async function carryOut(cluster: BedCluster, { resources }: Graph): Promise<void> {
  for (const { type, provider, inputs, custom } of resources) {
    if (!custom || provider !== cluster.name || !type.startsWith("kubernetes:")) continue;
    const object = inputs as unknown as Manifest;
    const path = `${pathOf(object)}/${object.metadata.name}`;
    // An earlier file may have left the account.
    const isLeft =
      object.kind === "ServiceAccount" && (await cluster.request("GET", path)).code === 200;
    if (isLeft) assert.equal((await cluster.request("PATCH", path, inputs)).code, 200);
    else await post(cluster, pathOf(object), inputs);
  }
}

export async function issuedToken(cluster: BedCluster, name: string): Promise<string> {
  return until(`a token in ${name}`, [], async () => {
    const { data } = await get<{ data?: { token?: string } }>(cluster, `${secretsOf}/${name}`);
    return data?.token === undefined ? undefined : Buffer.from(data.token, "base64").toString();
  });
}

export const graphOf = (facts: TargetFacts, keys = {}, token = "none") =>
  graph(keys, { facts, token });

export async function answerTo(cluster: BedCluster, token: string, path: string): Promise<number> {
  return (await request({ ...cluster.access, token }, "GET", path)).code;
}

/** A run asks a target once for all of its links, and each check here stands for a run of its own. */
export function checkInNewRun(
  ...[olds, args]: Parameters<typeof linkTargets.check>
): ReturnType<typeof linkTargets.check> {
  ofThisProcess.markStale(args.access);
  return linkTargets.check(olds, args);
}
