import { plain } from "../../kubernetes/objects/plain.ts";
import type { Service } from "../../kubernetes/objects/objects.ts";
import { type GatewayProbe, gatewayProbe } from "./gateway.ts";
import { annotation, probePort } from "./vocabulary.ts";

/**
 * Whether a gateway is alive, by what Linkerd's probe worker goes by (linkerd-behaviour.md 2.12, 7.3).
 * Which requests are sent, and when, is not known here.
 */

/** As the schema of Links has it. */
const defaultThreshold = 3;

/** How to probe the gateway, or in a sentence why that is not possible. */
export function probeOf(
  service: Service | undefined,
  where: string,
): { readonly probe: GatewayProbe } | { readonly why: string } {
  const found = gatewayProbe(service, where);
  if (found === undefined)
    return {
      why: `the gateway Service ${where} offers no probe: it needs the annotation ${annotation.probePath} and a port named ${probePort}`,
    };
  if ("mistake" in found) return { why: found.mistake };
  const said = service?.metadata.annotations?.[annotation.probeThreshold];
  const threshold = said === undefined ? defaultThreshold : thresholdIn(said);
  if (threshold !== undefined) return { probe: { ...found.probe, threshold } };
  return {
    why: `the gateway Service ${where} has annotation ${annotation.probeThreshold}: ${JSON.stringify(plain(said ?? "", 100))}, which must be a whole number from 1 to 999`,
  };
}

function thresholdIn(text: string): number | undefined {
  return /^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined;
}

/** What the probes of one gateway have come to so far. */
export interface Liveness {
  /** In a row, up to now. */
  readonly failures: number;
  /** Why it is taken to be down: `HTTP status 503`; absent: it is alive. */
  readonly down?: string;
}

/** What a gateway is taken to be before its first probe, as by Linkerd's controller. */
export const alive: Liveness = { failures: 0 };

/**
 * One success revives a gateway, and only as many failures in a row as its threshold take it down.
 *
 * @param failure of the probe; undefined: it succeeded
 */
export function afterProbe(
  before: Liveness,
  failure: string | undefined,
  { threshold }: Pick<GatewayProbe, "threshold">,
): Liveness {
  if (failure === undefined) return alive;
  const failures = before.failures + 1;
  const isDown = before.down !== undefined || failures >= threshold;
  return { failures, ...(isDown && { down: failure }) };
}
