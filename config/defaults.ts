import type { GatewaySource } from "@linkerd-multicluster/engine/mirroring";
import {
  type DeclaredLink,
  declaredLinks,
  gatewayForLinks,
  type GatewayInput,
  gatewayOf,
} from "./declared-links.ts";
import { charts, cluster, generatedTrust, stack } from "./keys.ts";
import * as links from "./link-keys.ts";
import type { ClusterConfig, LinkConfig, MeshConfig, TrustConfig } from "./mesh.ts";
import type { ClusterInput, Readings, StackInput } from "./read.ts";
import { defaultsOf } from "./schema.ts";

/** Fills in every default. Only for readings without a mistake. */
export function meshConfig(readings: Readings): MeshConfig {
  const values = { ...defaultsOf(stack.keys), ...readings.stack.values };
  const { manage, linkerdCheck, linkerdNamespace, multiclusterNamespace } = values;
  const clusters = [...(readings.clusters ?? [])].map(
    ([name, { values: input }]) =>
      [name, clusterConfig(name, input, multiclusterNamespace)] as const,
  );
  const config = {
    ...{ manage, linkerdCheck, linkerdNamespace, multiclusterNamespace },
    clusters: new Map(clusters),
    trust: trustConfig(values.trust),
    charts: { ...defaultsOf(charts.keys), ...values.charts },
    removedLinks: { allowDeletions: readings.linkDefaults.values.allowDeletions ?? false },
  };
  return {
    ...config,
    links: declaredLinks(readings).map((link) => linkConfig(link, readings, config)),
  };
}

function clusterConfig(name: string, input: ClusterInput, namespace: string): ClusterConfig {
  const { context = name, kubeconfig, gateway = {}, ...rest } = input;
  const enabled = gateway === false ? undefined : gateway.enabled;
  return {
    ...defaultsOf(cluster.keys),
    ...rest,
    name,
    access: { context, ...(kubeconfig !== undefined && { kubeconfig }) },
    gateway: gatewaySource(gatewayForLinks(gateway) ?? {}, namespace),
    ...(enabled !== undefined && { gatewayEnabled: enabled }),
  };
}

function trustConfig({
  external = false,
  anchors,
  issuers = {},
  ignorePods = [],
  ...settings
}: NonNullable<StackInput["trust"]>): TrustConfig {
  if (external) return { kind: "external" };
  if (anchors !== undefined)
    return { kind: "provided", anchors, issuers: new Map(Object.entries(issuers)), ignorePods };
  return { kind: "generated", ...defaultsOf(generatedTrust), ...settings, ignorePods };
}

/** What linkDefaults says of gateway mirrors does not concern a link that has no gateway. */
const flatNetwork = { selector: {}, headless: false } as const;

function linkConfig(
  link: DeclaredLink,
  readings: Readings,
  { clusters, multiclusterNamespace }: Omit<MeshConfig, "links">,
): LinkConfig {
  const { source, target: name } = link;
  const choice = gatewayOf(link, readings);
  const target = clusters.get(name);
  if (!choice.known || target === undefined) throw new Error("linkConfig got an unchecked link");
  const { mirroring, credentialsGeneration, credentialsMaxAge, ...settings } = {
    ...defaultsOf(links.linkDefaults.keys),
    ...readings.linkDefaults.values,
    ...link.entry?.values,
    ...(choice.value === false && flatNetwork),
  };
  return {
    spec: {
      ...settings,
      ...{ source, target: name, targetDomain: target.clusterDomain },
      gateway: gatewaySource(choice.value, multiclusterNamespace),
    },
    mirroring,
    rotation: {
      generation: credentialsGeneration,
      ...(credentialsMaxAge !== undefined && { maxAgeDays: credentialsMaxAge }),
    },
  };
}

function gatewaySource(input: GatewayInput, namespace: string): GatewaySource | false {
  return input === false ? false : { namespace, ...defaultsOf(links.gateway.keys), ...input };
}
