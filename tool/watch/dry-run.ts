import { type ClusterAccess, messageOf, type Time } from "@linkerd-multicluster/engine/kubernetes";
import {
  argsOf,
  type ByPart,
  goesAt,
  type Inputs,
  type Outcome,
} from "@linkerd-multicluster/engine/mirroring";
import {
  type CheckedSource,
  checkSource,
  Clusters,
  type Extent,
  probeGateway,
} from "@linkerd-multicluster/engine/reading";
import type { SourceStatus } from "./events.ts";

export interface DryRun {
  readonly sources: readonly SourceStatus[];
  /** Hostnames of gateways, with the addresses that they lead to; without any where DNS has none. */
  readonly hostnames: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds until a mirror goes whose pod is away; absent: there is none. */
  readonly dueIn?: number;
}

/** The clusters, with what came of reading them. */
export class DryRunClusters extends Clusters {
  readonly hostnames: Record<string, readonly string[]> = {};
  readonly unreachable = new Map<string, string>();

  /** @param stop ends the dry run, which nobody waits for any more */
  constructor(stop?: AbortSignal) {
    // One connection for each list that is read of a cluster.
    super({ connections: 5, ...(stop && { cancellation: { stop, abort: stop } }) });
  }

  override async snapshot(name: string, access: ClusterAccess, extent?: Extent) {
    try {
      return await super.snapshot(name, access, extent);
    } catch (error) {
      this.unreachable.set(name, messageOf(error));
      throw error;
    }
  }

  override async resolve(hostname: string) {
    this.hostnames[hostname] = [];
    return (this.hostnames[hostname] = await super.resolve(hostname));
  }
}

/**
 * Finds out whether there is anything to do, by the very code that the provider plans with and from what
 * the last run has left in the state. It takes no lock, leaves no history, and writes nothing.
 */
export async function dryRun(
  sources: readonly Inputs[],
  clusters: DryRunClusters,
  now = new Date(),
): Promise<DryRun> {
  try {
    return await checkAll(sources, clusters, now);
  } finally {
    const all = sources.flatMap((each) => Object.values(each.clusters));
    await Promise.allSettled(all.map((access) => clusters.close(access)));
  }
}

async function checkAll(
  sources: readonly Inputs[],
  clusters: DryRunClusters,
  now: Date,
): Promise<DryRun> {
  const planned = await Promise.all(
    sources.map(async (before) => {
      const found = await checkSource(clusters, before, argsOf(before), now);
      return { before, gateways: await aliveIn(found.outcome, clusters.time), ...found };
    }),
  );
  const waits = planned
    .flatMap(({ checked: { inputs } }) => Object.values(inputs.missing ?? {}))
    .map((since) => goesAt(since).getTime() - now.getTime())
    // It stays while its cluster can't be read, and when that can be is told by the cluster.
    .filter((wait) => wait > 0);
  return {
    sources: planned.map(({ before, checked, gateways }) => ({
      ...statusOf(before, checked),
      gateways,
      unreachable: Object.fromEntries(
        [...clusters.unreachable].filter(([cluster]) => cluster in before.clusters),
      ),
    })),
    hostnames: clusters.hostnames,
    ...(waits.length > 0 && { dueIn: Math.min(...waits) }),
  };
}

/** By target: whether its gateway answers its probe, where the link asks for that (`gatewayProbe`). */
async function aliveIn(outcome: Outcome, time: Time): Promise<Readonly<Record<string, boolean>>> {
  if (outcome.outcome !== "planned") return {};
  const probed = outcome.links.map(async ({ link, target }) => {
    const found = target && (await probeGateway(link, target.snapshot, target.gateway, { time }));
    return found === undefined || "why" in found
      ? []
      : [[link.target, found.down === undefined] as const];
  });
  return Object.fromEntries((await Promise.all(probed)).flat());
}

function statusOf(
  before: Inputs,
  { inputs, mistakes, hasWrites }: CheckedSource["checked"],
): Omit<SourceStatus, "gateways" | "unreachable"> {
  const { source, mirrors, notMirrored = {}, refused = {} } = inputs;
  const refusals = mistakes.length === 0 ? Object.values(refused) : mistakes;
  const isNew = inputs.revision !== before.revision;
  // Where there is nothing to write, a run would only fail once more: somebody has to see to it first.
  const isChanged = hasWrites || (isNew && refusals.length === 0);
  const lines: ByPart<unknown> = typeof mirrors === "object" ? mirrors : {};
  const parts = Object.keys({ ...lines, ...notMirrored }).map((part) => {
    const counts = { mirrors: sizeOf(lines[part]), notMirrored: sizeOf(notMirrored[part]) };
    return [part, counts] as const;
  });
  const status = isChanged ? "changed" : refusals.length > 0 ? "refused" : "inSync";
  return { source, status, refusals, parts: Object.fromEntries(parts) };
}

function sizeOf(lines: unknown): number {
  return typeof lines === "object" && lines !== null ? Object.keys(lines).length : 0;
}
