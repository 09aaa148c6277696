import type { TokenRotation } from "@linkerd-multicluster/engine/credentials";
import type { ClusterAccess } from "@linkerd-multicluster/engine/kubernetes";
import type {
  DeclaredLink,
  GatewaySource,
  LinkSettings,
  LinkSpec,
} from "@linkerd-multicluster/engine/mirroring";
import type { charts } from "./keys/chart-keys.ts";
import type { cluster, stack } from "./keys/keys.ts";
import type { generatedTrust, issuer } from "./keys/trust-keys.ts";
import type { Filled } from "./keys/schema.ts";

/** The stack config is checked, and parseConfig has filled in every default. The keys are explained in keys.ts. */
export interface MeshConfig extends Pick<
  Filled<typeof stack.keys>,
  | "manage"
  | "leaving"
  | "trustKeysExported"
  | "linkerdCheck"
  | "linkerdNamespace"
  | "multiclusterNamespace"
> {
  /** Otherwise `manage` has its default, and a preview says what that means. */
  readonly isManageSet: boolean;
  readonly clusters: ReadonlyMap<string, ClusterConfig>;
  /** These clusters of this stack include revoked ones (share.ts). */
  readonly sources: ReadonlySet<string>;
  /** Links of the topology follow the listed ones. Neither `links` nor `clusters` has a revoked one. */
  readonly links: readonly LinkConfig[];
  /** What the config declares for all links together. */
  readonly linkDefaults: Partial<LinkSettings>;
  readonly revoked: Revoked;
  /** Links that are no longer listed take this from linkDefaults. */
  readonly removedLinks: { readonly allowDeletions: boolean };
  readonly trust: TrustConfig;
  /** Runs restart workloads whose proxies need new anchors or certificates. */
  readonly restart: boolean;
  readonly charts: ChartsConfig;
  /** Sentences about keys that have no effect in this mode; the run fails with them. */
  readonly ignored: readonly string[];
}

export interface Revoked {
  /** Nothing may contact them. */
  readonly clusters: ReadonlyMap<string, ClusterConfig>;
  readonly links: readonly { readonly source: string; readonly target: string }[];
}

/** Anchors and issuers come from state, the config, others who install them on every cluster, or a trust stack. */
export type TrustConfig =
  | GeneratedTrust
  | ProvidedTrust
  | { readonly kind: "external" }
  | { readonly kind: "stack"; readonly stack: string };

/** An issuer is renewed before it expires, because `renewBeforeDays` is less than `issuerValidityDays`. */
export interface GeneratedTrust extends Filled<typeof generatedTrust> {
  readonly kind: "generated";
  readonly extraAnchors?: string;
  readonly ignorePods: readonly string[];
}

export interface ProvidedTrust {
  readonly kind: "provided";
  readonly anchors: string;
  /** Every cluster of the stack has an issuer, under one of the anchors. */
  readonly issuers: ReadonlyMap<string, Filled<typeof issuer.keys>>;
  readonly ignorePods: readonly string[];
}

export type ChartsConfig = Filled<typeof charts.keys>;

export interface ClusterConfig extends Omit<
  Filled<typeof cluster.keys>,
  "context" | "kubeconfig" | "gateway" | "revoked"
> {
  readonly name: string;
  readonly access: ClusterAccess;
  readonly trustDomain: string;
  /** A cluster that runs with another trust domain may get this one only if it was set. */
  readonly isTrustDomainSet: boolean;
  readonly gateway: GatewaySource | false;
  readonly gatewayEnabled?: boolean;
}

export type HelmValues = Readonly<Record<string, unknown>>;

export interface LinkConfig {
  /** What the config declares for this link alone. */
  readonly declared: DeclaredLink;
  readonly spec: LinkSpec;
  readonly mirroring: "pulumi" | "controller";
  readonly rotation: TokenRotation;
  readonly adopt: boolean;
}
