import type * as pulumi from "@pulumi/pulumi";
import type { LinkSpec } from "@linkerd-multicluster/engine/mirroring";
import type { ClusterConfig, HelmValues, MeshConfig } from "../../config/mesh.ts";
import { isRecord } from "@linkerd-multicluster/engine/kubernetes";
import { lifetimeIn } from "@linkerd-multicluster/engine/trust";
import { type ChartName, chartKeys } from "../../config/keys/chart-keys.ts";
import { valueAt } from "../../config/read/read.ts";

/** This program sets only these values (linkerd-behaviour.md 9.1 and 9.2; linkerd2, values.yaml of each chart). */

export function crdsValues(gatewayApi: "install" | "assume"): HelmValues {
  return { installGatewayAPI: gatewayApi === "install" };
}

/**
 * The issuer is in a separate Secret, so Helm's values and Secrets contain no key.
 *
 * @param trustBundle is absent if others provide it
 */
export function controlPlaneValues(
  { clusterDomain, trustDomain }: Pick<ClusterConfig, "clusterDomain" | "trustDomain">,
  trustBundle: pulumi.Output<string> | undefined,
): HelmValues {
  const issuer = { scheme: "kubernetes.io/tls" };
  const values = { clusterDomain, identityTrustDomain: trustDomain };
  return trustBundle === undefined
    ? { ...values, identity: { externalCA: true, issuer } }
    : { ...values, identity: { issuer }, identityTrustAnchorsPEM: trustBundle };
}

/**
 * This program labels the namespace and creates the service accounts. The local service mirror writes the same
 * federated Services as this program, so it runs only where this program mirrors nothing.
 */
export function multiclusterValues(
  { gateway, controllers, mirrors }: ClusterRole,
  linkerdNamespace: string,
  trustDomain: string,
): HelmValues {
  const localMirror = controllers.length > 0 && !mirrors;
  return {
    linkerdNamespace,
    // The chart writes it into the gateway's identity on its Service.
    identityTrustDomain: trustDomain,
    createNamespaceMetadataJob: false,
    remoteMirrorServiceAccount: false,
    gateway: gateway === undefined ? { enabled: false } : { enabled: true, name: gateway },
    controllers: controllers.map(controller),
    enableNamespaceCreation: controllers.some(({ createNamespaces }) => createNamespaces),
    localServiceMirror: { replicas: localMirror ? 1 : 0 },
  };
}

/** The controller's name is the Link's, which must be the target's (1.9). */
function controller({ target, gateway, headless, probePort }: Controlled): HelmValues {
  return {
    link: { ref: { name: target } },
    gateway: {
      enabled: gateway !== false,
      ...(probePort !== undefined && { probe: { port: probePort } }),
    },
    enableHeadlessServices: headless,
  };
}

export interface Controlled extends LinkSpec {
  /**
   * The chart's probe Service is right only for the port that the cluster's values set (linkerd-behaviour.md 7.4). A
   * node port that they don't set is unknown before the run.
   */
  readonly probePort?: unknown;
}

export interface ClusterRole {
  /** Undefined if no gateway is needed, as on a flat network. */
  readonly gateway: string | undefined;
  /** Linkerd's own controllers mirror these links into the cluster. */
  readonly controllers: readonly Controlled[];
  readonly mirrors: boolean;
}

/** A gateway may be public and costs money, so it needs a link through it, or the config's demand. */
export function roleOf(cluster: string, config: MeshConfig): ClusterRole {
  const { clusters, links, multiclusterNamespace } = config;
  const { gateway: own = false, gatewayEnabled } = clusters.get(cluster) ?? {};
  const here = links.filter(({ spec }) => spec.source === cluster);
  const isOurs = own !== false && own.namespace === multiclusterNamespace;
  const isUsed = links.some(({ spec }) => spec.target === cluster && leadsToOwn(spec, own));
  return {
    gateway: isOurs && (gatewayEnabled ?? isUsed) ? own.name : undefined,
    controllers: here
      .filter(({ mirroring }) => mirroring === "controller")
      .map(({ spec }) => controlled(spec, config)),
    mirrors: here.some(({ mirroring }) => mirroring === "pulumi"),
  };
}

function leadsToOwn({ gateway }: LinkSpec, own: ClusterConfig["gateway"]): boolean {
  return (
    gateway !== false &&
    own !== false &&
    gateway.namespace === own.namespace &&
    gateway.name === own.name
  );
}

function controlled(link: LinkSpec, { clusters, charts }: MeshConfig): Controlled {
  const target = clusters.get(link.target);
  if (target === undefined || !leadsToOwn(link, target.gateway)) return link;
  const values = usersValues("linkerd-multicluster", charts, target);
  const valueOf = (...keys: readonly string[]) => valueAt(values, "gateway", ...keys);
  const isNodePort = valueOf("serviceType") === "NodePort";
  const probePort = valueOf("probe", isNodePort ? "nodePort" : "port");
  return probePort === undefined ? link : { ...link, probePort };
}

/**
 * Returns what the config sets for Linkerd's own chart in a cluster: the values of every cluster, and over them its own.
 * In a chart that contains Linkerd's, only the values under its name reach it. Decisions read no other values.
 */
export function usersValues(
  chart: ChartName,
  charts: MeshConfig["charts"],
  { values }: Pick<ClusterConfig, "values">,
): HelmValues {
  const { nested, values: common = {} } = charts[chartKeys[chart]];
  const shared = nested === undefined ? common : common[nested];
  return mergeValues(isRecord(shared) ? shared : {}, values[chart] ?? {});
}

/** Returns how long certificates of proxies are valid, in milliseconds. */
export function certificateLifetime(
  charts: MeshConfig["charts"],
  cluster: Pick<ClusterConfig, "values">,
): number {
  const values = usersValues("linkerd-control-plane", charts, cluster);
  return lifetimeIn(valueAt(values, "identity", "issuer", "issuanceLifetime"));
}

/** Merges as Helm does: maps key by key, all else as a whole. A null stays, and removes a default of the chart. */
export function mergeValues(values: HelmValues, users: HelmValues): HelmValues {
  const merged = new Map(Object.entries(values));
  for (const [key, value] of Object.entries(users)) {
    const ours = merged.get(key);
    merged.set(key, isRecord(ours) && isRecord(value) ? mergeValues(ours, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Linkerd's webhooks and tools recognize the control plane's namespace by these labels. */
export function controlPlaneLabels(name: string): Readonly<Record<string, string>> {
  return {
    "linkerd.io/is-control-plane": "true",
    "config.linkerd.io/admission-webhooks": "disabled",
    "linkerd.io/control-plane-ns": name,
  };
}

/**
 * The charts label their namespaces only for Linkerd's CLI (linkerd2, templates/namespace.yaml of each). Without CNI,
 * an init container that needs privileges sets up proxies.
 */
function enforced(usersControlPlane: HelmValues) {
  const level = usersControlPlane["cniEnabled"] === true ? "restricted" : "privileged";
  return { "pod-security.kubernetes.io/enforce": level };
}

export function linkerdNamespace(name: string, usersControlPlane: HelmValues) {
  const labels = { ...controlPlaneLabels(name), ...enforced(usersControlPlane) };
  return { labels, annotations: { "linkerd.io/inject": "disabled" } };
}

export function multiclusterNamespace(usersControlPlane: HelmValues) {
  return { labels: { "linkerd.io/extension": "multicluster", ...enforced(usersControlPlane) } };
}
