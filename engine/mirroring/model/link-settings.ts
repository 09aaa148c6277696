import { isDeepStrictEqual } from "node:util";
import type { GatewaySource, LinkSpec } from "./link.ts";
import { label } from "./vocabulary.ts";

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
  maxMirrors: 5_000,
  unreachable: "keep",
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
