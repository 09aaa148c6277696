import { resources } from "../kubernetes/objects/resources.ts";
import { excludedByLink } from "../model/metadata.ts";
import type { LabelSelector, LinkSpec } from "../model/link.ts";
import { programVersion } from "../base/version.ts";
import type { LinkGateway, TargetFacts } from "./state.ts";

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
export const managedByLabel = Object.entries(managedBy)
  .map((pair) => pair.join("="))
  .join(",");

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

export const destinationLabel = "multicluster.linkerd.io/cluster-name";

/** Linkerd finds one by its name, and the other by type, label and annotations (linkerd-behaviour.md 1.4). */
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
        labels: { [destinationLabel]: target },
        annotations: {
          "multicluster.linkerd.io/trust-domain": trustDomain,
          "multicluster.linkerd.io/cluster-domain": clusterDomain,
        },
      },
      type,
    },
  };
}

/** The account and the Link of a link name it. State can't tell under which names a stack has made them. */
export const ownerAnnotation = "linkerd-multicluster/link";

interface OwnLink extends Pick<LinkSpec, "source" | "target"> {
  /** The stack, as `organization/project/stack`. */
  readonly stack: string;
}

/** Returns `organization/project/stack source/target`. */
export function linkOwner({ stack, source, target }: OwnLink): string {
  return `${stack} ${source}/${target}`;
}

/** Returns the link of this stack that the text names, and undefined if it is another stack's. */
export function ownedLink(owner: string | undefined, stack: string): string | undefined {
  const [named, link] = owner?.split(" ") ?? [];
  return named === stack ? link : undefined;
}

const accountLabels = { "linkerd.io/extension": "multicluster", ...managedBy };

export function accountMetadata(account: string, owner: string) {
  return { name: account, labels: accountLabels, annotations: { [ownerAnnotation]: owner } };
}

export function accountBinding(account: string, namespace: string) {
  return {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: account },
    subjects: [{ kind: "ServiceAccount", name: account, namespace }],
  };
}

/** Kubernetes fills such a Secret. `Text` may stand for a text that isn't known yet. */
export function tokenHead<Text>(account: string, name: Text, namespace: string) {
  return {
    metadata: {
      name,
      namespace,
      labels: accountLabels,
      annotations: { [accountAnnotation]: account },
    },
    type: tokenType,
  };
}

/** A rotation on demand increases the generation, a rotation by age the serial. */
interface TokenNumber {
  readonly generation: number;
  readonly serial: number;
}

export function tokenName(account: string, { generation, serial }: TokenNumber): string {
  return `${account}-token-${generation}-${serial}`;
}

/** Returns undefined if this program never gives a Secret such a name. */
export function tokenNumber(account: string, name: string): TokenNumber | undefined {
  const prefix = `${account}-token-`;
  const numbers = name.startsWith(prefix)
    ? /^([1-9]\d{0,8})-([1-9]\d{0,8})$/.exec(name.slice(prefix.length))
    : null;
  return numbers === null
    ? undefined
    : { generation: Number(numbers[1]), serial: Number(numbers[2]) };
}

const { apiVersion, kind } = resources.links;
export const linkVersion = { apiVersion, kind } as const;

/** A Link has the name of its target, because much of Linkerd takes one for the other (linkerd-behaviour.md 1.9). */
export function linkMetadata(target: string, namespaces: Namespaces, owner: string) {
  return {
    name: target,
    namespace: namespaces.multicluster,
    annotations: { "linkerd.io/created-by": programVersion, [ownerAnnotation]: owner },
  };
}

/**
 * The spec has every field that a program sets (linkerd-behaviour.md 1.2), as `linkerd multicluster link-gen` does (1.6), but
 * for the probe where nobody sends it: with one, Linkerd's check looks for what it says.
 * `selector` is for mirrors behind the gateway. The schema has defaults for the probe's timeout and threshold.
 */
export function linkManifestSpec(
  spec: LinkSpec,
  facts: TargetFacts,
  namespaces: Namespaces,
  mirroring: "pulumi" | "controller",
) {
  const { target } = spec;
  const excluded = excludedByLink(spec);
  const { gateway } = facts;
  const isProbed = mirroring === "controller" || spec.prober !== false;
  const mark = mirroring === "controller" ? [credentialsMark(spec, facts)] : [];
  return {
    targetClusterName: target,
    targetClusterDomain: facts.clusterDomain,
    targetClusterLinkerdNamespace: namespaces.linkerd,
    clusterCredentialsSecret: credentialsName(target),
    ...(gateway !== undefined && gatewayFields(gateway, spec.selector, isProbed)),
    remoteDiscoverySelector: spec.remoteDiscoverySelector,
    federatedServiceSelector: spec.federatedServiceSelector,
    excludedLabels: excluded.labels,
    excludedAnnotations: [...excluded.annotations, ...mark],
  };
}

function gatewayFields(
  { addresses, port, identity, probe }: LinkGateway,
  selector: LabelSelector,
  isProbed: boolean,
) {
  return {
    gatewayAddress: addresses.join(","),
    gatewayPort: String(port),
    gatewayIdentity: identity,
    ...(isProbed && probe !== undefined && { probeSpec: { ...probe, port: String(probe.port) } }),
    selector,
  };
}

/** Linkerd's controller reads its Secret only when the Link's spec changes (link_handlers.go), as with this annotation. */
function credentialsMark({ source }: LinkSpec, { token }: TargetFacts): string {
  const { generation = 0, serial = 0 } = tokenNumber(accountName(source), token) ?? {};
  return `linkerd-multicluster/credentials-${generation}-${serial}`;
}
