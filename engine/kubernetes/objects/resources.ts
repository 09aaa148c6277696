import type { Check } from "./checks.ts";
import * as heads from "./heads.ts";
import { link, linkDefinition } from "./link-resource.ts";
import * as objects from "./objects.ts";
import * as policies from "./policy-resource.ts";
import * as routes from "./route-resource.ts";
import { accessReview } from "./review-resource.ts";
import * as workloads from "./workload-resource.ts";

/** `T` lacks `apiVersion` and `kind`, which the client writes itself and items of a list don't have. */
export interface Resource<T> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Errors don't repeat the server's messages about such objects. */
  readonly sensitive?: boolean;
  readonly shape: Check<T>;
  /** Returns what is kept of an object where its namespace takes too much room. */
  headOf?(object: T): unknown;
}

export interface ObjectName {
  readonly name: string;
  readonly namespace?: string;
}

export interface Located {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

function namespaced<T>(apiVersion: string, kind: string, shape: Check<T>): Resource<T> {
  const plural = `${kind.toLowerCase()}${/s$/.test(kind) ? "" : "s"}`.replace(/ys$/, "ies");
  return { apiVersion, kind, plural, namespaced: true, shape };
}

function clusterScoped<T>(apiVersion: string, kind: string, shape: Check<T>): Resource<T> {
  return { ...namespaced(apiVersion, kind, shape), namespaced: false };
}

const rbac = "rbac.authorization.k8s.io/v1";
const gatewayApi = "gateway.networking.k8s.io";
const authorization = "authorization.k8s.io/v1";

export const resources = {
  namespaces: clusterScoped("v1", "Namespace", objects.namespace),
  services: { ...namespaced("v1", "Service", objects.service), headOf: heads.headOfService },
  endpoints: { ...namespaced("v1", "Endpoints", objects.endpoints), headOf: heads.headOf },
  configMaps: namespaced("v1", "ConfigMap", objects.configMap),
  secrets: { ...namespaced("v1", "Secret", objects.secret), sensitive: true },
  pods: namespaced("v1", "Pod", workloads.pod),
  deployments: namespaced("apps/v1", "Deployment", workloads.deployment),
  statefulSets: namespaced("apps/v1", "StatefulSet", workloads.statefulSet),
  daemonSets: namespaced("apps/v1", "DaemonSet", workloads.daemonSet),
  replicaSets: namespaced("apps/v1", "ReplicaSet", workloads.replicaSet),
  budgets: namespaced("policy/v1", "PodDisruptionBudget", workloads.budget),
  links: namespaced("multicluster.linkerd.io/v1alpha3", "Link", link),
  linkDefinitions: clusterScoped(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    linkDefinition,
  ),
  httpRoutes: namespaced("policy.linkerd.io/v1beta3", "HTTPRoute", routes.httpRoute),
  authorizationPolicies: namespaced(
    "policy.linkerd.io/v1alpha1",
    "AuthorizationPolicy",
    policies.authorizationPolicy,
  ),
  meshTlsAuthentications: namespaced(
    "policy.linkerd.io/v1alpha1",
    "MeshTLSAuthentication",
    policies.meshTlsAuthentication,
  ),
  servers: namespaced("policy.linkerd.io/v1beta3", "Server", policies.server),
  serverAuthorizations: namespaced(
    "policy.linkerd.io/v1beta1",
    "ServerAuthorization",
    policies.serverAuthorization,
  ),
  gatewayHttpRoutes: namespaced(`${gatewayApi}/v1`, "HTTPRoute", routes.otherRoute),
  grpcRoutes: namespaced(`${gatewayApi}/v1`, "GRPCRoute", routes.otherRoute),
  serviceProfiles: namespaced("linkerd.io/v1alpha2", "ServiceProfile", objects.otherObject),
  serviceCidrs: clusterScoped("networking.k8s.io/v1", "ServiceCIDR", objects.serviceCidr),
  leases: namespaced("coordination.k8s.io/v1", "Lease", objects.lease),
  nodes: clusterScoped("v1", "Node", objects.node),
  serviceAccounts: namespaced("v1", "ServiceAccount", objects.otherObject),
  clusterRoles: clusterScoped(rbac, "ClusterRole", objects.clusterObject),
  clusterRoleBindings: clusterScoped(rbac, "ClusterRoleBinding", objects.clusterObject),
  accessReviews: clusterScoped(authorization, "SelfSubjectAccessReview", accessReview),
} as const;

/** Returns the path of a collection (of all namespaces without one) or, with a name, of one object. */
export function pathOf(resource: Resource<unknown>, at: Partial<ObjectName>): string {
  const { name, namespace } = at;
  const scope = resource.namespaced && namespace !== undefined ? ["namespaces", namespace] : [];
  if (resource.namespaced && name !== undefined && namespace === undefined)
    throw new TypeError(`${resource.kind} ${name} lacks its namespace`);
  const segments = [...scope, resource.plural, ...(name === undefined ? [] : [name])];
  const api = resource.apiVersion.includes("/") ? "apis" : "api";
  return `/${[api, resource.apiVersion, ...segments.map(encodeURIComponent)].join("/")}`;
}

/** RBAC and `kubectl` call a resource `services`, or `links.multicluster.linkerd.io`. */
export function rbacName({ apiVersion, plural }: Resource<unknown>): string {
  const [group = "", version] = apiVersion.split("/");
  return version === undefined ? plural : `${plural}.${group}`;
}
