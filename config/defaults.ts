import type { GatewaySource } from "../engine/mirroring/model/link.ts";
import { linkDefaults } from "../engine/mirroring/model/link-settings.ts";
import { chartDefaults } from "./chart-versions.ts";
import type { ClusterConfig, LinkConfig, MeshConfig, TrustConfig } from "./mesh.ts";
import type { Readings } from "./read.ts";
import type { ClusterInput, GatewayInput, TrustInput } from "./schema.ts";
import { gatewayOf, type WantedLink, wantedLinks } from "./declared-links.ts";

/** Fills in every default. Only for readings without a mistake. */
export function effectiveConfig(readings: Readings): MeshConfig {
  const {
    manage = "all",
    linkerdCheck = false,
    linkerdNamespace = "linkerd",
    multiclusterNamespace = "linkerd-multicluster",
    trust = {},
    charts = {},
  } = readings.stack.values;
  const clusters = [...(readings.clusters ?? [])].map(
    ([name, { values }]) => [name, effectiveCluster(name, values, multiclusterNamespace)] as const,
  );
  const config = {
    manage,
    linkerdCheck,
    linkerdNamespace,
    multiclusterNamespace,
    clusters: new Map(clusters),
    trust: effectiveTrust(trust),
    charts: { ...chartDefaults, ...charts },
    removedLinks: { allowDeletions: readings.linkDefaults.values.allowDeletions ?? false },
  };
  const links = wantedLinks(readings).map((link) => effectiveLink(link, readings, config));
  return { ...config, links };
}

function effectiveCluster(name: string, values: ClusterInput, namespace: string): ClusterConfig {
  const { context = name, kubeconfig, clusterDomain = "cluster.local", apiServer, uid } = values;
  return {
    name,
    access: { context, ...(kubeconfig !== undefined && { kubeconfig }) },
    clusterDomain,
    ...(apiServer !== undefined && { apiServer }),
    gateway: gatewaySource(values.gateway ?? {}, namespace),
    values: values.values ?? {},
    ...(uid !== undefined && { uid }),
    gatewayApi: values.gatewayApi ?? "install",
  };
}

function effectiveTrust({ anchors, issuers, ...settings }: TrustInput): TrustConfig {
  if (anchors !== undefined)
    return { kind: "own", anchors, issuers: new Map(Object.entries(issuers ?? {})) };
  return { kind: "generated", ...generated, ...settings };
}

const generated = {
  generation: 1,
  anchorValidityDays: 3650,
  issuerValidityDays: 365,
  renewBeforeDays: 60,
} as const;

/** What linkDefaults says of gateway mirrors does not concern a link that has no gateway. */
const flatNetwork = { selector: {}, headless: false } as const;

const { gateway, targetDomain, ...specDefaults } = linkDefaults;

const built = {
  ...specDefaults,
  mirroring: "pulumi",
  credentialsGeneration: 1,
  credentialsMaxAge: undefined,
} as const;

function effectiveLink(
  link: WantedLink,
  readings: Readings,
  { clusters, multiclusterNamespace }: Omit<MeshConfig, "links">,
): LinkConfig {
  const choice = gatewayOf(link, readings);
  const target = clusters.get(link.target);
  if (!choice.known || target === undefined) throw new Error("effectiveLink got an unchecked link");
  const {
    mirroring,
    credentialsGeneration: generation,
    credentialsMaxAge: maxAgeDays,
    ...keys
  } = {
    ...built,
    ...readings.linkDefaults.values,
    ...link.own?.values,
    ...(choice.value === false && flatNetwork),
  };
  return {
    spec: {
      ...keys,
      source: link.source,
      target: link.target,
      targetDomain: target.clusterDomain,
      gateway: gatewaySource(choice.value, multiclusterNamespace),
    },
    mirroring,
    rotation: { generation, ...(maxAgeDays !== undefined && { maxAgeDays }) },
  };
}

function gatewaySource(input: GatewayInput | false, namespace: string): GatewaySource | false {
  return input === false ? false : { namespace, name: "linkerd-gateway", ...input };
}
