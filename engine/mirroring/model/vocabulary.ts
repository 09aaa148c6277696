/**
 * Linkerd's labels, annotations and name rules, as `pkg/k8s/labels.go` of linkerd2 spells them
 * (linkerd-behaviour.md 0 and 2.2).
 */

import type { ObjectKey } from "../../kubernetes/objects/objects.ts";

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

const ownPrefix = "linkerd-multicluster/";

/** This program's annotations on exported Services, which Linkerd's controllers don't know. */
export const exportAnnotation = {
  /** The clusters that may import it: names, separated by commas; a trailing `*` matches any suffix. */
  clusters: `${ownPrefix}clusters`,
  /** The ports that they import: names or numbers, separated by commas. */
  ports: `${ownPrefix}ports`,
} as const;

/** Names of the ports of a gateway Service. */
export const gatewayPort = "mc-gateway";
export const probePort = "mc-probe";

export interface Naming {
  readonly target: string;
  /** A name with one `{service}`, and `{target}` for the target's name. */
  readonly names: string;
}

export interface Placing {
  /** The namespaces of mirrors by those of their Services, `*` for all others; `{namespace}` is the Service's own. */
  readonly mirrorNamespaces: Readonly<Record<string, string>>;
}

export const linkerdNames = "{service}-{target}";

/** @param name of a Service, or of a pod for its endpoint mirror */
export function mirrorName(name: string, naming: Naming): string {
  const [before, after] = aroundService(naming);
  return `${before}${name}${after}`;
}

/** Returns the name of the Service or pod whose mirror has this name; undefined if none has. */
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

/** Returns the namespace of the mirrors of Services in this namespace. */
export function mirrorNamespace(namespace: string, { mirrorNamespaces }: Placing): string {
  const { [namespace]: own, "*": other = "{namespace}" } = mirrorNamespaces;
  return (own ?? other).replaceAll("{namespace}", namespace);
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

/** Returns `web.shop`, or `pod.web.shop`, for what a mirror stands for; the cluster domain may change. */
export function remotePath(annotations: Readonly<Record<string, string>> = {}): string | undefined {
  return annotations[annotation.remoteName]?.replace(/\.svc\..*/, "");
}

/** Returns the same for an exported Service, or for one pod of it. */
export function originPath(origin: ObjectKey, hostname?: string): string {
  const [namespace = "", name = ""] = origin.split("/");
  return [...(hostname === undefined ? [] : [hostname]), name, namespace].join(".");
}

/** Returns the name under which the target's gateway knows a Service, or one pod of it. */
export function remoteName(path: readonly string[], namespace: string, domain: string): string {
  return `${path.join(".")}.${namespace}.svc.${domain}`;
}
