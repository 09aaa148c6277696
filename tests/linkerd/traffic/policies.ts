/** Creates Linkerd's own policies and routes, as users do. */
import assert from "node:assert/strict";

import type { BedCluster } from "../../bed/bed.ts";
import { inNamespace, post } from "../../e2e/access-clusters.ts";
import { namespace as shop, serverPort } from "./workloads.ts";

const group = "policy.linkerd.io";
const multicluster = "linkerd-multicluster";
const everything = [{ path: { type: "PathPrefix", value: "/" } }];

/** Lets only clients with these identities reach pods with this label `app`. */
export async function admit(
  cluster: BedCluster,
  app: string,
  identities: readonly string[],
): Promise<void> {
  const add = adder(cluster, shop);
  await add("v1alpha1", "meshtlsauthentications", app, { identities });
  await add("v1alpha1", "authorizationpolicies", app, {
    targetRef: { group, kind: "Server", name: app },
    requiredAuthenticationRefs: [{ group, kind: "MeshTLSAuthentication", name: app }],
  });
  const podSelector = { matchLabels: { app } };
  await add("v1beta3", "servers", app, { podSelector, port: serverPort });
}

/**
 * Lets a gateway forward requests for this Service only from clients with these identities, and for all others from any
 * meshed client. The chart's policy of its Server would apply to each of its routes.
 */
export async function admitThroughGateway(
  cluster: BedCluster,
  service: string,
  identities: readonly string[],
): Promise<void> {
  const add = adder(cluster, multicluster);
  const to = (route: string) => ({ targetRef: { group, kind: "HTTPRoute", name: route } });
  const parentRefs = [{ group, kind: "Server", name: "linkerd-gateway" }];
  const rules = [{ matches: everything }];
  const hostnames = [`${service}.${shop}.svc.cluster.local`];
  await add("v1alpha1", "meshtlsauthentications", service, { identities });
  await add("v1alpha1", "authorizationpolicies", service, {
    ...to(service),
    requiredAuthenticationRefs: [{ group, kind: "MeshTLSAuthentication", name: service }],
  });
  await add("v1beta3", "httproutes", "others", { parentRefs, rules });
  await add("v1beta3", "httproutes", service, { parentRefs, hostnames, rules });
  const path = `${pathOf(multicluster, "v1alpha1", "authorizationpolicies")}/linkerd-gateway`;
  assert.equal((await cluster.request("PATCH", path, { spec: to("others") })).code, 200);
}

/** Creates what looks like a mirror of west's Service, whether that is exported or not. `web-west` has to exist. */
export async function forge(cluster: BedCluster, service: string): Promise<void> {
  const endpoints = inNamespace(shop, "endpoints");
  const { body } = await cluster.request("GET", `${endpoints}/web-west`);
  const { metadata, subsets } = body as {
    readonly metadata: Readonly<Record<"labels" | "annotations", Readonly<Record<string, string>>>>;
    readonly subsets: object;
  };
  const name = `forged-${service}`;
  const authority = {
    "mirror.linkerd.io/remote-svc-fq-name": `${service}.${shop}.svc.cluster.local`,
  };
  const annotations = { ...metadata.annotations, ...authority };
  const spec = { ports: [{ name: "http", port: serverPort }] };
  await post(cluster, inNamespace(shop, "services"), { metadata: { name }, spec });
  await post(cluster, endpoints, {
    metadata: { name, labels: metadata.labels, annotations },
    subsets,
  });
}

/** Routes requests for this path of `service` to another Service. */
export async function leadAside(
  cluster: BedCluster,
  service: string,
  path: string,
  other: string,
): Promise<void> {
  const matches = [{ path: { type: "PathPrefix", value: path } }];
  const backend = (name: string) => ({ backendRefs: [{ name, port: serverPort }] });
  await adder(cluster, shop)("v1beta3", "httproutes", service, {
    parentRefs: [{ group: "core", kind: "Service", name: service, port: serverPort }],
    rules: [
      { matches, ...backend(other) },
      { matches: everything, ...backend(service) },
    ],
  });
}

const kinds = {
  authorizationpolicies: "AuthorizationPolicy",
  httproutes: "HTTPRoute",
  meshtlsauthentications: "MeshTLSAuthentication",
  servers: "Server",
} as const;

const pathOf = (namespace: string, version: string, plural: string): string =>
  `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;

const adder =
  (cluster: BedCluster, namespace: string) =>
  (version: string, plural: keyof typeof kinds, name: string, spec: object): Promise<void> => {
    const type = { apiVersion: `${group}/${version}`, kind: kinds[plural] };
    return post(cluster, pathOf(namespace, version, plural), { ...type, metadata: { name }, spec });
  };
