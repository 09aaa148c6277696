/**
 * Names, types and labels of the objects that a link's credentials consist of: in the target a
 * service account with its tokens, in the source two Secrets.
 */

export interface Namespaces {
  /** Of Linkerd's control plane. */
  readonly linkerd: string;
  /** Of Linkerd's multicluster extension. */
  readonly multicluster: string;
}

/** The service account in the target that stands for one consumer, and so can be revoked alone. */
export function accountName(source: string): string {
  return `linkerd-multicluster-access-${source}`;
}

/** The Secrets in the source; Linkerd's tools and RBAC expect this very name (1.4, 1.9). */
export function credentialsName(target: string): string {
  return `cluster-credentials-${target}`;
}

/** By this label the program finds its own tokens; Linkerd's and Helm's have other values. */
export const managedBy = { "app.kubernetes.io/managed-by": "linkerd-multicluster" } as const;

/** The same as a selector, and as text. */
export const managedByLabel = Object.entries(managedBy)
  .map((pair) => pair.join("="))
  .join(",");

export const tokenType = "kubernetes.io/service-account-token";

/** Annotation of a token Secret that names its service account. */
export const accountAnnotation = "kubernetes.io/service-account.name";

/** Annotation of the destination controller's Secret: whether its token may discover pods. */
export const discoveryAnnotation = "linkerd-multicluster/discovery";

/**
 * Metadata and type of a credentials Secret; its one key, `kubeconfig`, is added where it is made.
 * `Text` may stand for a text that is not known yet.
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
 * The two Secrets of a link, both in the source (linkerd-behaviour.md 1.4). The mirror controller
 * reads its copy by name; the destination controller finds its own by type and label, and ignores
 * one that lacks an annotation.
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
