import * as pulumi from "@pulumi/pulumi";
import { linkOwner } from "@linkerd-multicluster/engine/credentials";
import type { LinkConfig, MeshConfig } from "../config/mesh.ts";
import { declaredArgs, ownLinks } from "../config/share.ts";
import { isSecret } from "../config/stack.ts";
import type { InstalledCluster } from "./cluster.ts";
import { prepareClusters, type PreparedClusters } from "./clusters.ts";
import { fullStackName } from "./full-stack-name.ts";
import { makeGates } from "./gates.ts";
import { makeHealth, revisionsOf } from "./health.ts";
import { announceChecks, Link } from "./link.ts";
import { announceFailure, Mirrors } from "./mirrors.ts";
import { after, detached, valueOf } from "./output-value.ts";
import type { Preflight } from "./preflight.ts";
import { removalGuard } from "./removal-guard.ts";
import { makeRestarts } from "./restarts.ts";
import { revoke } from "./revocations.ts";

export interface CheckedMesh {
  readonly config: MeshConfig;
  /** Absent for `manage: mirrors`, which needs only what mirrors read. */
  readonly preflight?: Preflight | undefined;
  /** Some Helm values are secrets, so all are treated as such. */
  readonly secretValues?: boolean;
  /** The outputs list the mirrors, which other programs need. */
  readonly listed?: boolean;
}

export interface MeshResources {
  /** The keys are sources. */
  readonly mirrors: ReadonlyMap<string, Mirrors>;
  readonly trustAnchors: ReadonlyMap<string, pulumi.Output<string>>;
  /** Resolves once everything is done, with what fails the run then. */
  readonly errors: () => Promise<readonly string[]>;
}

/** The arguments that all steps after the clusters share. */
interface Making {
  readonly mesh: CheckedMesh;
  readonly prepared: PreparedClusters;
  readonly revocations: ReadonlyMap<string, pulumi.Resource>;
  readonly parent: pulumi.Resource;
}

type Clusters = ReadonlyMap<string, InstalledCluster>;
type MirrorsBySource = ReadonlyMap<string, Mirrors>;

/**
 * Registers clusters, revocations, links, mirrors and health, each from what came before. State decides what a cluster may
 * get. Resources that may fail come after all others, because after a failure Pulumi starts nothing more: first mirrors of
 * sources with a link to a refused cluster, then whatever is in a cluster that is refused or unreachable.
 */
export async function makeMesh(mesh: CheckedMesh, parent: pulumi.Resource): Promise<MeshResources> {
  const { config } = mesh;
  const prepared = await preparedClusters(mesh, parent);
  const { refused, last } = prepared;
  const revocations = revoke(config, mesh.preflight, prepared, parent);
  const making = { mesh, prepared, revocations, parent };
  const links = ownLinks(config);
  const sources = new Set(links.map(({ spec }) => spec.source));
  const isFailing = (source: string) =>
    links.some((link) => link.spec.source === source && isAt(link, refused));

  const reached = install(prepared, (name) => !last.has(name));
  const early = links.filter((link) => !isAt(link, last));
  const made = makeLinks(making, early, reached);
  const given = makeGates(config, "give", refused, {
    parent,
    dependsOn: (name) => {
      const { ready } = reached.get(name) ?? {};
      return ready === undefined ? [] : [ready];
    },
  });
  const safe = [...sources].filter((name) => !last.has(name) && !isFailing(name));
  const served = makeMirrors(making, safe, reached, made, [...given.values()]);
  const safely = [
    ...[...prepared.clusters].map(([name, { identity }]) => reached.get(name)?.ready ?? identity),
    ...revocations.values(),
    ...made.map(({ credentials }) => credentials.last),
    ...given.values(),
    ...served.values(),
  ];
  const risky = [...sources].filter((name) => !last.has(name) && isFailing(name));
  const failing = makeMirrors(making, risky, reached, made, safely);
  const before = [...safely, ...failing.values()];

  const late = install(prepared, (name) => last.has(name), before);
  const clusters = new Map([...reached, ...late]);
  const atLast = links.filter((link) => isAt(link, last));
  const lateLinks = makeLinks(making, atLast, clusters, before);
  // The mirrors there don't change, and in every run they depend on the cluster's Linkerd.
  const unchanged = makeMirrors(
    making,
    [...last].filter((name) => sources.has(name)),
    late,
    [],
  );
  const mirrors = new Map([...served, ...failing, ...unchanged]);
  const done: pulumi.Resource[] = [
    ...before,
    ...[...late.values()].map(({ ready }) => ready),
    ...lateLinks.map(({ credentials }) => credentials.last),
    ...unchanged.values(),
  ];
  const taken = makeGates(config, "take", refused, { parent, dependsOn: () => [...done] });
  done.push(...taken.values());
  const restarts = makeRestarts(mesh, prepared, reached, { parent, dependsOn: [...done] });
  done.push(...restarts);
  done.push(...[...made, ...lateLinks].flatMap((link) => link.makeProber(after([...done])) ?? []));
  if (mesh.preflight !== undefined)
    done.push(
      makeHealth(config, {
        refused: [...prepared.held, ...refused.values()],
        triggers: revisionsOf(clusters, [...made, ...lateLinks], mirrors, restarts, taken),
        parent,
        dependsOn: [...done],
      }),
    );
  await announceChecks([...made, ...lateLinks], parent);
  await announceFailure(mirrors.values(), refused.values(), parent);
  return {
    mirrors,
    trustAnchors: new Map(
      [...clusters].flatMap(([name, { trustBundle }]) =>
        trustBundle === undefined ? [] : [[name, trustBundle]],
      ),
    ),
    async errors() {
      await after(done);
      return (await valueOf(pulumi.output(prepared.errors))) ?? [];
    },
  };
}

