/** A kind of object as this server serves it. */
export interface Kind {
  readonly group: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Whether its status is a subresource. */
  readonly hasStatus: boolean;
}

const core = { group: "/api/v1", apiVersion: "v1" };
const apps = { group: "/apis/apps/v1", apiVersion: "apps/v1" };
const leases = { group: "/apis/coordination.k8s.io/v1", apiVersion: "coordination.k8s.io/v1" };
const rbac = {
  group: "/apis/rbac.authorization.k8s.io/v1",
  apiVersion: "rbac.authorization.k8s.io/v1",
};
const multicluster = {
  group: "/apis/multicluster.linkerd.io/v1alpha3",
  apiVersion: "multicluster.linkerd.io/v1alpha3",
};

const policy = {
  group: "/apis/policy.linkerd.io/v1beta3",
  apiVersion: "policy.linkerd.io/v1beta3",
};

export const kinds: readonly Kind[] = [
  { ...core, kind: "Service", plural: "services", namespaced: true, hasStatus: true },
  { ...core, kind: "Endpoints", plural: "endpoints", namespaced: true, hasStatus: false },
  { ...core, kind: "Pod", plural: "pods", namespaced: true, hasStatus: true },
  { ...core, kind: "Secret", plural: "secrets", namespaced: true, hasStatus: false },
  { ...core, kind: "ConfigMap", plural: "configmaps", namespaced: true, hasStatus: false },
  { ...apps, kind: "Deployment", plural: "deployments", namespaced: true, hasStatus: true },
  { ...apps, kind: "StatefulSet", plural: "statefulsets", namespaced: true, hasStatus: true },
  { ...leases, kind: "Lease", plural: "leases", namespaced: true, hasStatus: false },
  { ...multicluster, kind: "Link", plural: "links", namespaced: true, hasStatus: true },
  { ...policy, kind: "HTTPRoute", plural: "httproutes", namespaced: true, hasStatus: true },
  {
    ...core,
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    namespaced: true,
    hasStatus: false,
  },
  { ...rbac, kind: "ClusterRole", plural: "clusterroles", namespaced: false, hasStatus: false },
  {
    ...rbac,
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    namespaced: false,
    hasStatus: false,
  },
  { ...core, kind: "Node", plural: "nodes", namespaced: false, hasStatus: true },
  // Last, since what is in a namespace has a path below it.
  { ...core, kind: "Namespace", plural: "namespaces", namespaced: false, hasStatus: true },
];

export const groups: readonly string[] = [...new Set(kinds.map(({ group }) => group))];

export function kindOf(plural: string): Kind {
  const found = kinds.find((kind) => kind.plural === plural);
  if (found === undefined) throw new Error(`this server has no ${plural}`);
  return found;
}

/** What a path names: a collection, or with `name` one object; without `namespace` all of them. */
export interface Target {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export function targetOf(path: string): Target | undefined {
  for (const kind of kinds) {
    if (!path.startsWith(`${kind.group}/`)) continue;
    const words = path
      .slice(kind.group.length + 1)
      .split("/")
      .map(decodeURIComponent);
    const scoped = kind.namespaced && words[0] === "namespaces" && words.length > 2;
    const [plural, name, subresource] = scoped ? words.slice(2) : words;
    if (plural !== kind.plural) continue;
    if (subresource !== undefined && subresource !== "status") return undefined;
    if (kind.namespaced && !scoped && name !== undefined) return undefined;
    return { kind, namespace: scoped ? (words[1] ?? "") : "", name, subresource };
  }
  return undefined;
}
