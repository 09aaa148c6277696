import { connectToWatch } from "../kubernetes/client/connect.ts";
import { parseDuration } from "../kubernetes/objects/duration.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import { systemTime, type Time } from "../kubernetes/client/retry.ts";
import type { Watching } from "../kubernetes/client/watching.ts";
import { afterProbe, alive, type Liveness } from "../mirroring/model/gateway-probe.ts";
import { type SendProbe, sendProbe } from "../mirroring/observe/gateway-probe.ts";
import {
  type Inputs,
  type RememberedGateway,
  rememberedGateways,
} from "../mirroring/model/state.ts";
import { ClusterWatch } from "./cluster-watch.ts";
import type { Observer } from "./events.ts";
import { interests } from "./interest.ts";

/** Connections to a cluster: one for each kind, and one for lists. */
const connections = 5;

/** Milliseconds: no gateway is probed more often, whatever its Service says. */
const shortestPeriod = 1_000;

interface MeshWatchSettings {
  readonly observe: Observer;
  readonly time?: Time;
  readonly connect?: (access: ClusterAccess, cluster: string) => Promise<Watching>;
  readonly send?: SendProbe;
}

/** Watches every cluster that mirrors depend on, and probes the gateways of links with `gatewayProbe`. */
export class MeshWatch {
  readonly #settings;
  /** The watches and probes by all that they depend on. */
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<void> }>();

  constructor({
    observe,
    time = systemTime,
    send = sendProbe,
    connect = (access, cluster) => connectToWatch(access, cluster, { connections, time }),
  }: MeshWatchSettings) {
    this.#settings = { observe, time, send, connect };
  }

  /** Begins with what is new, and ends what is not needed any more. */
  async update(sources: readonly Inputs[]): Promise<void> {
    const { connect, ...settings } = this.#settings;
    const wanted = new Map<string, (signal: AbortSignal) => Promise<void>>();
    for (const [cluster, interest] of interests(sources)) {
      const own = { cluster, interest, connect: () => connect(interest.access, cluster) };
      wanted.set(JSON.stringify([cluster, interest]), (signal) =>
        new ClusterWatch({ ...settings, ...own }).run(signal),
      );
    }
    for (const gateway of sources.flatMap((inputs) => rememberedGateways(inputs, inputs)))
      wanted.set(JSON.stringify(gateway), (signal) => probe(gateway, settings, signal));
    const ending = [...this.#running].filter(([key]) => !wanted.has(key));
    for (const [key, { stop }] of ending) {
      this.#running.delete(key);
      stop.abort();
    }
    for (const [key, start] of wanted) {
      if (this.#running.has(key)) continue;
      const stop = new AbortController();
      this.#running.set(key, { stop, ended: start(stop.signal) });
    }
    await Promise.all(ending.map(([, { ended }]) => ended));
  }
}

/**
 * Probes a gateway in its own period, as Linkerd's probe workers do (linkerd-behaviour.md 7.3), from what
 * mirrors have gone by since the last run. One that goes down or is back is a reason for a dry run, which
 * probes it for itself. Never rejects, as no probe does.
 */
async function probe(
  { target, gateway, alive: wasAlive }: RememberedGateway,
  { observe, time, send }: Pick<Required<MeshWatchSettings>, "observe" | "time" | "send">,
  signal: AbortSignal,
): Promise<void> {
  const { addresses, probe: how } = gateway;
  const period = Math.max(parseDuration(how.period) ?? shortestPeriod, shortestPeriod);
  let seen: Liveness = wasAlive ? alive : { failures: how.threshold, down: "" };
  const isOver = () => signal.aborted;
  for (;;) {
    await time.sleep(period, signal);
    if (isOver()) return;
    const before = seen;
    seen = afterProbe(before, await send({ addresses, ...how }, { time, stop: signal }), how);
    if (isOver()) return;
    if ((seen.down === undefined) === (before.down === undefined)) continue;
    const about =
      seen.down === undefined ? "answers its probe again" : `fails its probe (${seen.down})`;
    observe({ event: "triggered", reason: "probe", cluster: target, about });
  }
}
