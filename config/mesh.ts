import type { TokenRotation } from "@linkerd-multicluster/engine/credentials";
import type { ClusterAccess } from "@linkerd-multicluster/engine/kubernetes";
import type { GatewaySource, LinkSpec } from "@linkerd-multicluster/engine/mirroring";
import type { charts } from "./chart-keys.ts";
import type { cluster, stack } from "./keys.ts";
import type { generatedTrust, issuer } from "./trust-keys.ts";
import type { Filled } from "./schema.ts";

/**
 * The mesh of the stack config, checked and with every default filled in by parseConfig. The table of keys (keys.ts)
 * explains its values.
 */
export interface MeshConfig extends Pick<
  Filled<typeof stack.keys>,
  "manage" | "linkerdCheck" | "linkerdNamespace" | "multiclusterNamespace"
> {
  /** Clusters by name, in the order of the config, which Pulumi sorts by name. */
  readonly clusters: ReadonlyMap<string, ClusterConfig>;
  /** Names of this stack's clusters, including revoked ones (share.ts). */
  readonly sources: ReadonlySet<string>;
  /** Listed links in the order of the config, then those of the topology in cluster order. */
  readonly links: readonly LinkConfig[];
  /** Clusters and links that are no longer trusted; `clusters` and `links` contain none of them. */
  readonly revoked: Revoked;
  /** Settings from linkDefaults for links that are no longer listed. */
  readonly removedLinks: { readonly allowDeletions: boolean };
  readonly trust: TrustConfig;
  readonly charts: ChartsConfig;
}

export interface Revoked {
  /** Revoked clusters by name. Nothing may contact them. */
  readonly clusters: ReadonlyMap<string, ClusterConfig>;
  /** Revoked links between clusters that aren't revoked. */
  readonly links: readonly { readonly source: string; readonly target: string }[];
}

/**
 * The origin of the trust anchors and issuers, which all clusters share: the stack's state, the config, others who
 * install them on every cluster, or a trust stack.
 */
export type TrustConfig =
  | GeneratedTrust
  | ProvidedTrust
  | { readonly kind: "external" }
  | { readonly kind: "stack"; readonly stack: string };

/** An issuer is renewed before it expires, because `renewBeforeDays` is less than `issuerValidityDays`. */
export interface GeneratedTrust extends Filled<typeof generatedTrust> {
  readonly kind: "generated";
  readonly extraAnchors?: string;
  /** Pods for which a rotation doesn't wait (engine/trust/live.ts). */
  readonly ignorePods: readonly string[];
}

export interface ProvidedTrust {
  readonly kind: "provided";
  readonly anchors: string;
  /** Issuers by cluster; every cluster of the stack has one, under one of the anchors. */
  readonly issuers: ReadonlyMap<string, Filled<typeof issuer.keys>>;
  readonly ignorePods: readonly string[];
}

export type ChartsConfig = Filled<typeof charts.keys>;

export interface ClusterConfig extends Omit<
  Filled<typeof cluster.keys>,
  "context" | "kubeconfig" | "gateway" | "revoked"
> {
  /** The name in the config and in messages, and the suffix of its mirrors. */
  readonly name: string;
  readonly access: ClusterAccess;
  readonly trustDomain: string;
  /** Whether it was set, so that a cluster which runs with another one may get it. */
  readonly isTrustDomainSet: boolean;
  /** The gateway of links to this cluster; `false` if it has none (a flat network). */
  readonly gateway: GatewaySource | false;
  /** Whether it gets Linkerd's gateway; if absent, the links decide. */
  readonly gatewayEnabled?: boolean;
}

export type HelmValues = Readonly<Record<string, unknown>>;

export interface LinkConfig {
  readonly spec: LinkSpec;
  /** Whether this program writes the mirrors, or Linkerd's controller, which it then provisions. */
  readonly mirroring: "pulumi" | "controller";
  /** The rotation of the token with which the source's Linkerd reads the target. */
  readonly rotation: TokenRotation;
  /** Whether objects of the link that exist already become this stack's. */
  readonly adopt: boolean;
}
