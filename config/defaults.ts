import { isDeepStrictEqual } from "node:util";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import {
  type GatewaySource,
  label,
  linkDefaults as usual,
  linkerdGateway,
  type LinkSettings,
  systemNamespaces,
  wholeLink,
} from "@linkerd-multicluster/engine/mirroring";
import {
  type DeclaredLink,
  declaredLinks,
  gatewayForLinks,
  type GatewayInput,
  gatewayOf,
} from "./read/declared-links.ts";
import { charts } from "./keys/chart-keys.ts";
import { cluster, stack } from "./keys/keys.ts";
import { trust } from "./keys/trust-keys.ts";
import { gateway } from "./keys/gateway-keys.ts";
import { linkDefaultKeys } from "./keys/link-keys.ts";
import type { ClusterConfig, LinkConfig, MeshConfig, TrustConfig } from "./mesh.ts";
import type {
  ClusterInput,
  LinkDefaultsInput,
  LinkInput,
  Readings,
  StackInput,
} from "./read/read.ts";
import { filled } from "./keys/schema.ts";

/** Fills in every default of readings without a mistake. */
export function meshConfig(readings: Readings): Omit<MeshConfig, "ignored"> {
  const { manage, leaving, trustKeysExported, linkerdCheck, ...others } = readings.stack.values;
  const { linkerdNamespace, multiclusterNamespace, ...values } = others;
  const configured = [...(readings.clusters ?? [])].map(([name, reading]) => {
    return [name, clusterConfig(name, reading.values, readings.stack.values)] as const;
  });
  const isRevoked = (name: string) => readings.clusters?.get(name)?.values.revoked === true;
  const clusters = new Map(configured.filter(([name]) => !isRevoked(name)));
  const links = declaredLinks(readings).filter(
    ({ source, target }) => clusters.has(source) && clusters.has(target),
  );
  const config = {
    manage,
    isManageSet: readings.stack.set.has("manage"),
    leaving,
    trustKeysExported,
    linkerdCheck,
    linkerdNamespace,
    multiclusterNamespace,
    clusters,
    sources: new Set(values.sources ?? readings.clusters?.keys()),
    revoked: {
      clusters: new Map(configured.filter(([name]) => isRevoked(name))),
      links: links
        .filter(({ entry }) => entry?.values.revoked === true)
        .map(({ source, target }) => ({ source, target })),
    },
    trust: trustConfig(values.trust),
    restart: values.trust.restart ?? trust.keys.restart.default,
    charts: filled(charts.keys, values.charts),
    linkDefaults: sharedSettings(readings, linkerdNamespace, multiclusterNamespace),
    removedLinks: { allowDeletions: readings.linkDefaults.values.allowDeletions ?? false },
  };
  return {
    ...config,
    links: links
      .filter(({ entry }) => entry?.values.revoked !== true)
      .map((link) => linkConfig(link, readings, config)),
  };
}

function clusterConfig(name: string, input: ClusterInput, mesh: StackInput): ClusterConfig {
  const { context = name, kubeconfig, gateway = {}, revoked, ...own } = filled(cluster.keys, input);
  const gatewayEnabled = gateway === false ? undefined : gateway.enabled;
  return {
    trustDomain: mesh.trustDomain,
    ...own,
    name,
    // Pulumi passes a default like a value of the user.
    isTrustDomainSet:
      own.trustDomain !== undefined || mesh.trustDomain !== stack.keys.trustDomain.default,
    access: { context, ...omitUndefined({ kubeconfig }) },
    gateway: gatewaySource(gatewayForLinks(gateway) ?? {}, mesh.multiclusterNamespace),
    ...omitUndefined({ gatewayEnabled }),
  };
}

function trustConfig(input: StackInput["trust"]): TrustConfig {
  const { external, stack, anchors, issuers, restart: _, ...generated } = filled(trust.keys, input);
  if (external) return { kind: "external" };
  if (stack !== undefined) return { kind: "stack", stack };
  if (anchors === undefined) return { kind: "generated", ...generated };
  const { ignorePods } = generated;
  return { kind: "provided", anchors, issuers: new Map(Object.entries(issuers ?? {})), ignorePods };
}

/** A link without a gateway ignores linkDefaults for gateways and their mirrors. */
const flatNetwork = {
  selector: {},
  headless: false,
  gatewayProbe: false,
  mirrorNamespaces: {},
} as const;

/** Within a region, what other regions reach through a gateway is reached from pod to pod as well. */
const everyExport = {
  matchExpressions: [
    { key: label.exported, operator: "In" as const, values: ["true", "remote-discovery"] },
  ],
};

/** Between regions, no pod reaches another. */
const gatewayMirrorsOnly = { remoteDiscoverySelector: {}, federatedServiceSelector: {} };

function linkConfig(
  link: DeclaredLink,
  readings: Readings,
  { clusters, linkDefaults, multiclusterNamespace }: Omit<MeshConfig, "links" | "ignored">,
): LinkConfig {
  const { source, target: name, entry, sameRegion } = link;
  const { value: chosen, from } = gatewayOf(link, readings);
  if (chosen === undefined || !clusters.has(name))
    throw new Error("linkConfig got an unchecked link");
  const { mirroring, adopt, credentialsGeneration, credentialsMaxAge } = filled(
    linkDefaultKeys.keys,
    { ...readings.linkDefaults.values, ...entry?.values },
  );
  const isExportShared = linkDefaults.remoteDiscoverySelector !== undefined;
  const isDefaultGateway =
    from === undefined && chosen !== false && multiclusterNamespace === linkerdGateway.namespace;
  const { clusterDomain, privateUnlessListed } = readings.clusters?.get(name)?.values ?? {};
  const declared = {
    source,
    target: name,
    ...(sameRegion === true && !isExportShared && { remoteDiscoverySelector: everyExport }),
    ...(sameRegion === false && gatewayMirrorsOnly),
    ...settingsOf(entry?.values ?? {}),
    ...(chosen === false && flatNetwork),
    // Linkerd's controller probes gateways itself.
    ...(mirroring === "controller" && { gatewayProbe: false, prober: false as const }),
    ...omitUndefined({ targetDomain: clusterDomain, privateUnlessListed }),
    ...(!isDefaultGateway && { gateway: gatewaySource(chosen, multiclusterNamespace) }),
  };
  return {
    declared,
    spec: wholeLink(declared, linkDefaults),
    mirroring,
    rotation: { generation: credentialsGeneration, maxAgeDays: credentialsMaxAge },
    adopt,
  };
}

/** A gateway is that of each link's target. */
function sharedSettings(
  { linkDefaults }: Readings,
  linkerdNamespace: string,
  multiclusterNamespace: string,
): Partial<LinkSettings> {
  const excludedNamespaces = systemNamespaces(linkerdNamespace, multiclusterNamespace);
  const isUsual = isDeepStrictEqual(excludedNamespaces, usual.excludedNamespaces);
  return { ...(!isUsual && { excludedNamespaces }), ...settingsOf(linkDefaults.values) };
}

/** Leaves out what is not about mirroring, and the names of the link's ends. */
function settingsOf({
  mirroring,
  adopt,
  credentialsGeneration,
  credentialsMaxAge,
  gateway,
  source,
  target,
  revoked,
  ...settings
}: LinkDefaultsInput & LinkInput) {
  return settings;
}

function gatewaySource(input: GatewayInput, namespace: string): GatewaySource | false {
  return input === false ? false : { namespace, ...filled(gateway.keys, input) };
}
