import { bounds } from "../../kubernetes/objects/bounds.ts";
import { isDeepStrictEqual } from "node:util";
import { label } from "./vocabulary.ts";

/** What a Link asks for, with every default filled in. Plain data: it travels as resource inputs. */

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/** A Kubernetes label selector, except that one without a single term selects nothing (#11344). */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

export interface GatewaySource {
  /** The target's gateway Service, from which whatever is not overridden is read. */
  readonly namespace: string;
  readonly name: string;
  /** IPs or hostnames that win over the Service's load balancer addresses. */
  readonly addresses?: readonly string[];
  /** In CIDR notation: where load balancer addresses may be; absent: anywhere that is not special. */
  readonly allowedAddresses?: readonly string[];
  readonly port?: number;
  readonly identity?: string;
}

export interface LinkSpec {
  /** Name of the cluster in which mirrors appear. */
  readonly source: string;
  /** Name of the cluster whose Services are exported; the suffix of every mirror's name. */
  readonly target: string;
  /** The target's cluster domain, as its own gateway knows it. */
  readonly targetDomain: string;
  /** `false`: a flat network, where pods reach each other and no gateway is needed. */
  readonly gateway: GatewaySource | false;
  readonly headless: boolean;
  readonly selector: LabelSelector;
  readonly remoteDiscoverySelector: LabelSelector;
  readonly federatedServiceSelector: LabelSelector;
  /** Namespaces whose Services it is about: names, or how names begin and then `*`. */
  readonly namespaces: readonly string[];
  /** Likewise; they win over `namespaces`. */
  readonly excludedNamespaces: readonly string[];
  /** Literal keys, or `group/*` for every key of a group. */
  readonly excludedLabels: readonly string[];
  readonly excludedAnnotations: readonly string[];
  /** Likewise: of other controllers' keys (metadata.ts) those that are copied all the same. */
  readonly copiedMetadata: readonly string[];
  readonly createNamespaces: boolean;
  readonly readiness: "ignore" | "follow";
  /** Whether a gateway that does not answer its probe takes the addresses of its mirrors out. */
  readonly gatewayProbe: boolean;
  /** How many mirrors one run may delete: a count, or a share of the link's mirrors like `50%`. */
  readonly maxDeletions: number | `${number}%`;
  readonly allowDeletions: boolean;
  /** How many mirrors the link may have in the source; and as many members of federated Services. */
  readonly maxMirrors: number;
  readonly unreachable: "keep" | "fail";
  /** Stacks, as `organization/project/stack`, whose mirrors and members of this link become this stack's. */
  readonly adoptFrom: readonly string[];
}

/** A link with only what differs from the defaults: how it travels as inputs and rests in state. */
export type LinkSettings = Pick<LinkSpec, "source" | "target"> & Partial<LinkSpec>;

/** The gateway Service as Linkerd's multicluster extension installs it. */
export const linkerdGateway: GatewaySource = {
  namespace: "linkerd-multicluster",
  name: "linkerd-gateway",
};

/**
 * Namespaces of what runs a cluster itself: Services there are trusted for what they are, as the
 * kubelet's is with the token of the Prometheus that scrapes it.
 */
export function systemNamespaces(linkerd: string, multicluster: string): readonly string[] {
  return ["kube-*", linkerd, multicluster, "linkerd-jaeger", "linkerd-viz"];
}

/** What a link does where its config says nothing. */
export const linkDefaults: Omit<LinkSpec, "source" | "target"> = {
  targetDomain: "cluster.local",
  gateway: linkerdGateway,
  headless: false,
  selector: { matchLabels: { [label.exported]: "true" } },
  remoteDiscoverySelector: { matchLabels: { [label.exported]: "remote-discovery" } },
  federatedServiceSelector: { matchLabels: { [label.federated]: "member" } },
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

export function settingsOf(link: LinkSpec): LinkSettings {
  const { source, target, ...rest } = link;
  const own = Object.entries(rest).filter(
    ([key, value]) => !isDeepStrictEqual(value, (linkDefaults as Record<string, unknown>)[key]),
  );
  return { source, target, ...Object.fromEntries(own) };
}

export function linkOf(settings: LinkSettings): LinkSpec {
  return { ...linkDefaults, ...settings };
}
