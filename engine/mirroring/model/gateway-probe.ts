import { plain } from "../../kubernetes/objects/plain.ts";
import type { Service } from "../../kubernetes/objects/objects.ts";
import { formatSeconds, parseDuration } from "../../kubernetes/objects/duration.ts";
import { type GatewayProbe, portNamed, type Probe } from "./gateway.ts";
import { annotation, probePort } from "./vocabulary.ts";

/**
 * Whether a gateway is alive, by what Linkerd's probe worker goes by (linkerd-behaviour.md 2.12, 7.3).
 * Which requests are sent, and when, is not known here.
 */

/**
 * The probe that a gateway Service offers; undefined where it offers none. Of a period in whole
 * seconds, `3`, the Link schema wants a duration, `3s` (linkerd-behaviour.md 1.6, 4).
 */
export function gatewayProbe(
  service: Service | undefined,
  where: string,
): { readonly probe: Probe } | { readonly mistake: string } | undefined {
  const annotations = service?.metadata.annotations ?? {};
  const path = annotations[annotation.probePath];
  const port = portNamed(service, probePort);
  if (!path || port === undefined) return undefined;
  const said = annotations[annotation.probePeriod] ?? "";
  const period = /^\d{1,9}$/.test(said) ? formatSeconds(Number(said)) : said;
  if (!/^\/[!-~]{0,1023}$/.test(path))
    return {
      mistake: `the gateway Service ${where} has annotation ${annotation.probePath} with a value that is not a path, as /ready: it would be a part of the gateway's address`,
    };
  if (parseDuration(period) !== undefined) return { probe: { path, port, period } };
  return {
    mistake: `the gateway Service ${where} has annotation ${annotation.probePeriod}: ${JSON.stringify(plain(said, 100))}, which must be seconds or a Go duration, as 3 or 3s`,
  };
}

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
  // By default as the schema of Links has it.
  const said = service?.metadata.annotations?.[annotation.probeThreshold] ?? "3";
  if (/^[1-9]\d{0,2}$/.test(said)) return { probe: { ...found.probe, threshold: Number(said) } };
  return {
    why: `the gateway Service ${where} has annotation ${annotation.probeThreshold}: ${JSON.stringify(plain(said, 100))}, which must be a whole number from 1 to 999`,
  };
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
