import { isDeepStrictEqual } from "node:util";
import { omitUndefined, unlessBug } from "@linkerd-multicluster/engine/base";
import { type GateInputs, isGateDue } from "@linkerd-multicluster/engine/admitting";
import type { ClusterAccess, Kubernetes } from "@linkerd-multicluster/engine/kubernetes";
import {
  argsOf,
  contested,
  deletionTime,
  entryOf,
  isPending,
  type Outcome,
  countNotMirrored,
} from "@linkerd-multicluster/engine/mirroring";
import {
  addressesOf,
  type CheckedSource,
  checkSource,
  Clusters,
  type Losses,
  lossesOf,
  MirrorsLeft,
  probeGateway,
  proberOf,
} from "@linkerd-multicluster/engine/check";
import type { SourceStatus } from "./events.ts";
import { KeptLists } from "./kept-lists.ts";
import type { KnownProber } from "./probers.ts";
import type { WatchedSource } from "./stack-runs.ts";

export interface DryRun {
  readonly sources: readonly SourceStatus[];
  /** Names what a run would take away, by source. */
  readonly losses: Losses;
  /** A run would change who may use a closed gateway. */
  readonly changesGates: boolean;
  /** Says of clusters that don't answer why. */
  readonly away: Readonly<Record<string, string>>;
  /** The time is in milliseconds. The mirror of a missing pod is due to be deleted then. */
  readonly dueIn?: number;
}

export class DryRunClusters extends Clusters {
  /** Notes the addresses of gateways' hostnames. One that does not resolve has none. */
  readonly hostnames = new Map<string, readonly string[]>();

  /** Notes what probers say. */
  readonly probers: KnownProber[] = [];

  readonly #kept: KeptLists;

  /** @param stop ends a dry run whose result is no longer needed */
  constructor(stop?: AbortSignal, kept = new KeptLists()) {
    // Each kind that is listed gets a connection.
    super(omitUndefined({ connections: 5, cancellation: stop && { stop, abort: stop } }));
    this.#kept = kept;
  }

  override async client(name: string, access: ClusterAccess): Promise<Kubernetes> {
    return this.#kept.serving(await super.client(name, access));
  }

  override async resolve(hostname: string): Promise<readonly string[]> {
    this.hostnames.set(hostname, []);
    const addresses = await super.resolve(hostname);
    this.hostnames.set(hostname, addresses);
    return addresses;
  }
}

/**
 * Finds out whether there is anything to do, by the same code as the provider and from the inputs that the last run
 * left in the state. It takes no lock, leaves no history, and writes nothing.
 */
export async function dryRun(
  watched: readonly WatchedSource[],
  clusters: DryRunClusters,
  gates: readonly GateInputs[] = [],
  now = new Date(),
): Promise<DryRun> {
  try {
    const checked = await Promise.all(
      watched.map(async ({ planned, before }) => {
        const source = await checkSource(clusters, before, argsOf(planned), now);
        return { ...source, gateways: await gatewaysIn(source.outcome, clusters) };
      }),
    );
    const left = new MirrorsLeft();
    for (const { outcome } of checked) if (outcome.outcome === "planned") left.add(outcome);
    const due = await Promise.all(gates.map((gate) => isGateDue(clusters, left, gate)));
    const waits = checked
      .flatMap(({ checked: { inputs } }) => Object.values(inputs.missing ?? {}))
      .map((since) => deletionTime(since).getTime() - now.getTime())
      // One that is overdue waits for its cluster, which is watched.
      .filter((wait) => wait > 0);
    return {
      sources: checked.map(statusOf),
      changesGates: due.includes(true),
      losses: Object.fromEntries(
        checked.map(({ outcome, checked: { inputs } }) => [inputs.source, lossesOf(outcome)]),
      ),
      away: Object.fromEntries(checked.flatMap(({ outcome }) => awayIn(outcome))),
      ...(waits.length > 0 && { dueIn: waits.reduce((least, wait) => Math.min(least, wait)) }),
    };
  } finally {
    const read = [...watched.map(({ planned }) => planned), ...gates];
    const all = read.flatMap((each) => Object.values(each.clusters));
    await Promise.allSettled(all.map((access) => clusters.close(access)));
  }
}

