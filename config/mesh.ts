import type { TokenRotation } from "@linkerd-multicluster/engine/credentials";
import type { ClusterAccess } from "@linkerd-multicluster/engine/kubernetes";
import type { GatewaySource, LinkSpec } from "@linkerd-multicluster/engine/mirroring";
import type { charts, cluster, generatedTrust, issuer, stack } from "./keys.ts";
import type { Filled } from "./schema.ts";

/**
 * The mesh that the stack config asks for, checked and with every default filled in; parseConfig makes it.
 * Plain data. What its values mean is in the table of keys (keys.ts).
 */
export interface MeshConfig extends Pick<
  Filled<typeof stack.keys>,
  "manage" | "linkerdCheck" | "linkerdNamespace" | "multiclusterNamespace"
> {
  /** The clusters by name, in the order of the config, which Pulumi hands over sorted by name. */
  readonly clusters: ReadonlyMap<string, ClusterConfig>;
  /** Names of the clusters, revoked ones too, that are this stack's (share.ts). */
  readonly sources: ReadonlySet<string>;
  /** The listed ones in the order of the config, then those of the topology in cluster order. */
  readonly links: readonly LinkConfig[];
  /** The clusters and links that are no longer trusted; none of it is among `clusters` and `links`. */
  readonly revoked: Revoked;
  /** The settings of links that are no longer listed, as far as linkDefaults has them. */
  readonly removedLinks: { readonly allowDeletions: boolean };
  readonly trust: TrustConfig;
  readonly charts: ChartsConfig;
}

/** Clusters and links with `revoked: true`. */
export interface Revoked {
  /** The revoked clusters by name. Nothing may contact them. */
  readonly clusters: ReadonlyMap<string, ClusterConfig>;
  /** Links that are revoked by themselves, between clusters that are not. */
  readonly links: readonly { readonly source: string; readonly target: string }[];
}

/**
 * Where the trust anchors and issuers come from, which all clusters share: the stack's state, the
 * config, others who put them on every cluster, or another stack, of the trust root alone.
 */
export type TrustConfig =
  | GeneratedTrust
  | ProvidedTrust
  | { readonly kind: "external" }
  | { readonly kind: "stack"; readonly stack: string };

/** An issuer is renewed before it expires, as `renewBeforeDays` is less than `issuerValidityDays`. */
export interface GeneratedTrust extends Filled<typeof generatedTrust> {
  readonly kind: "generated";
  /** PEM of at least one certificate. */
  readonly extraAnchors?: string;
  /** Pods that a rotation does not wait for, as engine/trust/live.ts has them. */
  readonly ignorePods: readonly string[];
}

/** Anchors and issuers from the config: the anchors' private keys are in no state. */
export interface ProvidedTrust {
  readonly kind: "provided";
  /** PEM of at least one certificate. */
  readonly anchors: string;
  /** The issuers by cluster; every cluster of the stack has one, under one of the anchors. */
  readonly issuers: ReadonlyMap<string, Filled<typeof issuer.keys>>;
  readonly ignorePods: readonly string[];
}

export type ChartsConfig = Filled<typeof charts.keys>;

/** A cluster of the mesh, with what its links have to know of it. */
export interface ClusterConfig extends Omit<
  Filled<typeof cluster.keys>,
  "context" | "kubeconfig" | "gateway" | "revoked"
> {
  /** The name in the config and every message; the suffix of its mirrors. */
  readonly name: string;
  readonly access: ClusterAccess;
  readonly trustDomain: string;
  /** Whether it is not just the default, so that a cluster which runs with another may get it. */
  readonly isTrustDomainSet: boolean;
  /** The gateway of links that target this cluster; `false`: it has none (a flat network). */
  readonly gateway: GatewaySource | false;
  /** Whether it gets Linkerd's gateway; without it that depends on the links. */
  readonly gatewayEnabled?: boolean;
}

export type HelmValues = Readonly<Record<string, unknown>>;

/** A link of the mesh. */
export interface LinkConfig {
  /** The settings that the engine mirrors by. */
  readonly spec: LinkSpec;
  /** Who makes the mirrors: this program, or Linkerd's controller, which it then provisions. */
  readonly mirroring: "pulumi" | "controller";
  /** The rotation of the token by which the source's Linkerd reaches the target. */
  readonly rotation: TokenRotation;
}
