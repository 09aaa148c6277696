import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { chartNames } from "../config/chart-keys.ts";
import type { ClusterConfig, LinkConfig, MeshConfig } from "../config/mesh.ts";
import { ownLinks, touchedClusters } from "../config/share.ts";
import { omitUndefined, valueIn } from "@linkerd-multicluster/engine/kubernetes";
import { withoutRefused } from "@linkerd-multicluster/engine/trust";
import { Cluster, type InstalledCluster } from "./cluster.ts";
import { type ClusterIdentity, unreachingProvider } from "./cluster-provider.ts";
import { fullStackName } from "./full-stack-name.ts";
import { type LinkerdSetup, linkerdCharts } from "./linkerd.ts";
import { valueOf } from "./output-value.ts";
import type { Refused } from "./installations.ts";
import type { Preflight } from "./preflight.ts";
import { TrustRoot, trustRootArgs } from "./trust-root.ts";

export interface MadeClusters {
  readonly clusters: ReadonlyMap<string, InstalledCluster>;
  /** The reasons come from the preflight, the state and the trust. */
  readonly refused: Refused;
  /** Creating objects in these clusters may fail, so all that concerns them comes last. */
  readonly last: ReadonlySet<string>;
  /** The trust of every cluster stays as it is in this run for these reasons. */
  readonly held: readonly string[];
}

interface Making extends Pick<LinkerdSetup, "secretValues"> {
  readonly preflight: Preflight;
  /** They have nothing to do with the clusters that come last. */
  readonly others: Promise<pulumi.Resource[]>;
  readonly parent: pulumi.Resource;
}

/** Other stacks install Linkerd on their own targets. */
export async function makeClusters(
  mesh: MeshConfig,
  { preflight, secretValues, others, parent }: Making,
): Promise<MadeClusters> {
  // Charts are looked up first, so that a missing one fails before anything is registered.
  const charts = mesh.manage === "all" ? linkerdCharts(mesh.charts) : undefined;
  const places = [...touchedClusters(mesh)].map(([name, config]) => {
    const { linkerdNamespace, multiclusterNamespace } = mesh;
    const outOfIt = ownLinks(mesh).filter(({ spec }) => spec.source === name);
    const into = ownLinks(mesh).filter(({ spec }) => spec.target === name);
    const adopted = targetsOf(outOfIt.filter(({ adopt }) => adopt));
    const links = {
      access: config.access,
      linkerdNamespace,
      multiclusterNamespace,
      targets: targetsOf(outOfIt),
      sources: into.map(({ spec }) => spec.source),
      stack: fullStackName(),
      ...(adopted.length > 0 && { adopted }),
    };
    const known = { ...identityOf(name, preflight), links };
    return [name, new Cluster(name, config, known, { parent })] as const;
  });
  const moved = await movedClusters(places.map(([name, { identity }]) => [name, identity]));
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
  const made = places.map(([name, place]) => {
    const installed = place.install({
      refused: refused.has(name),
      unreachable: last.has(name),
      after: last.has(name) ? others : undefined,
      linkerd: linkerdOf(name),
      awaited: root !== undefined && !mesh.sources.has(name),
      adopts:
        place.config.adopt ||
        ownLinks(mesh).some(
          ({ adopt, spec }) => adopt && [spec.source, spec.target].includes(name),
        ),
    });
    return [name, installed] as const;
  });
  return { clusters: new Map(made), refused, last, held };
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
  const reading = identities.map(async ([name, { refused }]): Promise<[string, string][]> => {
    const why = await valueOf(refused);
    return why === undefined ? [] : [[name, `${why}.`]];
  });
  return new Map((await Promise.all(reading)).flat());
}

/**
 * The objects of a cluster with `revoked: true` are not registered, so Pulumi deletes them, which for this provider
 * means to forget them. Helm releases can't be forgotten that way: they stay registered, are retained on deletion, and
 * leave the state with the cluster.
 */
export class RevokedCluster extends pulumi.ComponentResource {
  constructor(
    name: string,
    { config, installed }: { readonly config: ClusterConfig; readonly installed: boolean },
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Cluster", name, {}, opts);
    const provider = unreachingProvider(name, config, "revoked", { parent: this });
    for (const chart of installed ? chartNames : [])
      new k8s.helm.v3.Release(
        `${name}-${chart}`,
        { chart, name: chart },
        { parent: this, provider, retainOnDelete: true },
      );
    this.registerOutputs({});
  }
}