function awayIn({ readings }: Outcome): [string, string][] {
  return [...readings].flatMap(([name, reading]): [string, string][] =>
    "why" in reading && reading.cause === "unreachable" ? [[name, reading.why]] : [],
  );
}

type Gateways = NonNullable<SourceStatus["gateways"]>;

async function gatewaysIn(outcome: Outcome, clusters: DryRunClusters): Promise<Gateways> {
  if (outcome.outcome !== "planned") return {};
  const { args, links } = outcome;
  const probed = links.map(async ({ link, target }) => {
    // What it says is noted even if the gateway is unknown, or else it would be news after every dry run.
    const said = await proberOf(args, clusters, link, args.statusIn)?.();
    if (said !== undefined) {
      const { source, target: name } = link;
      const ask: KnownProber["ask"] = async (via) =>
        (await proberOf(args, via, link, args.statusIn)?.()) ?? { why: "there is none" };
      const of = { source, target: name, access: entryOf(args, source), ask };
      clusters.probers.push({ ...of, isDown: !("why" in said) && said.down !== undefined });
    }
    if ("why" in target) return [];
    const { snapshot, gateway } = target.value;
    const found = await probeGateway(link, snapshot, gateway, { said, time: clusters.time });
    if (found === undefined || "why" in found) return [];
    const { down, milliseconds } = found;
    return [[link.target, { alive: down === undefined, milliseconds }] as const];
  });
  return Object.fromEntries((await Promise.all(probed)).flat());
}

function statusOf({
  outcome,
  checked: { inputs, mistakes, hasWrites },
  gateways,
}: CheckedSource & { gateways: Gateways }): SourceStatus {
  const { source, mirrors, notMirrored = {}, refused = {} } = inputs;
  const refusals = mistakes.length === 0 ? Object.values(refused) : mistakes;
  // With nothing to write, a run would only fail again: somebody has to fix the cause first.
  const isChanged = hasWrites || (inputs.due === true && refusals.length === 0);
  const lines: Readonly<Record<string, unknown>> = typeof mirrors === "object" ? mirrors : {};
  const parts = Object.keys({ ...lines, ...notMirrored }).map((part) => {
    const counts = {
      mirrors: sizeOf(lines[part]),
      notMirrored: countNotMirrored(notMirrored[part]),
    };
    return [part, counts] as const;
  });
  const restores =
    isChanged && outcome.outcome === "planned" && !writesElsewhere(outcome)
      ? contested(outcome.decided.decisions)
      : undefined;
  const unreachable = [...outcome.readings].flatMap(([cluster, reading]) =>
    "why" in reading ? [[cluster, reading.why] as const] : [],
  );
  return {
    source,
    status: isChanged ? "changed" : refusals.length > 0 ? "refused" : "inSync",
    refusals,
    ...omitUndefined({ contested: restores }),
    parts: Object.fromEntries(parts),
    gateways,
    unreachable: Object.fromEntries(unreachable),
  };
}

function writesElsewhere({ decided, report }: Extract<Outcome, { outcome: "planned" }>): boolean {
  return decided.failover.routes.some(isPending) || report.statuses.some(({ isDue }) => isDue);
}

function sizeOf(lines: unknown): number {
  return typeof lines === "object" && lines !== null ? Object.keys(lines).length : 0;
}

/** Finds hostnames that resolve to other addresses than in the last dry run. No cluster reports a change in DNS. */
export async function movedHostnames(
  known: DryRunClusters["hostnames"],
  resolve: (hostname: string) => Promise<readonly string[]> = addressesOf,
): Promise<readonly string[]> {
  const moved = [...known].map(async ([hostname, before]) => {
    // If it does not resolve, DNS may be down.
    const addresses = await resolve(hostname).catch(unlessBug(before));
    return isDeepStrictEqual(new Set(addresses), new Set(before)) ? [] : [hostname];
  });
  return (await Promise.all(moved)).flat();
}
