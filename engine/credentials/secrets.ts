import { credentialsName } from "./names.ts";

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

export const credentialsType = "mirror.linkerd.io/remote-kubeconfig";

export interface Namespaces {
  readonly linkerd: string;
  readonly multicluster: string;
}

/**
 * The two Secrets of a link, both in the source (linkerd-behaviour.md 1.4). The mirror controller
 * reads its copy by name; the destination controller finds its own by type and label, and passes
 * over one that lacks an annotation.
 */
export function credentialsSecrets<Text>(
  target: string,
  { trustDomain, clusterDomain }: Record<"trustDomain" | "clusterDomain", Text>,
  namespaces: Namespaces,
): { readonly mirror: SecretHead<Text>; readonly destination: SecretHead<Text> } {
  const name = credentialsName(target);
  const type = credentialsType;
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
