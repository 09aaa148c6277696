import type { ConnectOptions } from "../../kubernetes/client/interface.ts";
import type { Decision } from "../../mirroring/decide/decision.ts";
import { defined } from "../../kubernetes/objects/defined.ts";
import { linkOf } from "../../mirroring/model/link.ts";
import type { GatewayReading } from "../../mirroring/model/gateway.ts";
import { federatedPart } from "../../mirroring/model/owner.ts";
import type { Before, MirrorsArgs } from "../../mirroring/model/state.ts";
import { Clusters } from "../../mirroring/observe/clusters.ts";
import { reconcile } from "../../mirroring/reconcile/reconcile.ts";
import { type Outcome } from "../../mirroring/report/outcome.ts";
import { whyUndecided } from "../../mirroring/report/undecided.ts";
import type { HealthMesh } from "../mesh.ts";
import {
  type ClusterFacts,
  type CheckedCluster,
  type CheckedLink,
  type PodRanges,
  type Read,
  read,
  valueIn,
} from "../view.ts";
import { readCluster, readPodRanges } from "./cluster.ts";
import { type FilledLink, leadsToPods, readLink } from "./link.ts";

export interface Views {
  readonly clusters: readonly CheckedCluster[];
  readonly links: readonly CheckedLink[];
  /** The engine's decisions about each source's mirrors. */
  readonly outcomes: ReadonlyMap<string, Read<Outcome>>;
}

/** The arguments of a source's mirrors, and what its last run has left. */
export interface SourceState {
  readonly args: MirrorsArgs;
  readonly before: Before;
}

export interface ObserveOptions extends ConnectOptions {
  /** The states by source; the mesh alone says it of one that is absent. */
  readonly sources?: ReadonlyMap<string, SourceState>;
  /** Closed in the end; by default connections of its own. */
  readonly clusters?: Clusters;
}

/** A mesh whose links have their defaults. */
interface FilledMesh extends HealthMesh {
  readonly links: readonly FilledLink[];
}

/**
 * Reads every cluster and tries every link, all at the same time; writes nothing. A cluster that
 * cannot be read is one finding and hides no other.
 */
export async function observeMesh(
  given: HealthMesh,
  now: Date,
  { sources = new Map(), clusters: shared, ...options }: ObserveOptions = {},
): Promise<Views> {
  const world = shared ?? new Clusters(options);
  const mesh = {
    ...given,
    links: given.links.map(({ link, mirroring }) => ({ link: linkOf(link), mirroring })),
  };
  try {
    const names = Object.keys(mesh.clusters);
    const readings = new Map(
      await Promise.all(
        names.map(async (name) => [name, await readCluster(world, mesh, name)] as const),
      ),
    );
    const readingOf = (name: string): ClusterFacts =>
      readings.get(name) ?? { snapshot: { why: `the stack's config has no cluster ${name}` } };
    const planned = names.map(async (name): Promise<[string, Read<Outcome>][]> => {
      const state = sources.get(name) ?? stateOf(mesh, name);
      if (state === undefined) return [];
      return [[name, await read(() => reconcile(world, state.args, state.before, now))]];
    });
    const outcomes = new Map((await Promise.all(planned)).flat());
    const flat = await flatNetworks(world, mesh, readingOf);
    const clusters = names.map((cluster) => ({
      ...{ mesh, cluster, now, reading: readingOf(cluster) },
      ...defined({
        federated: planOf(outcomes.get(cluster), cluster, federatedPart, [readingOf(cluster)]),
        flat: flat.get(cluster),
      }),
    }));
    const links = await Promise.all(
      mesh.links.map(async ({ link, mirroring }) => {
        const ends = { source: readingOf(link.source), target: readingOf(link.target) };
        const outcome = outcomes.get(link.source);
        const mirrors =
          mirroring === "pulumi"
            ? planOf(outcome, link.source, link.target, Object.values(ends))
            : undefined;
        const gateway = observedGateway(outcome, link.target);
        const facts = await readLink(world, mesh, { link, mirroring, ...ends }, gateway);
        const reading = { ...facts, ...defined({ mirrors }) };
        return { mesh, link, mirroring, now, ...ends, reading };
      }),
    );
    return { clusters, links, outcomes };
  } finally {
    await closeClients(world, mesh);
  }
}

/** The clusters of each source's flat network: itself and the targets whose pods it reaches without a gateway. */
async function flatNetworks(
  clusters: Clusters,
  mesh: FilledMesh,
  readingOf: (name: string) => ClusterFacts,
): Promise<ReadonlyMap<string, readonly PodRanges[]>> {
  const pairs = mesh.links
    .map(({ link }) => link)
    .filter((link) => leadsToPods(link, readingOf(link.target)));
  const ends = new Set(pairs.flatMap(({ source, target }) => [source, target]));
  const readings = await Promise.all(
    [...ends].map(async (cluster): Promise<[string, PodRanges]> => {
      const { snapshot } = readingOf(cluster);
      const ranges = "why" in snapshot ? snapshot : await readPodRanges(clusters, mesh, cluster);
      return [cluster, { cluster, ranges }];
    }),
  );
  const known = new Map(readings);
  return new Map(
    pairs.map(({ source }) => {
      const targets = pairs.flatMap((each) => (each.source === source ? [each.target] : []));
      return [source, [source, ...targets].flatMap((name) => known.get(name) ?? [])] as const;
    }),
  );
}

/** The state of a source by the mesh; undefined where no mirrors of it are this stack's. */
function stateOf(mesh: FilledMesh, source: string): SourceState | undefined {
  const links = mesh.links
    .filter(({ link, mirroring }) => mirroring === "pulumi" && link.source === source)
    .map(({ link }) => link);
  if (links.length === 0) return undefined;
  const names = new Set([source, ...links.map(({ target }) => target)]);
  const entries = Object.entries(mesh.clusters).filter(([name]) => names.has(name));
  const { stack = "*" } = mesh;
  const args = { source, stack, clusters: Object.fromEntries(entries), links };
  return { args, before: {} };
}

/**
 * The decisions about one part, or why there are none. Their value is undefined where a cluster that it takes can't be
 * read, which is a finding of that cluster.
 */
function planOf(
  outcome: Read<Outcome> | undefined,
  source: string,
  part: string,
  taken: readonly ClusterFacts[],
): Read<readonly Decision[] | undefined> | undefined {
  if (outcome === undefined || "why" in outcome) return outcome;
  const { value } = outcome;
  const why = whyUndecided(value, source, part);
  if (why === undefined)
    return { value: value.outcome === "planned" ? value.decided.judged.get(part) : undefined };
  const isFound = value.outcome !== "invalid" && taken.some(({ snapshot }) => "why" in snapshot);
  return isFound ? { value: undefined } : { why };
}

/** The gateway that mirrors into the source are decided by; undefined where none are this program's. */
function observedGateway(
  outcome: Read<Outcome> | undefined,
  target: string,
): GatewayReading | undefined {
  const found = valueIn(outcome);
  if (found?.outcome !== "planned") return undefined;
  return found.links.find(({ link }) => link.target === target)?.target?.gateway;
}

async function closeClients(world: Clusters, { clusters }: HealthMesh): Promise<void> {
  const closing = Object.entries(clusters).map(async ([name, access]) =>
    (await world.client(name, access)).close(),
  );
  // Where the context is wrong there is no client to close.
  await Promise.allSettled(closing);
}
