/**
 * Linkerd's labels, annotations and name rules, as `pkg/k8s/labels.go` of linkerd2 spells them
 * (linkerd-behaviour.md 0 and 2.2).
 */

export const label = {
  mirrored: "mirror.linkerd.io/mirrored-service",
  cluster: "mirror.linkerd.io/cluster-name",
  /** Set on an endpoint mirror: the name of its headless mirror. */
  headlessRoot: "mirror.linkerd.io/headless-mirror-svc-name",
  mirroredGateway: "mirror.linkerd.io/mirrored-gateway",
  exported: "mirror.linkerd.io/exported",
  federated: "mirror.linkerd.io/federated",
  /** Set on a mirror for remote discovery: the name of the target. */
  remoteDiscovery: "multicluster.linkerd.io/remote-discovery",
  remoteService: "multicluster.linkerd.io/remote-service",
} as const;

export const annotation = {
  remoteResourceVersion: "mirror.linkerd.io/remote-resource-version",
  remoteName: "mirror.linkerd.io/remote-svc-fq-name",
  remoteGatewayIdentity: "mirror.linkerd.io/remote-gateway-identity",
  gatewayIdentity: "mirror.linkerd.io/gateway-identity",
  probePath: "mirror.linkerd.io/probe-path",
  probePeriod: "mirror.linkerd.io/probe-period",
  probeThreshold: "mirror.linkerd.io/probe-failure-threshold",
  opaquePorts: "config.linkerd.io/opaque-ports",
  /** Set on a federated Service: `svc@cluster` tokens, separated by commas. */
  remoteMembers: "multicluster.linkerd.io/remote-discovery",
  localMember: "multicluster.linkerd.io/local-discovery",
} as const;

/** Names of the ports of a gateway Service. */
export const gatewayPort = "mc-gateway";
export const probePort = "mc-probe";

export function mirrorName(service: string, target: string): string {
  return `${service}-${target}`;
}

export function endpointMirrorName(hostname: string, target: string): string {
  return `${hostname}-${target}`;
}

export function federatedName(service: string): string {
  return `${service}-federated`;
}

/** A remote member of a federated Service as Linkerd's destination controller reads it. */
export function memberToken(service: string, cluster: string): string {
  return `${service}@${cluster}`;
}

export function clusterOfToken(token: string): string {
  return token.slice(token.indexOf("@") + 1);
}

/** Returns the remote members that a federated Service lists, without blanks that Linkerd leaves. */
export function tokensIn(annotations: Readonly<Record<string, string>>): string[] {
  const list = annotations[annotation.remoteMembers] ?? "";
  return list
    .split(",")
    .map((token) => token.trim())
    .filter((token) => token !== "");
}

/** Returns the name under which the target's gateway knows a Service, or one pod of it. */
export function remoteName(path: readonly string[], namespace: string, domain: string): string {
  return `${path.join(".")}.${namespace}.svc.${domain}`;
}
