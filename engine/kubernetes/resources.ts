import type { Link } from "./link-resource.ts";
import type {
  AccessReview,
  ConfigMap,
  Deployment,
  Endpoints,
  Lease,
  Namespace,
  Node,
  OtherObject,
  Pod,
  Secret,
  Service,
  ServiceCidr,
  StatefulSet,
} from "./objects.ts";
import { type Shape, shapes } from "./shapes.ts";

/**
 * A kind of object as the API serves it. `T` is the shape of one object, in the API's JSON without
 * `apiVersion` and `kind`, which the client writes itself and items of a list do not carry.
 */
export interface Resource<T> {
  readonly apiVersion: string;
  readonly kind: string;
  /** Where the API serves it: `api/v1`, `apis/multicluster.linkerd.io/v1alpha3`. */
  readonly path: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** For what is posted to a named object, like `token` of a ServiceAccount. */
  readonly subresource?: string;
  /** Its objects are secret: no error repeats what the server says of them. */
  readonly sensitive?: boolean;
  /** What an answer must be to pass for such an object; without it anything does. */
  readonly shape?: Shape;
  /** Never set: ties the descriptor to the shape of its objects. */
  readonly object?: T;
}

/** Which object; the `metadata` of any object will do. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string;
}

/** The part of an object that says where it goes. */
export interface Located {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

const core = { apiVersion: "v1", path: "api/v1" } as const;

function namespaced<T>(
  group: Pick<Resource<T>, "apiVersion" | "path">,
  kind: string,
  plural: string,
  shape: Shape,
): Resource<T> {
  return { ...group, kind, plural, namespaced: true, shape };
}

const apps = { apiVersion: "apps/v1", path: "apis/apps/v1" } as const;

const multicluster = {
  apiVersion: "multicluster.linkerd.io/v1alpha3",
  path: "apis/multicluster.linkerd.io/v1alpha3",
} as const;

const rbac = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  path: "apis/rbac.authorization.k8s.io/v1",
  namespaced: false,
  shape: shapes.clusterScoped,
} as const;

const authorization = {
  apiVersion: "authorization.k8s.io/v1",
  path: "apis/authorization.k8s.io/v1",
  namespaced: false,
  shape: shapes.accessReview,
} as const;

/** Every kind of object that this program reads or writes through its own client. */
export const resources = {
  namespaces: {
    ...core,
    kind: "Namespace",
    plural: "namespaces",
    namespaced: false,
    shape: shapes.namespace,
  } as Resource<Namespace>,
  services: namespaced<Service>(core, "Service", "services", shapes.service),
  endpoints: namespaced<Endpoints>(core, "Endpoints", "endpoints", shapes.endpoints),
  configMaps: namespaced<ConfigMap>(core, "ConfigMap", "configmaps", shapes.configMap),
  secrets: { ...namespaced<Secret>(core, "Secret", "secrets", shapes.secret), sensitive: true },
  pods: namespaced<Pod>(core, "Pod", "pods", shapes.pod),
  deployments: namespaced<Deployment>(apps, "Deployment", "deployments", shapes.deployment),
  statefulSets: namespaced<StatefulSet>(apps, "StatefulSet", "statefulsets", shapes.statefulSet),
  links: namespaced<Link>(multicluster, "Link", "links", shapes.link),
  serviceCidrs: {
    apiVersion: "networking.k8s.io/v1",
    path: "apis/networking.k8s.io/v1",
    kind: "ServiceCIDR",
    plural: "servicecidrs",
    namespaced: false,
    shape: shapes.serviceCidr,
  } as Resource<ServiceCidr>,
  leases: namespaced<Lease>(
    { apiVersion: "coordination.k8s.io/v1", path: "apis/coordination.k8s.io/v1" },
    "Lease",
    "leases",
    shapes.lease,
  ),
  nodes: {
    ...core,
    kind: "Node",
    plural: "nodes",
    namespaced: false,
    shape: shapes.node,
  } as Resource<Node>,
  serviceAccounts: namespaced<OtherObject>(
    core,
    "ServiceAccount",
    "serviceaccounts",
    shapes.serviceAccount,
  ),
  clusterRoles: { ...rbac, kind: "ClusterRole", plural: "clusterroles" } as Resource<OtherObject>,
  clusterRoleBindings: {
    ...rbac,
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
  } as Resource<OtherObject>,
  accessReviews: {
    ...authorization,
    kind: "SelfSubjectAccessReview",
    plural: "selfsubjectaccessreviews",
  } as Resource<AccessReview>,
  subjectReviews: {
    ...authorization,
    kind: "SubjectAccessReview",
    plural: "subjectaccessreviews",
  } as Resource<AccessReview>,
} as const;

/** Path of a collection (all namespaces where none is given) or, with a name, of one object. */
export function pathOf(resource: Resource<unknown>, at: Partial<ObjectName>): string {
  const { name, namespace } = at;
  const scope = resource.namespaced && namespace !== undefined ? ["namespaces", namespace] : [];
  if (resource.namespaced && name !== undefined && namespace === undefined) {
    throw new TypeError(`${resource.kind} ${name} lacks its namespace`);
  }
  const segments = [...scope, resource.plural, ...(name === undefined ? [] : [name])];
  return `/${[resource.path, ...segments.map(encodeURIComponent)].join("/")}`;
}

/** The resource as RBAC and `kubectl` call it: `services`, `links.multicluster.linkerd.io`. */
export function rbacName(resource: Resource<unknown>): string {
  const [prefix, group] = resource.path.split("/");
  const suffix = prefix === "apis" && group !== undefined ? `.${group}` : "";
  const part = resource.subresource === undefined ? "" : `/${resource.subresource}`;
  return resource.plural + suffix + part;
}
