/** What users say of requests with Linkerd's own objects: whom to let in, and where to lead them. */
import assert from "node:assert/strict";

import type { BedCluster } from "../../bed/bed.ts";
import { post } from "../../e2e/access-clusters.ts";
import { namespace as shop, serverPort } from "./workloads.ts";

const group = "policy.linkerd.io";
const multicluster = "linkerd-multicluster";
const everything = [{ path: { type: "PathPrefix", value: "/" } }];

/** Pods with this label `app` serve nobody from now on but clients of these identities. */
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
 * A gateway leads nobody to this Service from now on but clients of these identities, and whoever is
 * meshed to all others: what the chart's policy says of its Server would hold for each route of it.
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

/** What asks `service` for this path is led to another Service. */
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
