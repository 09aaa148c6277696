import { parseDuration } from "../kubernetes/duration.ts";
import { systemTime, type Time } from "../kubernetes/retry.ts";
import { type SendProbe, sendProbe } from "../mirroring/observe/gateway-probe.ts";
import { afterProbe, alive, type Liveness } from "../mirroring/model/gateway-liveness.ts";
import {
  type RememberedGateway,
  rememberedGateways,
} from "../mirroring/model/remembered-gateways.ts";
import type { Inputs } from "../mirroring/model/state.ts";
import type { Observer } from "./events.ts";

/** Milliseconds: no gateway is asked more often, whatever its Service says. */
const shortestPeriod = 1_000;

export interface GatewayProbesSettings {
  readonly observe: Observer;
  readonly time?: Time;
  readonly send?: SendProbe;
}

/**
 * Probes the gateways of links with `gatewayProbe` between runs, each in its own period, as Linkerd's
 * probe workers do (linkerd-behaviour.md 7.3). One that is down and whose mirrors do not say so, or the
 * other way round, is a sign and nothing more: the look that follows probes it for itself.
 */
export class GatewayProbes {
  readonly #settings: Required<GatewayProbesSettings>;
  /** By all that says where and how to probe, and what mirrors go by. */
  readonly #probing = new Map<string, AbortController>();

  constructor({ observe, time = systemTime, send = sendProbe }: GatewayProbesSettings) {
    this.#settings = { observe, time, send };
  }

  /** Goes by what the last run knew of gateways; with none, nothing is probed any more. */
  update(sources: readonly Inputs[]): void {
    const gateways = sources.flatMap((inputs) => rememberedGateways(inputs, inputs));
    const wanted = new Map(gateways.map((gateway) => [JSON.stringify(gateway), gateway]));
    for (const [key, probing] of this.#probing) {
      if (wanted.has(key)) continue;
      probing.abort();
      this.#probing.delete(key);
    }
    for (const [key, gateway] of wanted) {
      if (this.#probing.has(key)) continue;
      const probing = new AbortController();
      this.#probing.set(key, probing);
      void this.#probe(gateway, probing.signal);
    }
  }

  /** Until it is not needed any more. Never rejects, as no probe does. */
  async #probe({ target, gateway, ...known }: RememberedGateway, stop: AbortSignal): Promise<void> {
    const { observe, time, send } = this.#settings;
    const { addresses, probe } = gateway;
    const period = Math.max(parseDuration(probe.period) ?? shortestPeriod, shortestPeriod);
    let seen: Liveness = known.alive ? alive : { failures: probe.threshold, down: "" };
    const isOver = () => stop.aborted;
    for (;;) {
      await time.sleep(period, stop);
      if (isOver()) return;
      const wasAlive = seen.down === undefined;
      seen = afterProbe(seen, await send({ addresses, ...probe }, { time, stop }), probe);
      if (isOver()) return;
      const isAlive = seen.down === undefined;
      if (isAlive === wasAlive) continue;
      const about = isAlive ? "answers its probe again" : `fails its probe (${seen.down})`;
      observe({ event: "triggered", reason: "probe", cluster: target, about });
    }
  }
}
