/** The spelling follows `pkg/k8s/labels.go` of linkerd2 (linkerd-behaviour.md 0 and 2.2). */

import { objectKey, type ObjectKey } from "../kubernetes/objects/objects.ts";

export const label = {
  mirrored: "mirror.linkerd.io/mirrored-service",
  cluster: "mirror.linkerd.io/cluster-name",
  /** An endpoint mirror names its headless mirror here. */
  headlessRoot: "mirror.linkerd.io/headless-mirror-svc-name",
  mirroredGateway: "mirror.linkerd.io/mirrored-gateway",
  exported: "mirror.linkerd.io/exported",
  federated: "mirror.linkerd.io/federated",
  /** A mirror for remote discovery names its target here. */
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
  /** A federated Service lists `svc@cluster` tokens here, separated by commas. */
  remoteMembers: "multicluster.linkerd.io/remote-discovery",
  localMember: "multicluster.linkerd.io/local-discovery",
} as const;

const ownPrefix = "linkerd-multicluster/";

/** Exported Services carry these annotations of this program, which Linkerd's controllers don't know. */
export const exportAnnotation = {
  /** Lists the clusters that may import the Service, separated by commas; a trailing `*` matches any suffix. */
  clusters: `${ownPrefix}clusters`,
  /** Lists the ports that they import by name or number, separated by commas. */
  ports: `${ownPrefix}ports`,
} as const;

export const gatewayPort = "mc-gateway";
export const probePort = "mc-probe";

/** Linkerd's charts call theirs `probe-<cluster>`, and bring it before this one is gone when a link changes hands. */
export function probeName(target: string): string {
  return `ping-${target}`;
}

export interface Naming {
  readonly target: string;
  /** The pattern has one `{service}`, and `{target}` for the target's name. */
  readonly names: string;
}

export interface Placing {
  /** Namespaces of mirrors by those of their Services, `*` for all others; `{namespace}` is the Service's own. */
  readonly mirrorNamespaces: Readonly<Record<string, string>>;
}

export const linkerdNames = "{service}-{target}";

/** @param name of a Service, or of a pod for its endpoint mirror */
export function mirrorName(name: string, naming: Naming): string {
  const [before, after] = aroundService(naming);
  return `${before}${name}${after}`;
}

/** Returns undefined if no Service or pod has a mirror of this name. */
export function nameInTarget(mirror: string, naming: Naming): string | undefined {
  const [before, after] = aroundService(naming);
  const fits =
    mirror.length > before.length + after.length &&
    mirror.startsWith(before) &&
    mirror.endsWith(after);
  return fits ? mirror.slice(before.length, mirror.length - after.length) : undefined;
}

function aroundService({ names, target }: Naming): readonly [string, string] {
  const [before = "", after = ""] = names.replaceAll("{target}", target).split("{service}");
  return [before, after];
}

export function mirrorNamespace(namespace: string, { mirrorNamespaces }: Placing): string {
  const { [namespace]: own, "*": other = "{namespace}" } = mirrorNamespaces;
  return (own ?? other).replaceAll("{namespace}", namespace);
}

/** Returns where a link puts the mirror of a Service. */
export function mirrorPlace(service: ObjectKey, link: Naming & Placing): ObjectKey {
  const [namespace = "", name = ""] = service.split("/");
  return objectKey(mirrorNamespace(namespace, link), mirrorName(name, link));
}

export function federatedName(service: string): string {
  return `${service}-federated`;
}

/** Returns where the federated Service is that Services of this key join. */
export function federatedKey(origin: ObjectKey): ObjectKey {
  const [namespace = "", service = ""] = origin.split("/");
  return objectKey(namespace, federatedName(service));
}

/** Linkerd's destination controller reads remote members in this form. */
export function memberToken(service: string, cluster: string): string {
  return `${service}@${cluster}`;
}

export function clusterOfToken(token: string): string {
  return token.slice(token.indexOf("@") + 1);
}

/** Drops blanks that Linkerd leaves. */
export function tokensIn(annotations: Readonly<Record<string, string>>): string[] {
  const list = annotations[annotation.remoteMembers] ?? "";
  return list
    .split(",")
    .map((token) => token.trim())
    .filter((token) => token !== "");
}

/** Names an exported Service, or one of its pods. */
export function originPath(origin: ObjectKey, hostname?: string): string {
  const [namespace = "", name = ""] = origin.split("/");
  return [...(hostname === undefined ? [] : [hostname]), name, namespace].join(".");
}

export function remoteName(path: readonly string[], namespace: string, domain: string): string {
  return `${path.join(".")}.${namespace}.svc.${domain}`;
}
