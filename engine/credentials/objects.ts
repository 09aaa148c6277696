/**
 * Names, types and labels of a link's credentials: in the target a service account with its tokens, in the source two
 * Secrets.
 */

export interface Namespaces {
  /** The namespace of Linkerd's control plane. */
  readonly linkerd: string;
  /** The namespace of Linkerd's multicluster extension. */
  readonly multicluster: string;
}

/** The service account in the target for one source, so that it can be revoked alone. */
export function accountName(source: string): string {
  return `linkerd-multicluster-access-${source}`;
}

/** The name of the Secrets in the source, which Linkerd's tools and RBAC expect (1.4, 1.9). */
export function credentialsName(target: string): string {
  return `cluster-credentials-${target}`;
}

/** The label that identifies the program's own tokens; Linkerd's and Helm's have other values. */
export const managedBy = { "app.kubernetes.io/managed-by": "linkerd-multicluster" } as const;

export const managedByLabel = Object.entries(managedBy)
  .map((pair) => pair.join("="))
  .join(",");

export const tokenType = "kubernetes.io/service-account-token";

/** The annotation by which a token Secret names its service account. */
export const accountAnnotation = "kubernetes.io/service-account.name";

/** Set on the destination controller's Secret: whether its token may discover pods. */
export const discoveryAnnotation = "linkerd-multicluster/discovery";

/**
 * Metadata and type of a credentials Secret, without its only key `kubeconfig`. `Text` may stand for a text that
 * isn't known yet.
 */
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
 * Returns the two Secrets of a link, both in the source (linkerd-behaviour.md 1.4). The mirror controller reads its
 * copy by name. The destination controller finds its own by type and label, and ignores one without the annotation.
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

/** Metadata of an account and its role and binding in the target. */
export function accountMetadata(account: string) {
  return { name: account, labels: { "linkerd.io/extension": "multicluster", ...managedBy } };
}

/** The binding of an account to the ClusterRole of the same name. */
export function accountBinding(account: string, namespace: string) {
  return {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: account },
    subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  };
}

/** A token Secret, which Kubernetes fills. `Text` may stand for a text that isn't known yet. */
export function tokenHead<Text>(account: string, name: Text, namespace: string) {
  const { labels } = accountMetadata(account);
  return {
    metadata: { name, namespace, labels, annotations: { [accountAnnotation]: account } },
    type: tokenType,
  };
}
