import { bounds } from "../kubernetes/objects/bounds.ts";
import { label, linkerdNames, type Naming, type Placing } from "./vocabulary.ts";

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/** Unlike a Kubernetes label selector, one without terms selects nothing (#11344). */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

export interface GatewaySource {
  /** This gateway Service of the target provides what the settings don't override. */
  readonly namespace: string;
  readonly name: string;
  /** IPs or host names are used instead of the Service's load balancer addresses. */
  readonly addresses?: readonly string[];
  /** Ranges in CIDR notation restrict load balancer addresses; absent if any address that isn't special is allowed. */
  readonly allowedAddresses?: readonly string[];
  readonly port?: number;
  readonly identity?: string;
}

export interface LinkSpec extends Naming, Placing {
  readonly source: string;
  readonly target: string;
  /** The target's own gateway knows this cluster domain. */
  readonly targetDomain: string;
  /** The target exports only Services that list the clusters that may import them. */
  readonly privateUnlessListed: boolean;
  /** `false` stands for a flat network, where pods reach each other without a gateway. */
  readonly gateway: GatewaySource | false;
  readonly headless: boolean;
  readonly selector: LabelSelector;
  readonly remoteDiscoverySelector: LabelSelector;
  readonly federatedServiceSelector: LabelSelector;
  /** With `keep`, mirrors of former names stay until those of the present names exist. */
  readonly formerNames: "keep" | "delete";
  /** Services in these namespaces are mirrored: names, or prefixes that end with `*`. */
  readonly namespaces: readonly string[];
  /** Excluded namespaces take precedence over `namespaces`. */
  readonly excludedNamespaces: readonly string[];
  /** Keys are literal, or `group/*` for all keys of a group. */
  readonly excludedLabels: readonly string[];
  readonly excludedAnnotations: readonly string[];
  /** These keys are copied: literal, `group/*`, or `*` for all but those of other controllers (metadata.ts). */
  readonly copiedMetadata: readonly string[];
  readonly createNamespaces: boolean;
  readonly readiness: "ignore" | "follow";
  readonly gatewayProbe: boolean;
  /** The image of the Deployment in the source that probes the target's gateway all the time. */
  readonly prober: string | false;
  /** One run may delete this many mirrors, or this percentage of the link's, such as `50%`. */
  readonly maxDeletions: number | `${number}%`;
  readonly allowDeletions: boolean;
  /** The link may have this many mirrors in the source, and this many members of federated Services. */
  readonly maxMirrors: number;
  readonly unreachable: "keep" | "fail";
  /** Mirrors and members that these stacks (`organization/project/stack`) have of this link become this stack's. */
  readonly adoptFrom: readonly string[];
}

export type LinkSettings = Omit<LinkSpec, "source" | "target">;

/** A link has the settings that its config declares, and `wholeLink` fills in the rest. */
export type DeclaredLink = Pick<LinkSpec, "source" | "target"> & Partial<LinkSettings>;

/** Linkerd's multicluster extension installs this gateway Service. */
export const linkerdGateway: GatewaySource = {
  namespace: "linkerd-multicluster",
  name: "linkerd-gateway",
};

/**
 * Services in these namespaces are trusted because of where they are: Prometheus sends its token to the kubelet's
 * Service.
 */
export function systemNamespaces(linkerd: string, multicluster: string): readonly string[] {
  return ["kube-*", linkerd, multicluster, "linkerd-jaeger", "linkerd-viz"];
}

/** Decides which labels and annotations of an exported Service its mirror has. */
export type MetadataRules = Pick<
  LinkSpec,
  "excludedLabels" | "excludedAnnotations" | "copiedMetadata"
>;

export const linkDefaults: LinkSettings = {
  targetDomain: "cluster.local",
  privateUnlessListed: false,
  gateway: linkerdGateway,
  headless: false,
  selector: { matchLabels: { [label.exported]: "true" } },
  remoteDiscoverySelector: { matchLabels: { [label.exported]: "remote-discovery" } },
  federatedServiceSelector: { matchLabels: { [label.federated]: "member" } },
  names: linkerdNames,
  formerNames: "keep",
  mirrorNamespaces: {},
  namespaces: ["*"],
  excludedNamespaces: systemNamespaces("linkerd", linkerdGateway.namespace),
  excludedLabels: [],
  excludedAnnotations: [],
  copiedMetadata: [],
  createNamespaces: false,
  readiness: "ignore",
  gatewayProbe: false,
  prober: false,
  maxDeletions: "50%",
  allowDeletions: false,
  maxMirrors: bounds.mirrors.most,
  unreachable: "keep",
  adoptFrom: [],
};

/** Says whether mirrors of the link depend on Endpoints of the target. Health checks ask for those of other mirrors. */
export function dependsOnEndpoints({ headless, readiness }: LinkSpec): boolean {
  return headless || readiness === "follow";
}

/** @param shared what the config declares for all links together */
export function wholeLink(link: DeclaredLink, shared: Partial<LinkSettings> = {}): LinkSpec {
  return { ...linkDefaults, ...shared, ...link };
}
