import type { ObjectKey } from "../../kubernetes/objects/objects.ts";

/**
 * Preview, status, documentation and tests share this table of reasons why a Service has no mirror or its mirror isn't
 * updated. `keeps` means that an existing mirror stays as it is; otherwise it is deleted. `status` is the reason in
 * Linkerd's Link status (linkerd-behaviour.md 1.3).
 */
export const reasons = {
  BeingDeleted: {
    keeps: true,
    status: "Error",
    meaning: "the mirror is being deleted, but a finalizer keeps it",
  },
  CollidingName: {
    keeps: true,
    status: "InvalidService",
    meaning:
      "another mirror would have the same name, or the name ends in the suffix of another cluster's mirrors",
  },
  ExcludedNamespace: {
    keeps: false,
    status: "InvalidService",
    meaning: "the link doesn't mirror this namespace (namespaces, excludedNamespaces)",
  },
  ExternalName: {
    keeps: false,
    status: "InvalidService",
    meaning: "an ExternalName Service is only an alias in DNS",
  },
  HeadlessMember: {
    keeps: false,
    status: "InvalidService",
    meaning: "a headless Service cannot be a member of a federated Service",
  },
  InvalidExport: {
    keeps: false,
    status: "InvalidService",
    meaning:
      "an annotation that says who may import the Service, or which ports, can't be read or names no port of it",
  },
  InvalidName: {
    keeps: false,
    status: "InvalidService",
    meaning:
      "the mirror's name would not begin with a letter, which Kubernetes requires of a Service",
  },
  IsMirror: {
    keeps: false,
    status: "InvalidService",
    meaning:
      "the Service is a mirror itself; clusters linked both ways would otherwise mirror each other's mirrors",
  },
  MissingNamespace: {
    keeps: false,
    status: "MissingNamespace",
    meaning: "the source cluster lacks the namespace, and createNamespaces is off",
  },
  NameTooLong: {
    keeps: false,
    status: "InvalidService",
    meaning: "the mirror's name would have more than the 63 characters Kubernetes allows",
  },
  NoCommonPort: {
    keeps: false,
    status: "InvalidService",
    meaning:
      "the member omits every port that the other members of the federated Service have in common",
  },
  NoGateway: {
    keeps: true,
    status: "Error",
    meaning: "the target's gateway has no usable address, port or identity yet",
  },
  NoPods: {
    keeps: true,
    status: "InvalidService",
    meaning:
      "the headless Service has no pods yet, so nobody knows whether its pods have hostnames",
  },
  NoPorts: {
    keeps: false,
    status: "InvalidService",
    meaning: "the exported Service has no ports, and a mirror needs at least one",
  },
  NotListed: {
    keeps: false,
    status: "InvalidService",
    meaning:
      "the target doesn't let this cluster import the Service (annotation linkerd-multicluster/clusters, privateUnlessListed)",
  },
  NotOurs: {
    keeps: true,
    status: "Error",
    meaning: "an object that this stack doesn't own has the mirror's name",
  },
  OtherNamespace: {
    keeps: true,
    status: "InvalidService",
    meaning:
      "mirrorNamespaces moves the mirror to another namespace, where Linkerd can't discover pods (flat networks only)",
  },
  TerminatingNamespace: {
    keeps: true,
    status: "Error",
    meaning: "the namespace is being deleted in the source cluster",
  },
  TooLarge: {
    keeps: true,
    status: "InvalidService",
    meaning:
      "the Service has more ports, labels, annotations or pods than a mirror can have ([limits](limits.md))",
  },
  TooManyMirrors: {
    keeps: true,
    status: "Error",
    meaning: "the link has reached maxMirrors, or the source has reached a [limit](limits.md)",
  },
  TruncatedEndpoints: {
    keeps: true,
    status: "Error",
    meaning:
      "the headless Service has more than 1,000 pods, and its Endpoints list only the first 1,000",
  },
} as const;

export type Reason = keyof typeof reasons;

export interface Why {
  readonly reason: Reason;
  readonly sentence: string;
  readonly fix?: Fix;
}

/** Holds a line for the link's config, or the arguments of kubectl for one cluster. */
export type Fix = string | { readonly cluster: string; readonly kubectl: string };

export function fixText(fix: Fix, contextOf: (cluster: string) => string): string {
  return typeof fix === "string"
    ? fix
    : `kubectl --context ${contextOf(fix.cluster)} ${fix.kubectl}`;
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
