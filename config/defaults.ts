import { type GatewaySource, systemNamespaces } from "@linkerd-multicluster/engine/mirroring";
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
  const configured = (revoked: boolean) =>
    [...(readings.clusters ?? [])].flatMap(([name, { values: input }]) =>
      isRevoked(input) === revoked
        ? [[name, clusterConfig(name, input, readings.stack.values)] as const]
        : [],
    );
  const clusters = new Map(configured(false));
  const links = declaredLinks(readings).filter(
    ({ source, target }) => clusters.has(source) && clusters.has(target),
  );
  const config = {
    ...{ manage, linkerdCheck, linkerdNamespace, multiclusterNamespace, clusters },
    sources: new Set(readings.stack.values.sources ?? readings.clusters?.keys()),
    claims: readings.stack.values.sources !== undefined,
    revoked: {
      clusters: new Map(configured(true)),
      links: links
        .filter(({ entry }) => isRevoked(entry?.values))
        .map(({ source, target }) => ({ source, target })),
    },
    trust: trustConfig(values.trust),
    charts: { ...defaultsOf(charts.keys), ...values.charts },
    removedLinks: { allowDeletions: readings.linkDefaults.values.allowDeletions ?? false },
  };
  return {
    ...config,
    links: links
      .filter(({ entry }) => !isRevoked(entry?.values))
      .map((link) => linkConfig(link, readings, config)),
  };
}

function isRevoked(input: { readonly revoked?: boolean } | undefined): boolean {
  return input?.revoked === true;
}

function clusterConfig(
  name: string,
  input: ClusterInput,
  given: Readings["stack"]["values"],
): ClusterConfig {
  const { multiclusterNamespace, trustDomain } = { ...defaultsOf(stack.keys), ...given };
  const { context = name, kubeconfig, gateway = {}, ...own } = input;
  const enabled = gateway === false ? undefined : gateway.enabled;
  const { revoked, ...rest } = { trustDomain, ...defaultsOf(cluster.keys), ...own };
  return {
    ...rest,
    name,
    // Pulumi hands over a default like a value of the user's.
    isTrustDomainSet:
      own.trustDomain !== undefined || trustDomain !== stack.keys.trustDomain.default,
    access: { context, ...(kubeconfig !== undefined && { kubeconfig }) },
    gateway: gatewaySource(gatewayForLinks(gateway) ?? {}, multiclusterNamespace),
    ...(enabled !== undefined && { gatewayEnabled: enabled }),
  };
}

function trustConfig({
  external = false,
  stack: publisher,
  anchors,
  issuers = {},
  ignorePods = [],
  ...settings
}: NonNullable<StackInput["trust"]>): TrustConfig {
  if (external) return { kind: "external" };
  if (publisher !== undefined) return { kind: "stack", stack: publisher };
  if (anchors !== undefined)
    return { kind: "provided", anchors, issuers: new Map(Object.entries(issuers)), ignorePods };
  return { kind: "generated", ...defaultsOf(generatedTrust), ...settings, ignorePods };
}

/** What linkDefaults says of gateways and their mirrors does not concern a link that has no gateway. */
const flatNetwork = { selector: {}, headless: false, gatewayProbe: false } as const;

function linkConfig(
  link: DeclaredLink,
  readings: Readings,
  { clusters, linkerdNamespace, multiclusterNamespace }: Omit<MeshConfig, "links">,
): LinkConfig {
  const { source, target: name } = link;
  const choice = gatewayOf(link, readings);
  const target = clusters.get(name);
  if (!choice.known || target === undefined) throw new Error("linkConfig got an unchecked link");
  const { mirroring, credentialsGeneration, credentialsMaxAge, revoked, ...settings } = {
    ...defaultsOf(links.linkDefaults.keys),
    excludedNamespaces: systemNamespaces(linkerdNamespace, multiclusterNamespace),
    ...readings.linkDefaults.values,
    ...link.entry?.values,
    ...(choice.value === false && flatNetwork),
  };
  // Linkerd's controller probes by itself.
  const gatewayProbe = settings.gatewayProbe && mirroring === "pulumi";
  return {
    spec: {
      ...{ ...settings, gatewayProbe },
      ...{ source, target: name, targetDomain: target.clusterDomain },
      gateway: gatewaySource(choice.value, multiclusterNamespace),
    },
    mirroring,
    rotation: { generation: credentialsGeneration, maxAgeDays: credentialsMaxAge },
  };
}

function gatewaySource(input: GatewayInput, namespace: string): GatewaySource | false {
  return input === false ? false : { namespace, ...defaultsOf(links.gateway.keys), ...input };
}
