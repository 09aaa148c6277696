import type { GateArgs, Phase } from "@linkerd-multicluster/engine/admitting";
import type { RevocationArgs } from "@linkerd-multicluster/engine/credentials";
import { type DeclaredMesh, type HealthMesh, meshIn } from "@linkerd-multicluster/engine/health";
import { omitUndefined } from "@linkerd-multicluster/engine/base";
import type { ClusterAccess } from "@linkerd-multicluster/engine/kubernetes";
import {
  type Declared,
  type DeclaredLink,
  type LinkSpec,
  type MirrorsArgs,
  type MeshTraffic,
  meshTraffic,
  mirrorsOfSource,
} from "@linkerd-multicluster/engine/mirroring";
import type { ClusterConfig, LinkConfig, MeshConfig, Revoked } from "./mesh.ts";

type Clusters = MeshConfig["clusters"];

/**
 * Finds the part of the mesh that this stack manages. The stack of a cluster writes the objects in it, and the account
 * of each of its links in the link's target. What a cluster needs for the links of others, such as a gateway, follows from all
 * links of the config.
 */

export function ownLinks({ links, sources }: MeshConfig): LinkConfig[] {
  return links.filter(({ spec }) => sources.has(spec.source));
}

export function ownClusters({ clusters, sources }: MeshConfig): Clusters {
  return new Map([...clusters].filter(([name]) => sources.has(name)));
}

/** Returns the clusters that this stack's resources read or write: its own, and the targets of its links. */
export function touchedClusters(config: MeshConfig): Clusters {
  const { clusters, sources, revoked } = config;
  const names = new Set([
    ...sources,
    ...ownLinks(config).map(({ spec }) => spec.target),
    ...revoked.links.filter(({ source }) => sources.has(source)).map(({ target }) => target),
    // A revoked cluster may have had access to every other one.
    ...([...revoked.clusters.keys()].some((name) => sources.has(name)) ? clusters.keys() : []),
  ]);
  return new Map([...clusters].filter(([name]) => names.has(name)));
}

export function accessesOf(clusters: Clusters): ReadonlyMap<string, ClusterAccess> {
  return new Map([...clusters].map(([name, { access }]) => [name, access]));
}

/** Returns what health checks need. @param stack `organization/project/stack`, by which its mirrors are recognized */
export function healthMesh(config: MeshConfig, stack?: string): HealthMesh {
  return meshIn(declaredMesh(config, stack));
}

/** Returns the same mesh with links as the config declares them. */
export function declaredMesh(config: MeshConfig, stack?: string): DeclaredMesh {
  const { manage, linkerdNamespace, multiclusterNamespace, linkDefaults } = config;
  return {
    // A stack of the trust root alone checks that all clusters have the same trust.
    manage: manage === "trust" ? "all" : manage,
    linkerdNamespace,
    multiclusterNamespace,
    ...omitUndefined({ stack }),
    clusters: Object.fromEntries(accessesOf(touchedClusters(config))),
    ...trafficOf(config),
    ...gatesOf(config),
    links:
      manage === "trust"
        ? []
        : ownLinks(config).map(({ declared: link, mirroring }) => ({ link, mirroring })),
    linkDefaults,
  };
}

/** Returns the arguments of a source's mirrors with links as the config declares them. */
export function declaredArgs(
  config: MeshConfig,
  source: string,
  stack: string,
): Declared<MirrorsArgs> | undefined {
  const args = mirrorsArgs(config, source, stack);
  if (args === undefined) return undefined;
  const { linkDefaults } = config;
  const isShared = Object.keys(linkDefaults).length > 0;
  const links = args.links.map(declaredIn(config));
  return { ...args, links, ...(isShared && { linkDefaults }) };
}

function declaredIn({ links }: MeshConfig): (spec: LinkSpec) => DeclaredLink {
  const known = new Map(links.map(({ spec, declared }) => [spec, declared]));
  return (spec) => known.get(spec) ?? spec;
}

function trafficOf({ clusters, sources }: MeshConfig): MeshTraffic {
  const all = [...clusters.values()];
  return meshTraffic(
    all
      .filter(({ name }) => sources.has(name))
      .map(({ name, failover, traffic }) => ({
        source: name,
        ...omitUndefined({ failover, traffic }),
      })),
    all.flatMap(({ name, drained }) => (drained ? name : [])),
  );
}

/** Returns nothing without a closed gateway, so that the stored mesh of such a stack stays as it is. */
function gatesOf(config: MeshConfig): Pick<DeclaredMesh, "gates"> {
  const all = [...config.clusters.keys()].flatMap((name) => {
    const args = gateArgs(config, name, "", "take");
    if (args === undefined) return [];
    const { links, clients, alike } = args;
    return [[name, { links, clients, alike }] as const];
  });
  return all.length > 0 ? { gates: Object.fromEntries(all) } : {};
}

