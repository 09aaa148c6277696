import type { Time } from "../kubernetes/retry.ts";
import { Clusters } from "../mirroring/observe/clusters.ts";
import { look, type Looked } from "../mirroring/reconcile/look.ts";
import { argsOf, type ByPart, type Inputs } from "../mirroring/reconcile/state.ts";
import type { PartSeen, SourceSeen } from "./events.ts";
import { Hostnames } from "./hostnames.ts";

/** Connections to each cluster; a look reads five lists. */
const connections = 5;

/**
 * Looks whether there is anything to do, by the very code that the provider plans with and from what
 * the last run has left in the state. It takes no lock, leaves no history, and writes nothing.
 */
export class Lookout {
  readonly #connect: () => Clusters;
  readonly #hostnames = new Hostnames((hostname) => {
    this.#clusters.forgetAddresses();
    return this.#clusters.resolve(hostname);
  });
  #clusters: Clusters;

  constructor(time: Time, connect = () => new Clusters({ connections, time })) {
    this.#connect = connect;
    this.#clusters = connect();
  }

  /** Connects anew, since a kubeconfig may have come to name another address or user. */
  async renew(): Promise<void> {
    const former = this.#clusters;
    this.#clusters = this.#connect();
    await former.closeAll();
  }

  async look(sources: readonly Inputs[]): Promise<SourceSeen[]> {
    this.#clusters.forget();
    this.#hostnames.begin();
    const clusters = this.#clusters;
    const observed = {
      snapshot: clusters.snapshot.bind(clusters),
      anew: clusters.anew.bind(clusters),
      controllers: clusters.controllers.bind(clusters),
      statefulSets: clusters.statefulSets.bind(clusters),
      resolve: (hostname: string) => this.#hostnames.resolve(hostname),
    };
    try {
      return await Promise.all(
        sources.map(async (before) => seen(before, await look(observed, before, argsOf(before)))),
      );
    } finally {
      // What was read of 10,000 Services is not kept until the next look.
      clusters.forget();
    }
  }

  /** The hostnames of gateways that lead elsewhere than when clusters were looked at. */
  moved(): Promise<string[]> {
    return this.#hostnames.moved();
  }

  async close(): Promise<void> {
    await this.#clusters.closeAll();
  }
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