function isAt({ spec }: LinkConfig, names: { has(name: string): boolean }): boolean {
  return names.has(spec.source) || names.has(spec.target);
}

/** With `manage: mirrors`, no cluster is prepared. */
async function preparedClusters(
  { config, preflight, secretValues = isSecret("clusters") || isSecret("charts") }: CheckedMesh,
  parent: pulumi.Resource,
): Promise<PreparedClusters> {
  const guard = removalGuard(config, parent);
  if (preflight === undefined) {
    await guard([]);
    return { clusters: new Map(), refused: new Map(), last: new Set(), held: [] };
  }
  const prepared = await prepareClusters(config, { preflight, secretValues, guard, parent });
  for (const why of prepared.held)
    await pulumi.log.warn(`The trust of every cluster stays as it is in this run: ${why}`, parent);
  for (const [name, why] of prepared.refused)
    await pulumi.log.warn(
      `Nothing is written to cluster ${name} in this run, which fails at its end, and its links stay as they are: ${why}`,
      parent,
    );
  return prepared;
}

/** @param before nothing is created there before these */
function install(
  { clusters }: PreparedClusters,
  isWanted: (name: string) => boolean,
  before?: readonly pulumi.Resource[],
): Clusters {
  const wanted = [...clusters].filter(([name]) => isWanted(name));
  // Without a cluster, nobody would handle its failure.
  const others = before !== undefined && wanted.length > 0 ? after(before) : undefined;
  return new Map(wanted.map(([name, cluster]) => [name, cluster.install(others)]));
}

function makeLinks(
  { mesh, prepared, revocations, parent }: Making,
  links: readonly LinkConfig[],
  clusters: Clusters,
  before: readonly pulumi.Resource[] = [],
): readonly Link[] {
  const { linkerdNamespace, multiclusterNamespace } = mesh.config;
  return links.flatMap((config) => {
    const { spec } = config;
    const [source, target] = [clusters.get(spec.source), clusters.get(spec.target)];
    if (source === undefined || target === undefined) return [];
    const revocation = revocations.get(spec.source);
    return new Link(
      `${spec.source}/${spec.target}`,
      {
        ...config,
        source,
        target,
        owner: linkOwner({ stack: fullStackName(), ...spec }),
        targetRefused: prepared.refused.get(spec.target),
        // Before anything of the source can fail, which may be the reason for revoking its link.
        revocation: revocation === undefined ? [] : [revocation],
        namespaces: { linkerd: linkerdNamespace, multicluster: multiclusterNamespace },
      },
      { parent, dependsOn: after(before) },
    );
  });
}

/**
 * Mirrors wait for the Links, because the destination controller never retries a cluster that it didn't know when a
 * mirror appeared (linkerd-behaviour.md 5), and for the charts, whose controllers may take links over.
 *
 * @param links those with neither a refused nor an unreachable end
 * @param before everything that has nothing to do with a refused end
 */
function makeMirrors(
  { mesh: { config, listed }, prepared, revocations, parent }: Making,
  sources: readonly string[],
  clusters: Clusters,
  links: readonly Link[],
  before: readonly pulumi.Resource[] = [],
): MirrorsBySource {
  const bySource = Map.groupBy(links, ({ source }) => source);
  return new Map(
    sources.flatMap((source): [string, Mirrors][] => {
      const args = declaredArgs(config, source, fullStackName());
      if (args === undefined) return [];
      const own = bySource.get(source) ?? [];
      const distrusted = [...prepared.refused].filter(([name]) => name in args.clusters);
      const mirrored = new Set(args.links.map(({ target }) => target));
      const observed = own
        .filter(({ target }) => mirrored.has(target))
        .map(({ target, observedGateway }) => [target, detached(observedGateway)] as const);
      const mirrors = new Mirrors(
        source,
        {
          ...args,
          statusIn: config.multiclusterNamespace,
          ...(listed === true && { listed: true }),
          ...(distrusted.length > 0 && { distrusted: Object.fromEntries(distrusted) }),
          ...(observed.length > 0 && { observedGateways: Object.fromEntries(observed) }),
        },
        {
          parent,
          dependsOn: after(
            [...own.map(({ credentials }) => credentials.last), ...before],
            [revocations.get(source), clusters.get(source)?.ready].filter(
              (each) => each !== undefined,
            ),
          ),
        },
      );
      return [[source, mirrors]];
    }),
  );
}
