export interface Kind {
  readonly group: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** The status is a subresource. */
  readonly hasStatus: boolean;
}

function kindIn(apiVersion: string, kind: string, options: Partial<Kind> = {}): Kind {
  return {
    group: `/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`,
    apiVersion,
    kind,
    plural: kind === "Endpoints" ? "endpoints" : `${kind.toLowerCase()}s`,
    namespaced: true,
    hasStatus: false,
    ...options,
  };
}

const rbac = "rbac.authorization.k8s.io/v1";

const kinds: readonly Kind[] = [
  kindIn("v1", "Service", { hasStatus: true }),
  kindIn("v1", "Endpoints"),
  kindIn("v1", "Pod", { hasStatus: true }),
  kindIn("v1", "Secret"),
  kindIn("v1", "ConfigMap"),
  kindIn("v1", "ServiceAccount"),
  kindIn("coordination.k8s.io/v1", "Lease"),
  kindIn("apps/v1", "Deployment", { hasStatus: true }),
  kindIn("apps/v1", "StatefulSet", { hasStatus: true }),
  kindIn("apps/v1", "DaemonSet", { hasStatus: true }),
  kindIn("apps/v1", "ReplicaSet", { hasStatus: true }),
  kindIn("policy/v1", "PodDisruptionBudget", { hasStatus: true }),
  kindIn("multicluster.linkerd.io/v1alpha3", "Link", { hasStatus: true }),
  kindIn("policy.linkerd.io/v1beta3", "HTTPRoute", { hasStatus: true }),
  kindIn("policy.linkerd.io/v1alpha1", "AuthorizationPolicy", { plural: "authorizationpolicies" }),
  kindIn("policy.linkerd.io/v1alpha1", "MeshTLSAuthentication"),
  kindIn("policy.linkerd.io/v1beta3", "Server"),
  kindIn("policy.linkerd.io/v1beta1", "ServerAuthorization"),
  kindIn(rbac, "ClusterRole", { namespaced: false }),
  kindIn(rbac, "ClusterRoleBinding", { namespaced: false }),
  kindIn("apiextensions.k8s.io/v1", "CustomResourceDefinition", { namespaced: false }),
  kindIn("v1", "Node", { namespaced: false, hasStatus: true }),
  // The path of what is in a namespace begins with this kind's plural, so it is tried last.
  kindIn("v1", "Namespace", { namespaced: false, hasStatus: true }),
];

export const groups: readonly string[] = [...new Set(kinds.map(({ group }) => group))];

export function kindOf(plural: string): Kind {
  const found = kinds.find((kind) => kind.plural === plural);
  if (found === undefined) throw new Error(`this server has no ${plural}`);
  return found;
}

/** What a path names. Without `name` it is a collection, and without `namespace` it spans all of them. */
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
