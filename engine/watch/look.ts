import { isDeepStrictEqual } from "node:util";
import { Clusters } from "../mirroring/observe/clusters.ts";
import { goesAt } from "../mirroring/decide/policies/absent-pods.ts";
import { look as lookAt, type Looked } from "../mirroring/reconcile/look.ts";
import { troubleIn } from "../mirroring/report/notes.ts";
import { argsOf, type ByPart, type Inputs } from "../mirroring/model/state.ts";
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
  now = new Date(),
): Promise<Sight> {
  const hostnames: Record<string, readonly string[]> = {};
  const observed = {
    snapshot: clusters.snapshot.bind(clusters),
    anew: clusters.anew.bind(clusters),
    controllers: clusters.controllers.bind(clusters),
    statefulSets: clusters.statefulSets.bind(clusters),
    nodes: clusters.nodes.bind(clusters),
    mayDo: clusters.mayDo.bind(clusters),
    liveness: clusters.liveness.bind(clusters),
    async resolve(hostname: string) {
      hostnames[hostname] = [];
      const addresses = await clusters.resolve(hostname);
      hostnames[hostname] = addresses;
      return addresses;
    },
  };
  const looked = await Promise.all(
    sources.map(async (before) => ({
      before,
      ...(await lookAt(observed, before, argsOf(before), now)),
    })),
  );
  const due = looked
    .flatMap(({ checked: { inputs } }) => Object.values(inputs.missing ?? {}))
    .map((since) => goesAt(since).getTime() - now.getTime())
    // It stays while its cluster can't be read, and when that can be is told by the cluster.
    .filter((wait) => wait > 0);
  return {
    sources: looked.map(seen),
    hostnames,
    ...(due.length > 0 && { dueIn: Math.min(...due) }),
  };
}

function seen({ before, outcome, checked }: Looked & { readonly before: Inputs }): SourceSeen {
  const { inputs, mistakes, hasWrites } = checked;
  const { source, mirrors, notMirrored = {}, refused = {} } = inputs;
  const { unreachable } = troubleIn("readings" in outcome ? outcome.readings : new Map());
  const refusals = mistakes.length === 0 ? Object.values(refused) : mistakes;
  // A pod that is missing is noted by a run, which changes nothing.
  const isNoted = isDeepStrictEqual(inputs.missing ?? {}, before.missing ?? {});
  const hasNews = inputs.revision !== before.revision || !isNoted;
  // Where there is nothing to write, a run would only fail once more: somebody has to see to it first.
  const hasWork = hasWrites || (hasNews && refusals.length === 0);
  const lines: ByPart<unknown> = typeof mirrors === "object" ? mirrors : {};
  const parts = new Set([...Object.keys(lines), ...Object.keys(notMirrored)]);
  return {
    source,
    verdict: hasWork ? "work" : refusals.length > 0 ? "refused" : "inOrder",
    refusals,
    parts: Object.fromEntries(
      [...parts].map((part): [string, PartSeen] => [
        part,
        { mirrors: sizeOf(lines[part]), notMirrored: sizeOf(notMirrored[part]) },
      ]),
    ),
    away: { ...unreachable, ...refused },
  };
}

function sizeOf(lines: unknown): number {
  return typeof lines === "object" && lines !== null ? Object.keys(lines).length : 0;
}
