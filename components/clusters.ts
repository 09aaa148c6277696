import type * as pulumi from "@pulumi/pulumi";
import type { LinkConfig, MeshConfig } from "../config/mesh.ts";
import { ownLinks, touchedClusters } from "../config/share.ts";
import { omitUndefined, valueIn } from "@linkerd-multicluster/engine/base";
import { withoutRefused } from "@linkerd-multicluster/engine/trust";
import { Cluster, type InstalledCluster } from "./cluster.ts";
import { ClusterIdentity } from "./cluster-provider.ts";
import { keptLinkerd } from "./forgotten-cluster.ts";
import { fullStackName } from "./full-stack-name.ts";
import { type LinkerdSetup, linkerdCharts } from "./linkerd.ts";
import { valueOf } from "./output-value.ts";
import type { Refused } from "./installations.ts";
import type { Preflight } from "./preflight.ts";
import type { Issuance } from "./trust/issuance.ts";
import { TrustRoot, trustRootArgs } from "./trust-root.ts";

export interface PreparedCluster {
  readonly identity: ClusterIdentity;
  /** @param after it resolves before anything there could fail, because after a failure Pulumi starts nothing more */
  readonly install: (after?: Promise<unknown>) => InstalledCluster;
}

export interface PreparedClusters {
  readonly clusters: ReadonlyMap<string, PreparedCluster>;
  /** The reasons come from the preflight, the state and the trust. */
  readonly refused: Refused;
  /** Creating objects in these clusters may fail, so all that concerns them comes last. */
  readonly last: ReadonlySet<string>;
  /** The trust of every cluster stays as it is in this run for these reasons. */
  readonly held: readonly string[];
  /** Problems that fail the run in the end (TrustRoot). */
  readonly errors?: TrustRoot["errors"];
  /** With `trust.restart`, this is the trust to which workloads are restarted. */
  readonly issuance?: Issuance;
}

interface Preparing extends Pick<LinkerdSetup, "secretValues"> {
  readonly preflight: Preflight;
  /** Runs before anything is installed. The guard depends on what stays in its cluster and leaves the state. */
  readonly guard: (kept: readonly pulumi.Resource[]) => Promise<unknown>;
  readonly parent: pulumi.Resource;
}

/**
 * Registers the clusters and the trust root, which find out what may be installed where. Other stacks install Linkerd on
 * their own targets.
 */
export async function prepareClusters(
  mesh: MeshConfig,
  { preflight, secretValues, guard, parent }: Preparing,
): Promise<PreparedClusters> {
  // Charts are looked up first, so that a missing one fails before anything is registered.
  const charts = mesh.manage === "all" ? linkerdCharts(mesh.charts) : undefined;
  const empty = [...touchedClusters(mesh)].map(([name, config]) => {
    return [name, new Cluster(name, config, { parent })] as const;
  });
  const own = mesh.manage === "all" ? mesh.sources : new Set<string>();
  const kept = empty
    .filter(([name]) => mesh.leaving[name] === "keep" && !own.has(name))
    .flatMap(([name, place]) => keptLinkerd(name, mesh, place));
  // A run that is refused leaves what others remember as it is.
  await guard(kept);
  const places = empty.map(([name, place]) => {
    const { config } = place;
    const { linkerdNamespace, multiclusterNamespace } = mesh;
    const outOfIt = ownLinks(mesh).filter(({ spec }) => spec.source === name);
    const into = ownLinks(mesh).filter(({ spec }) => spec.target === name);
    const adopted = [...outOfIt, ...into]
      .filter(({ adopt }) => adopt)
      .map(({ spec }) => [`${spec.source}/${spec.target}`, spec.adoptFrom] as const);
    const links = {
      access: config.access,
      linkerdNamespace,
      multiclusterNamespace,
      targets: targetsOf(outOfIt),
      sources: into.map(({ spec }) => spec.source),
      stack: fullStackName(),
      ...(adopted.length > 0 && { adopted: Object.fromEntries(adopted) }),
    };
    const known = { ...identityOf(name, preflight), links };
    const identity = new ClusterIdentity(name, config, known, { parent: place });
    return [name, place, identity] as const;
  });
  const moved = await movedClusters(places.map(([name, , identity]) => [name, identity]));
  const known = new Map([...preflight.refused, ...moved]);
  const live = withoutRefused(known.keys(), preflight.trust);
  const root =
    charts === undefined
      ? undefined
      : new TrustRoot("trust", trustRootArgs(mesh, { ...preflight, trust: live }), { parent });
  const distrusted = root === undefined ? {} : ((await valueOf(root.issuance.refused)) ?? {});
  const all = new Map([...Object.entries(distrusted), ...known]);
  const refused = new Map([...all].sort(([one], [other]) => (one < other ? -1 : 1)));
  const last = new Set([...refused.keys(), ...preflight.unreachable]);
  const held = root?.issuance.held ?? [];
  const linkerdOf = (name: string) => {
    if (root === undefined || charts === undefined || !mesh.sources.has(name)) return undefined;
    const trust = live.get(name);
    const trustStays = held.length > 0 || (trust !== undefined && "why" in trust);
    if (mesh.trust.kind === "external") return { mesh, charts, trustStays, secretValues };
    const given = {
      bundlePem: root.bundleFor(name),
      issuer: root.issuerFor(name),
      ...omitUndefined({ recordedLifetime: valueIn(trust)?.recordedLifetime }),
    };
    return { mesh, charts, trust: given, trustStays, secretValues };
  };
  const prepared = places.map(([name, place, identity]): [string, PreparedCluster] => {
    const install: PreparedCluster["install"] = (after) =>
      place.install({
        identity,
        refused: refused.has(name),
        unreachable: last.has(name),
        after,
        linkerd: linkerdOf(name),
        awaited: root !== undefined && !mesh.sources.has(name),
        adopts:
          place.config.adopt ||
          ownLinks(mesh).some(
            ({ adopt, spec }) => adopt && [spec.source, spec.target].includes(name),
          ),
      });
    return [name, { identity, install }];
  });
  return {
    clusters: new Map(prepared),
    refused,
    last,
    held,
    ...omitUndefined({ errors: root?.errors, issuance: root?.issuance }),
  };
}

export function identityOf(name: string, { uids, twins }: Preflight) {
  return { uid: uids.get(name), twin: twins.get(name) };
}

function targetsOf(links: readonly LinkConfig[]): string[] {
  return links.map(({ spec }) => spec.target);
}

/** Returns a sentence for each name whose context leads to another cluster than in the previous run. */
export async function movedClusters(
  identities: readonly (readonly [cluster: string, identity: ClusterIdentity])[],
): Promise<Refused> {
  const reading = identities.map(async ([name, identity]): Promise<[string, string][]> => {
    const why = await identity.whyRefused();
    return why === undefined ? [] : [[name, `${why}.`]];
  });
  return new Map((await Promise.all(reading)).flat());
}
