import { bounds } from "../../kubernetes/objects/bounds.ts";
import { label, linkerdNames, type Naming, type Placing } from "./vocabulary.ts";

/** The settings of a link, with every default filled in. Plain data: it travels as resource inputs. */

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/** A Kubernetes label selector, except that one without terms selects nothing (#11344). */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

export interface GatewaySource {
  /** The target's gateway Service, which provides what the settings don't override. */
  readonly namespace: string;
  readonly name: string;
  /** IPs or host names that are used instead of the Service's load balancer addresses. */
  readonly addresses?: readonly string[];
  /** Ranges in CIDR notation for load balancer addresses; absent if any address that isn't special is allowed. */
  readonly allowedAddresses?: readonly string[];
  readonly port?: number;
  readonly identity?: string;
}

export interface LinkSpec extends Naming, Placing {
  /** The cluster in which mirrors appear. */
  readonly source: string;
  /** The cluster whose Services are exported. */
  readonly target: string;
  /** The target's cluster domain, as its own gateway knows it. */
  readonly targetDomain: string;
  /** The target exports only Services that list the clusters that may import them. */
  readonly privateUnlessListed: boolean;
  /** `false` on a flat network, where pods reach each other without a gateway. */
  readonly gateway: GatewaySource | false;
  readonly headless: boolean;
  readonly selector: LabelSelector;
  readonly remoteDiscoverySelector: LabelSelector;
  readonly federatedServiceSelector: LabelSelector;
  /** With `keep`, mirrors of former names stay until those of the present names exist. */
  readonly formerNames: "keep" | "delete";
  /** Namespaces whose Services are mirrored: names, or prefixes that end with `*`. */
  readonly namespaces: readonly string[];
  /** Excluded namespaces in the same form; they take precedence over `namespaces`. */
  readonly excludedNamespaces: readonly string[];
  /** Literal keys, or `group/*` for all keys of a group. */
  readonly excludedLabels: readonly string[];
  readonly excludedAnnotations: readonly string[];
  /** Keys of other controllers (metadata.ts) that are copied nevertheless, in the same form. */
  readonly copiedMetadata: readonly string[];
  readonly createNamespaces: boolean;
  readonly readiness: "ignore" | "follow";
  readonly gatewayProbe: boolean;
  /** The number of mirrors that one run may delete, or a percentage of the link's mirrors like `50%`. */
  readonly maxDeletions: number | `${number}%`;
  readonly allowDeletions: boolean;
  /** The number of mirrors that the link may have in the source, and of members of federated Services. */
  readonly maxMirrors: number;
  readonly unreachable: "keep" | "fail";
  /** Stacks (`organization/project/stack`) whose mirrors and members of this link become this stack's. */
  readonly adoptFrom: readonly string[];
}

/** The gateway Service that Linkerd's multicluster extension installs. */
export const linkerdGateway: GatewaySource = {
  namespace: "linkerd-multicluster",
  name: "linkerd-gateway",
};

/**
 * Namespaces of system components. Services there are trusted because of where they are: Prometheus sends its token
 * to the kubelet's Service.
 */
export function systemNamespaces(linkerd: string, multicluster: string): readonly string[] {
  return ["kube-*", linkerd, multicluster, "linkerd-jaeger", "linkerd-viz"];
}

/** The defaults of a link's settings. */
export const linkDefaults: Omit<LinkSpec, "source" | "target"> = {
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
  maxDeletions: "50%",
  allowDeletions: false,
  maxMirrors: bounds.mirrors.most,
  unreachable: "keep",
  adoptFrom: [],
};
