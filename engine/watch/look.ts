import { Clusters } from "../mirroring/observe/clusters.ts";
import { look as lookAt, type Looked } from "../mirroring/reconcile/look.ts";
import { argsOf, type ByPart, type Inputs } from "../mirroring/reconcile/state.ts";
import type { PartSeen, SourceSeen } from "./events.ts";

/** What there is to do, and what it depends on that no cluster tells. */
export interface Sight {
  readonly sources: readonly SourceSeen[];
  /** Hostnames of gateways, with the addresses that they lead to; without any where DNS has none. */
  readonly hostnames: Readonly<Record<string, readonly string[]>>;
  /** Milliseconds until a mirror goes whose pod is away; absent: there is none. */
  readonly dueIn?: number;
}

/**
 * Looks whether there is anything to do, by the very code that the provider plans with and from what
 * the last run has left in the state. It takes no lock, leaves no history, and writes nothing.
 */
export async function look(
  sources: readonly Inputs[],
  // One for each list that is read of a cluster.
  clusters = new Clusters({ connections: 5 }),
): Promise<Sight> {
  const hostnames: Record<string, readonly string[]> = {};
  const observed = {
    snapshot: clusters.snapshot.bind(clusters),
    anew: clusters.anew.bind(clusters),
    controllers: clusters.controllers.bind(clusters),
    statefulSets: clusters.statefulSets.bind(clusters),
    mayDo: clusters.mayDo.bind(clusters),
    liveness: clusters.liveness.bind(clusters),
    async resolve(hostname: string) {
      hostnames[hostname] = [];
      const addresses = await clusters.resolve(hostname);
      hostnames[hostname] = addresses;
      return addresses;
    },
  };
  const found = sources.map(async (before) =>
    seen(before, await lookAt(observed, before, argsOf(before))),
  );
  return { sources: await Promise.all(found), hostnames };
}

function seen(before: Inputs, { checked: { inputs, mistakes } }: Looked): SourceSeen {
  const { source, mirrors, notMirrored = {}, unreachable = {}, refused = {} } = inputs;
  const isRefused = mistakes.length > 0;
  const hasWork = inputs.revision !== before.revision;
  const lines: ByPart<unknown> = typeof mirrors === "object" ? mirrors : {};
  const parts = new Set([...Object.keys(lines), ...Object.keys(notMirrored)]);
  const outages = Object.entries(unreachable).map(([name, { why }]) => [name, why] as const);
  return {
    source,
    verdict: isRefused ? "refused" : hasWork ? "work" : "inOrder",
    refusals: mistakes,
    parts: Object.fromEntries(
      [...parts].map((part): [string, PartSeen] => [
        part,
        { mirrors: sizeOf(lines[part]), notMirrored: sizeOf(notMirrored[part]) },
      ]),
    ),
    away: { ...Object.fromEntries<string>(outages), ...refused },
  };
}

function sizeOf(lines: unknown): number {
  return typeof lines === "object" && lines !== null ? Object.keys(lines).length : 0;
}
