import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import { chartNames } from "../config/chart-keys.ts";
import type { LinkConfig, MeshConfig } from "../config/mesh.ts";
import { ownLinks, touchedClusters } from "../config/share.ts";
import { omitUndefined, valueIn } from "@linkerd-multicluster/engine/kubernetes";
import { issuerName, withoutRefused } from "@linkerd-multicluster/engine/trust";
import { Cluster, type InstalledCluster } from "./cluster.ts";
import { ClusterIdentity, unreachingProvider } from "./cluster-provider.ts";
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
  /** They fail the run in the end (TrustRoot). */
  readonly errors?: TrustRoot["errors"];
}

interface Making extends Pick<LinkerdSetup, "secretValues"> {
  readonly preflight: Preflight;
  /** It is done before anything is installed, and depends on what stays in its cluster and leaves the state. */
  readonly guard: (kept: readonly pulumi.Resource[]) => Promise<unknown>;
  /** It resolves once everything is done that has nothing to do with the clusters that come last. */
  readonly others: Promise<unknown>;
  readonly parent: pulumi.Resource;
}

/** Other stacks install Linkerd on their own targets. */
export async function makeClusters(
  mesh: MeshConfig,
  { preflight, secretValues, guard, others, parent }: Making,
): Promise<MadeClusters> {
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
  const made = places.map(([name, place, identity]) => {
    const installed = place.install({
      identity,
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
  return {
    clusters: new Map(made),
    refused,
    last,
    held,
    ...omitUndefined({ errors: root?.errors }),
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

/**
 * The objects of a cluster that is revoked or let go are not registered, so Pulumi deletes them, which for this provider
 * means to forget them. Helm releases can't be forgotten that way: they stay registered, are retained on deletion, and
 * leave the state with the cluster.
 */
export class ForgottenCluster extends pulumi.ComponentResource {
  readonly name: string;
  readonly provider: k8s.Provider;
  readonly #access: Parameters<typeof unreachingProvider>[1];

  constructor(
    name: string,
    access: Parameters<typeof unreachingProvider>[1],
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super("linkerd-multicluster:index:Cluster", name, {}, opts);
    this.name = name;
    this.#access = access;
    this.provider = unreachingProvider(name, access, "revoked", { parent: this });
    this.registerOutputs({});
  }

  retainReleases(provider = this.provider): void {
    retained(this.name, { parent: this, provider });
  }

  /** A refresh drops what it can't read with the cluster's own provider. */
  keepReleases(): void {
    const opts = { parent: this };
    this.retainReleases(unreachingProvider(`${this.name}-kept`, this.#access, "refused", opts));
  }
}

/** No such resource is written or deleted: the provider leaves its inputs as they are. */
function retained(name: string, opts: pulumi.CustomResourceOptions): pulumi.Resource[] {
  return chartNames.map((chart) => {
    const args = { chart, name: chart };
    const called = `${name}-${chart}`;
    return new k8s.helm.v3.Release(called, args, { ...opts, retainOnDelete: true });
  });
}

/** The rest of the cluster stays with this stack, so it gets a provider of its own that reaches nothing. */
function keptLinkerd(
  name: string,
  { linkerdNamespace, multiclusterNamespace, trust }: MeshConfig,
  parent: Cluster,
): pulumi.Resource[] {
  const provider = unreachingProvider(`${name}-kept`, parent.config, "refused", { parent });
  const opts = { parent, provider, retainOnDelete: true };
  const namespace = (part: string, called: string) =>
    new k8s.core.v1.Namespace(`${name}-${part}`, { metadata: { name: called } }, opts);
  const metadata = { name: issuerName, namespace: linkerdNamespace };
  const home =
    trust.kind === "external"
      ? []
      : [
          namespace("linkerd", linkerdNamespace),
          new k8s.core.v1.Secret(`${name}-issuer`, { metadata }, opts),
        ];
  return [...home, namespace("multicluster", multiclusterNamespace), ...retained(name, opts)];
}