/** Returns undefined if no link leads into the source. @param stack `organization/project/stack`, as in its marks */
export function mirrorsArgs(
  config: MeshConfig,
  source: string,
  stack: string,
): MirrorsArgs | undefined {
  const clusters = [...config.clusters].map(([name, { access, uid }]) => {
    return [name, { ...access, ...omitUndefined({ uid }) }] as const;
  });
  const args = mirrorsOfSource(source, {
    stack,
    clusters: Object.fromEntries(clusters),
    ...trafficOf(config),
    links: config.links.map(({ spec, mirroring }) => ({ link: spec, mirroring })),
  });
  if (args === undefined) return undefined;
  const { revoked } = config;
  const revokedTargets = [...revoked.clusters.keys(), ...targetsRevokedFor(source, revoked)];
  const { serviceLinksDisabled = false } = config.clusters.get(source) ?? {};
  return {
    ...args,
    ...(serviceLinksDisabled && { serviceLinksDisabled }),
    ...(revokedTargets.length > 0 && { revokedTargets }),
    ...(config.removedLinks.allowDeletions && { allowDeletions: true }),
  };
}

/**
 * Returns what a closed gateway has to know, with links as the config declares them; undefined if the gateway is open or
 * another stack's.
 *
 * @param stack `organization/project/stack`, as in its marks
 */
export function gateArgs(
  config: MeshConfig,
  target: string,
  stack: string,
  phase: Phase,
): Declared<GateArgs> | undefined {
  const { clusters, sources, links, linkDefaults, multiclusterNamespace: namespace } = config;
  const own = clusters.get(target);
  if (own?.gatewayAccess !== "exported" || !sources.has(target)) return undefined;
  const into = links.filter(({ spec }) => spec.target === target);
  const others = [...clusters.values()].filter(({ name }) => name !== target);
  const alike = (cluster: ClusterConfig) =>
    others.filter(
      ({ name, trustDomain }) =>
        cluster.gatewayClients === undefined &&
        name !== cluster.name &&
        trustDomain === cluster.trustDomain,
    );
  return {
    target,
    clusters: { [target]: { ...own.access, ...omitUndefined({ uid: own.uid }) } },
    stack,
    namespace,
    phase,
    links: into.map(({ spec }) => declaredIn(config)(spec)),
    ...(Object.keys(linkDefaults).length > 0 && { linkDefaults }),
    clients: Object.fromEntries(
      others.map((cluster) => [cluster.name, identitiesOf(cluster, config)] as const),
    ),
    alike: Object.fromEntries(
      others.map((cluster) => [cluster.name, alike(cluster).map(({ name }) => name)] as const),
    ),
    sources: others
      .map(({ name }) => name)
      .filter((name) => ownLinks(config).some(({ spec }) => spec.source === name)),
  };
}

/** Returns identities as a MeshTLSAuthentication lists them; a star stands for every ServiceAccount. */
function identitiesOf(
  { trustDomain, gatewayClients }: ClusterConfig,
  { linkerdNamespace }: Pick<MeshConfig, "linkerdNamespace">,
): readonly string[] {
  const suffix = `serviceaccount.identity.${linkerdNamespace}.${trustDomain}`;
  if (gatewayClients === undefined) return [`*.${suffix}`];
  return gatewayClients.map((key) => {
    const [namespace = "", name = ""] = key.split("/");
    return `${name}.${namespace}.${suffix}`;
  });
}

function targetsRevokedFor(source: string, { links }: Revoked): string[] {
  return links.filter((link) => link.source === source).map(({ target }) => target);
}

/**
 * Returns who loses access to which clusters. A revoked cluster loses it to all that remain, whichever links the config
 * still lists. Where several stacks have the clusters of a mesh, each ends the access to its own clusters, and the stack
 * that gave the access ends all of it: the stack of a revoked cluster may be in other hands.
 *
 * @param uids of the clusters that remain, as read at the start of this run
 */
export function revocationArgs(
  { clusters, manage, multiclusterNamespace, revoked, sources: own }: MeshConfig,
  uids: ReadonlyMap<string, string | undefined>,
): readonly RevocationArgs[] {
  const targetOf = (source: string, name: string) => {
    const access = clusters.get(name)?.access;
    const isOurs = own.has(source) || own.has(name);
    if (access === undefined || !isOurs || manage === "mirrors") return [];
    return [[name, { ...access, ...omitUndefined({ uid: uids.get(name) }) }] as const];
  };
  const args = (source: string, isolated: boolean, names: Iterable<string>) => ({
    source,
    isolated,
    namespace: multiclusterNamespace,
    targets: Object.fromEntries([...names].flatMap((name) => targetOf(source, name))),
  });
  const sources = new Set(revoked.links.map(({ source }) => source));
  return [
    ...[...revoked.clusters.keys()].map((name) => args(name, true, clusters.keys())),
    ...[...sources]
      .map((name) => args(name, false, targetsRevokedFor(name, revoked)))
      .filter(({ targets }) => Object.keys(targets).length > 0),
  ];
}
