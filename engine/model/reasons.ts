import { kubectlIn } from "../kubernetes/objects/names.ts";
import type { ObjectKey } from "../kubernetes/objects/objects.ts";

const kept = (status: string, meaning: string) => ({ keeps: true, status, meaning });
const deleted = (status: string, meaning: string) => ({ keeps: false, status, meaning });

/**
 * Preview, status, documentation and tests share this table of reasons why a Service has no mirror or its mirror isn't
 * updated. An existing mirror is kept as it is, or deleted. The first argument is the reason in the status of Linkerd's
 * Link (linkerd-behaviour.md 1.3).
 */
export const reasons = {
  BeingDeleted: kept("Error", "the mirror is being deleted, but a finalizer keeps it"),
  CollidingName: kept(
    "InvalidService",
    "another mirror would have the same name, or the name ends in the suffix of another cluster's mirrors",
  ),
  Drained: deleted(
    "InvalidService",
    "the cluster is drained (`drained`), so its Services are no members of federated Services",
  ),
  ExcludedNamespace: deleted(
    "InvalidService",
    "the link doesn't mirror this namespace (namespaces, excludedNamespaces)",
  ),
  ExternalName: deleted("InvalidService", "an ExternalName Service is only an alias in DNS"),
  HeadlessMember: deleted(
    "InvalidService",
    "a headless Service cannot be a member of a federated Service",
  ),
  InvalidExport: deleted(
    "InvalidService",
    "an annotation that says who may import the Service, or which ports, can't be read or names no port of it",
  ),
  InvalidName: deleted(
    "InvalidService",
    "the mirror's name would not begin with a letter, which Kubernetes requires of a Service",
  ),
  IsMirror: deleted(
    "InvalidService",
    "the Service is a mirror itself; clusters linked both ways would otherwise mirror each other's mirrors",
  ),
  MissingNamespace: deleted(
    "MissingNamespace",
    "the source cluster lacks the namespace, and createNamespaces is off",
  ),
  NameTooLong: deleted(
    "InvalidService",
    "the mirror's name would have more than the 63 characters Kubernetes allows",
  ),
  NarrowsOthers: deleted(
    "InvalidService",
    "the member would take ports, labels or annotations of the federated Service from its other members",
  ),
  NoCommonPort: deleted(
    "InvalidService",
    "the other members of the federated Service omit every port of the member",
  ),
  NoGateway: kept("Error", "the target's gateway has no usable address, port or identity yet"),
  NoPods: kept(
    "InvalidService",
    "the headless Service has no pods yet, or only EndpointSlices name them, so it isn't known whether its pods have hostnames",
  ),
  NoPorts: deleted(
    "InvalidService",
    "the exported Service has no ports, and a mirror needs at least one",
  ),
  NotListed: deleted(
    "InvalidService",
    "the target doesn't let this cluster import the Service (annotation linkerd-multicluster/clusters, privateUnlessListed)",
  ),
  NotOurs: kept("Error", "an object that this stack doesn't own has the mirror's name"),
  OtherNamespace: kept(
    "InvalidService",
    "mirrorNamespaces moves the mirror to another namespace, where Linkerd can't discover pods (flat networks only)",
  ),
  TerminatingNamespace: kept("Error", "the namespace is being deleted in the source cluster"),
  TooLarge: kept(
    "InvalidService",
    "the Service has more ports, labels, annotations or pods than a mirror can have ([limits](limits.md))",
  ),
  TooManyMirrors: kept(
    "Error",
    "the link has reached maxMirrors, or the source has reached a [limit](limits.md)",
  ),
  TruncatedEndpoints: kept(
    "Error",
    "the headless Service has more than 1,000 pods, and its Endpoints list only the first 1,000",
  ),
};

export type Reason = keyof typeof reasons;

export interface Why {
  readonly reason: Reason;
  readonly sentence: string;
  readonly fix?: Fix;
}

/** Holds a line for the link's config, or the arguments of kubectl for one cluster. */
export type Fix = string | { readonly cluster: string; readonly kubectl: string };

export function fixText(fix: Fix, contextOf: (cluster: string) => string): string {
  return typeof fix === "string" ? fix : `${kubectlIn(contextOf(fix.cluster))} ${fix.kubectl}`;
}

export interface Skip extends Why {
  readonly origin: ObjectKey;
  /** Names the exported Service's cluster, if the link alone doesn't tell. */
  readonly cluster?: string;
  /** Set if only this pod isn't mirrored. */
  readonly hostname?: string;
  readonly mirror: string;
  /** Set if it isn't the exported Service's. */
  readonly namespace?: string;
}
