import type { LinkSpec } from "@linkerd-multicluster/engine/mirroring";
import type { ClusterConfig, HelmValues, MeshConfig } from "../../config/mesh.ts";
import { isRecord } from "@linkerd-multicluster/engine/kubernetes";
import { valueAt } from "../../config/read.ts";

/**
 * Values of the charts that this program decides (linkerd-behaviour.md 9.1 and 9.2; linkerd2,
 * values.yaml of each). All others are the chart's, or the user's.
 */

export function crdsValues(gatewayApi: "install" | "assume"): HelmValues {
  return { installGatewayAPI: gatewayApi === "install" };
}

/** The issuer is in a Secret beside the chart, so no key is in Helm's values or its own Secrets. */
export function controlPlaneValues(
  { clusterDomain, trustDomain }: Pick<ClusterConfig, "clusterDomain" | "trustDomain">,
  external = false,
): HelmValues {
  return {
    clusterDomain,
    identityTrustDomain: trustDomain,
    identity: {
      ...(external && { externalCA: true }),
      issuer: { scheme: "kubernetes.io/tls" },
    },
  };
}

export interface MulticlusterSettings extends ClusterRole {
  readonly linkerdNamespace: string;
  /** Part of the gateway's identity, which the chart writes on its Service for links to read. */
  readonly trustDomain: string;
}

/**
 * This program labels the namespace and makes the service accounts itself, so the chart's Job and
 * service account are off. The local service mirror writes the same federated Services as this
 * program's mirroring does: it runs only where that does nothing.
 */
export function multiclusterValues(settings: MulticlusterSettings): HelmValues {
  const { linkerdNamespace, trustDomain, gateway, controllers, mirrors } = settings;
  const localMirror = controllers.length > 0 && !mirrors;
  return {
    linkerdNamespace,
    identityTrustDomain: trustDomain,
    createNamespaceMetadataJob: false,
    remoteMirrorServiceAccount: false,
    gateway: gateway === undefined ? { enabled: false } : { enabled: true, name: gateway },
    controllers: controllers.map(controller),
    enableNamespaceCreation: controllers.some(({ createNamespaces }) => createNamespaces),
    localServiceMirror: { replicas: localMirror ? 1 : 0 },
  };
}

/** The name is that of the Link resource, which has to be the target's (1.9). */
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

/** A link that a controller of Linkerd's mirrors. */
export interface Controlled extends LinkSpec {
  /**
   * Where its gateway answers probes, if the values of its cluster say so: the chart's Service for
   * probes is only right with that port (linkerd-behaviour.md 7.4). A node port that the values do not
   * choose is known to nobody before the run.
   */
  readonly probePort?: unknown;
}

/** The parts of a cluster's Linkerd that links ask for. */
export interface ClusterRole {
  /** Name of the gateway to install; undefined: none, as on a flat network. */
  readonly gateway: string | undefined;
  /** Links into this cluster that Linkerd's own controller mirrors. */
  readonly controllers: readonly Controlled[];
  /** Whether this program mirrors any link into this cluster. */
  readonly mirrors: boolean;
}

/**
 * A cluster gets a gateway where a link goes through it, or where the config asks for one: it is a
 * load balancer that the internet may reach, and costs something.
 */
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
      .map(({ spec }) => controlled(spec, clusters.get(spec.target))),
    mirrors: here.some(({ mirroring }) => mirroring === "pulumi"),
  };
}

/** Whether a link goes through the gateway that is its target's own. */
function leadsToOwn({ gateway }: LinkSpec, own: ClusterConfig["gateway"]): boolean {
  return (
    gateway !== false &&
    own !== false &&
    gateway.namespace === own.namespace &&
    gateway.name === own.name
  );
}

function controlled(link: LinkSpec, target: ClusterConfig | undefined): Controlled {
  if (target === undefined || !leadsToOwn(link, target.gateway)) return link;
  const valueOf = (...keys: readonly string[]) =>
    valueAt(target.values["linkerd-multicluster"], "gateway", ...keys);
  const isNodePort = valueOf("serviceType") === "NodePort";
  const probePort = valueOf("probe", isNodePort ? "nodePort" : "port");
  return probePort === undefined ? link : { ...link, probePort };
}

/**
 * The values with the user's over them, as Helm merges: maps key by key, lists and everything else
 * as a whole. A null from the user stays, because it removes a default of the chart.
 */
export function mergeValues(values: HelmValues, users: HelmValues): HelmValues {
  const merged = new Map(Object.entries(values));
  for (const [key, value] of Object.entries(users)) {
    const ours = merged.get(key);
    merged.set(key, isRecord(ours) && isRecord(value) ? mergeValues(ours, value) : value);
  }
  return Object.fromEntries(merged);
}

/** The labels by which Linkerd's webhooks and tools know the control plane's namespace. */
export function controlPlaneLabels(name: string): Readonly<Record<string, string>> {
  return {
    "linkerd.io/is-control-plane": "true",
    "config.linkerd.io/admission-webhooks": "disabled",
    "linkerd.io/control-plane-ns": name,
  };
}

/**
 * The charts label their namespaces only for Linkerd's CLI (linkerd2, templates/namespace.yaml of
 * each). Proxies are set up by an init container that needs privileges, unless CNI does it.
 */
function enforced(controlPlane: HelmValues | undefined) {
  const level = controlPlane?.["cniEnabled"] === true ? "restricted" : "privileged";
  return { "pod-security.kubernetes.io/enforce": level };
}

/** @param controlPlane the user's values of linkerd-control-plane */
export function linkerdNamespace(name: string, controlPlane: HelmValues | undefined) {
  const labels = { ...controlPlaneLabels(name), ...enforced(controlPlane) };
  return { labels, annotations: { "linkerd.io/inject": "disabled" } };
}

/** @param controlPlane the user's values of linkerd-control-plane */
export function multiclusterNamespace(controlPlane: HelmValues | undefined) {
  return { labels: { "linkerd.io/extension": "multicluster", ...enforced(controlPlane) } };
}
