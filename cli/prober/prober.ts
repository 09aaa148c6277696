import { messageOf } from "@linkerd-multicluster/engine/base";
import { systemTime } from "@linkerd-multicluster/engine/kubernetes";
import { sendProbe } from "@linkerd-multicluster/engine/reading";
import { serve } from "../watch/server.ts";
import { proberMetrics } from "./metrics.ts";
import { unknownYet, type Verdict, verdictAfter } from "./verdict.ts";

export interface Probing {
  readonly target: string;
  readonly url: URL;
  /** Milliseconds from one probe to the next. */
  readonly period: number;
  readonly listen: { readonly host: string; readonly port: number };
}

/** With a gateway's usual period of 3 s, it is found dead within 10 s. */
const longestProbe = 1_000;

/** Milliseconds between renewals of the Lease, which a former holder may have taken back meanwhile. */
const renewal = 10_000;

/** A prober that has not probed for this many milliseconds is stuck. */
const stuck = 60_000;

/**
 * Asks the gateway until the signal is aborted. A Lease that can't be written is a line of the log, since the gateway's
 * metrics don't depend on it.
 */
export async function probe(
  { target, url, period, listen }: Probing,
  hold: () => Promise<void>,
  stop: AbortSignal,
  { time = systemTime, send = sendProbe, log = console.log } = {},
): Promise<void> {
  const metrics = proberMetrics(target);
  let last = time.now();
  const isLive = () => time.now() - last < stuck + period;
  const server = await serve(listen, { isLive, isReady: () => true, metrics });
  const asked = { addresses: [url.hostname], port: Number(url.port), path: url.pathname };
  let verdict: Verdict = unknownYet;
  let held = -Infinity;
  while (!stop.aborted) {
    const started = time.now();
    if (started - held >= renewal) {
      held = started;
      hold().catch((error: unknown) => {
        log(`the Lease stays as it is: ${messageOf(error)}`);
      });
    }
    const down = await send(asked, time, longestProbe);
    last = time.now();
    const before = verdict.alive;
    verdict = verdictAfter(verdict, down, last - started);
    metrics.observe(verdict);
    if (verdict.alive !== before)
      log(`the gateway of ${target} is ${verdict.alive ? "alive" : `down: ${down ?? ""}`}`);
    await time.sleep(Math.max(0, started + period - time.now()), stop);
  }
  await server.close();
}
