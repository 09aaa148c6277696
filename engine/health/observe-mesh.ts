import { type GateHealth, observeGate } from "../admitting/run.ts";
import type { ConnectOptions } from "../kubernetes/client/interface.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { Clusters } from "../reading/clusters.ts";
import { mergedNeeds, type Need } from "../reading/need.ts";
import { readMesh, unknownCluster } from "../reading/read-mesh.ts";
import type { ClusterReading, MeshReading } from "../reading/reading.ts";
import type { Decision } from "../model/decision.ts";
import { federatedPart } from "../model/owner.ts";
import { type Before, type MirrorsArgs, mirrorsOfSource } from "../model/state.ts";
import { needOfSource } from "../mirroring/need.ts";
import { trusted } from "../mirroring/observation.ts";
import { decideSource } from "../mirroring/reconcile.ts";
import { type Outcome, whyUndecided } from "../mirroring/report/outcome.ts";
import type { Result } from "../base/result.ts";
import type { HealthMesh } from "./health-mesh.ts";
import type { CheckedCluster, CheckedLink, PodRanges } from "./health-check.ts";

export interface Views {
  readonly clusters: readonly CheckedCluster[];
  readonly links: readonly CheckedLink[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

export interface SourceState {
  readonly args: MirrorsArgs;
  readonly before: Before;
}

interface ObserveOptions extends ConnectOptions {
  /** The state of a missing source is derived from the mesh. */
  readonly sources?: ReadonlyMap<string, SourceState>;
  /** The UIDs by which a run knows the clusters. A cluster that it would refuse counts as unread. */
  readonly identities?: Readonly<Record<string, string>>;
  /** Only what decides about mirrors is read, and no token, Secret or pod. All other checks are skipped. */
  readonly mirrorsOnly?: boolean;
  /** Their connections are closed in the end. By default, new ones are created. */
  readonly clusters?: Clusters;
}

/** Reads every cluster and tries every link at the same time. An unreadable cluster hides no other finding. */
export async function observeMesh(
  mesh: HealthMesh,
  now: Date,
  observing: ObserveOptions = {},
): Promise<Views> {
  const { sources = new Map<string, SourceState>(), identities, mirrorsOnly = false } = observing;
  const clusters = observing.clusters ?? new Clusters(observing);
  const states = Object.keys(mesh.clusters).flatMap(
    (name) => sources.get(name) ?? stateOf(mesh, name) ?? [],
  );
  const known = [...states.map(({ args }) => args), mesh];
  const access = Object.fromEntries(known.flatMap((each) => Object.entries(each.clusters)));
  try {
    const need = mergedNeeds([
      mirrorsOnly ? needOfMirrors(mesh) : needOf(mesh),
      ...states.map(({ args, before }) => needOfSource(args, before)),
    ]);
    const reading = await readMesh({ clusters: access }, clusters, need);
    const decided = states.map(async ({ args, before }): Promise<[string, Outcome]> => {
      return [args.source, await decideSource(reading, clusters, args, before, now)];
    });
    const gates = mirrorsOnly ? new Map<string, never>() : await observeGates(mesh, clusters);
    const seen = identities ? trusted(reading, mesh, { identities }) : reading;
    return viewsOf(mesh, now, seen, new Map(await Promise.all(decided)), gates);
  } finally {
    await Promise.all(Object.values(access).map((each) => clusters.close(each)));
  }
}

/** Nobody knows whose policies are whose without the stack's name. */
async function observeGates(
  { stack, clusters: entries, gates = {}, multiclusterNamespace: namespace }: HealthMesh,
  clusters: Clusters,
): Promise<ReadonlyMap<string, Result<GateHealth>>> {
  if (stack === undefined) return new Map();
  const found = Object.entries(gates).map(async ([target, known]) => {
    const args = { target, clusters: entries, stack, namespace, sources: [] };
    return [target, await observeGate(clusters, { ...args, ...known })] as const;
  });
  return new Map(await Promise.all(found));
}

function needOf(mesh: HealthMesh): Need {
  const { manage, linkerdNamespace, multiclusterNamespace } = mesh;
  const isManaged = manage !== "mirrors";
  const names = Object.keys(mesh.clusters);
  return {
    clusters: Object.fromEntries(
      names.map((name) => [
        name,
        {
          controllers: mesh.links.some(({ link }) => link.source === name),
          clients: true,
          linkerd: isManaged ? linkerdNamespace : undefined,
        },
      ]),
    ),
    links: mesh.links.map(({ link, mirroring }) => ({
      link,
      probe: true,
      prober: multiclusterNamespace,
      podRanges: true,
      ...(isManaged
        ? { credentials: { mirroring, linkerdNamespace, multiclusterNamespace } }
        : { destination: linkerdNamespace }),
    })),
  };
}

function needOfMirrors({ clusters, links }: HealthMesh): Need {
  return {
    clusters: Object.fromEntries(Object.keys(clusters).map((name) => [name, {}])),
    links: links.map(({ link }) => ({ link })),
  };
}

function viewsOf(
  mesh: HealthMesh,
  now: Date,
  reading: MeshReading,
  outcomes: ReadonlyMap<string, Outcome>,
  gates: ReadonlyMap<string, Result<GateHealth>>,
): Views {
  const flat = flatNetworks(reading);
  const routesOf = (cluster: string) => {
    const outcome = outcomes.get(cluster);
    if (outcome?.outcome !== "planned") return {};
    const { routes, decided } = outcome;
    return "why" in routes
      ? { failover: routes }
      : { failover: { value: decided.failover }, httpRoutes: routes.value.httpRoutes };
  };
  const readingOf = (name: string): ClusterReading =>
    reading.clusters.get(name) ?? { snapshot: unknownCluster(name) };
  const clusters = Object.keys(mesh.clusters).map((cluster) => ({
    mesh,
    cluster,
    now,
    reading: readingOf(cluster),
    ...omitUndefined({
      federated: decisionsOf(outcomes.get(cluster), cluster, federatedPart, [readingOf(cluster)]),
      flat: flat.get(cluster),
      gate: gates.get(cluster),
    }),
    ...routesOf(cluster),
  }));
  const links = mesh.links.flatMap(({ link, mirroring }, index) => {
    const [source, target] = [readingOf(link.source), readingOf(link.target)];
    const found = reading.links[index];
    if (found === undefined) return [];
    const mirrors =
      mirroring === "pulumi"
        ? decisionsOf(outcomes.get(link.source), link.source, link.target, [source, target])
        : undefined;
    return [
      { mesh, link, mirroring, now, source, target, reading: found, ...omitUndefined({ mirrors }) },
    ];
  });
  return { clusters, links, outcomes };
}

function flatNetworks({ clusters, links }: MeshReading): ReadonlyMap<string, readonly PodRanges[]> {
  const pairs = links.flatMap(({ link, isFlat = false }) => (isFlat ? [link] : []));
  const rangesOf = (cluster: string): PodRanges => {
    const { podRanges, snapshot } = clusters.get(cluster) ?? { snapshot: unknownCluster(cluster) };
    return { cluster, ranges: podRanges ?? ("why" in snapshot ? snapshot : { value: [] }) };
  };
  return new Map(
    pairs.map(({ source }) => {
      const targets = pairs.flatMap((each) => (each.source === source ? [each.target] : []));
      return [source, [source, ...targets].map(rangesOf)] as const;
    }),
  );
}

/** @returns undefined if this stack has no mirrors in the source */
function stateOf(mesh: HealthMesh, source: string): SourceState | undefined {
  const found = mirrorsOfSource(source, { stack: "*", ...mesh });
  if (found === undefined || found.links.length === 0) return undefined;
  return { args: { ...found, statusIn: mesh.multiclusterNamespace }, before: {} };
}

/** The value is undefined if a needed cluster can't be read, which is a finding of that cluster. */
function decisionsOf(
  outcome: Outcome | undefined,
  source: string,
  part: string,
  taken: readonly ClusterReading[],
): Result<readonly Decision[] | undefined> | undefined {
  if (outcome === undefined) return undefined;
  const why = whyUndecided(outcome, source, part);
  if (why === undefined)
    return {
      value: outcome.outcome === "planned" ? outcome.decided.decisionsByPart.get(part) : undefined,
    };
  const isFound = outcome.outcome !== "invalid" && taken.some(({ snapshot }) => "why" in snapshot);
  return isFound ? { value: undefined } : { why, cause: "refused" };
}
