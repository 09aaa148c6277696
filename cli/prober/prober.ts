import { messageOf } from "@linkerd-multicluster/engine/base";
import type { Answered } from "@linkerd-multicluster/engine/mirroring";
import { systemTime } from "@linkerd-multicluster/engine/kubernetes";
import { sendProbe } from "@linkerd-multicluster/engine/reading";
import { serve } from "../watch/server.ts";
import { proberMetrics } from "./metrics.ts";
import { answeredBy, type Verdict, verdictAfter } from "./verdict.ts";

export interface Probing {
  readonly target: string;
  /** Undefined if there is nothing to ask. */
  readonly url: URL | undefined;
  /** Milliseconds from one probe to the next. */
  readonly period: number;
  readonly listen: { readonly host: string; readonly port: number };
}

/** With a gateway's usual period of 3 s, it is found dead within 10 s. */
const longestProbe = 1_000;

/** The Lease is renewed after this many milliseconds, since somebody may have taken it meanwhile. */
const renewal = 10_000;

/** A prober that has done nothing for this many milliseconds is stuck. */
const stuck = 60_000;

/**
 * Asks the gateway until the signal is aborted. A Lease that can't be written is a line of the log, since the gateway's
 * metrics don't depend on it.
 */
export async function probe(
  { target, url, period, listen }: Probing,
  hold: (verdict: Answered | undefined) => Promise<void>,
  stop: AbortSignal,
  { time = systemTime, send = sendProbe, log = console.log } = {},
): Promise<void> {
  const metrics = proberMetrics(target, url !== undefined);
  let last = time.now();
  const isLive = () => time.now() - last < stuck + period;
  const server = await serve(listen, { isLive, isReady: () => true, metrics });
  let verdict: Verdict | undefined;
  let held = -Infinity;
  while (!stop.aborted) {
    const started = time.now();
    if (url !== undefined) {
      const asked = { addresses: [url.hostname], port: Number(url.port), path: url.pathname };
      const down = await send(asked, time, longestProbe);
      const before = verdict;
      verdict = verdictAfter(before, down, Math.round(time.now() - started));
      metrics.observe(verdict);
      if (verdict.alive !== before?.alive) {
        log(`the gateway of ${target} is ${verdict.alive ? "alive" : `down: ${down ?? ""}`}`);
        held = -Infinity;
      }
    }
    last = time.now();
    if (last - held >= renewal) {
      held = last;
      hold(verdict && answeredBy(verdict)).catch((error: unknown) => {
        log(`the Lease stays as it is: ${messageOf(error)}`);
      });
    }
    await time.sleep(Math.max(0, started + period - time.now()), stop);
  }
  await server.close();
}
