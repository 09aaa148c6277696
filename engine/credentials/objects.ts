export interface Namespaces {
  readonly linkerd: string;
  readonly multicluster: string;
}

/** Each source has its own service account in a target, so that it can be revoked alone. */
export function accountName(source: string): string {
  return `linkerd-multicluster-access-${source}`;
}

/** Linkerd's tools and RBAC expect this name of the Secrets in the source (linkerd-behaviour.md 1.4, 1.9). */
export function credentialsName(target: string): string {
  return `cluster-credentials-${target}`;
}

/** Objects of Linkerd's tools and of Helm have other values of this label. */
export const managedBy = { "app.kubernetes.io/managed-by": "linkerd-multicluster" } as const;
export const managedByLabel = "app.kubernetes.io/managed-by=linkerd-multicluster";

export const tokenType = "kubernetes.io/service-account-token";
export const accountAnnotation = "kubernetes.io/service-account.name";

/** The destination controller's Secret says with it whether its token may discover pods. */
export const discoveryAnnotation = "linkerd-multicluster/discovery";

/** The Secret's only key `kubeconfig` is left out. `Text` may stand for a text that isn't known yet. */
export interface SecretHead<Text> {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, Text>;
  };
  readonly type: string;
}

/**
 * The mirror controller reads its Secret by name. The destination controller finds its own by type and label, and ignores
 * one without the annotation (linkerd-behaviour.md 1.4).
 */
export function credentialsSecrets<Text>(
  target: string,
  { trustDomain, clusterDomain }: Record<"trustDomain" | "clusterDomain", Text>,
  namespaces: Namespaces,
): { readonly mirror: SecretHead<Text>; readonly destination: SecretHead<Text> } {
  const name = credentialsName(target);
  const type = "mirror.linkerd.io/remote-kubeconfig";
  return {
    mirror: { metadata: { name, namespace: namespaces.multicluster }, type },
    destination: {
      metadata: {
        name,
        namespace: namespaces.linkerd,
        labels: { "multicluster.linkerd.io/cluster-name": target },
        annotations: {
          "multicluster.linkerd.io/trust-domain": trustDomain,
          "multicluster.linkerd.io/cluster-domain": clusterDomain,
        },
      },
      type,
    },
  };
}

/** The account's role and binding have the same metadata. */
export function accountMetadata(account: string) {
  return { name: account, labels: { "linkerd.io/extension": "multicluster", ...managedBy } };
}

/** The ClusterRole has the account's name. */
export function accountBinding(account: string, namespace: string) {
  return {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: account },
    subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  };
}

/** Kubernetes fills such a Secret. `Text` may stand for a text that isn't known yet. */
export function tokenHead<Text>(account: string, name: Text, namespace: string) {
  const { labels } = accountMetadata(account);
  return {
    metadata: { name, namespace, labels, annotations: { [accountAnnotation]: account } },
    type: tokenType,
  };
}
