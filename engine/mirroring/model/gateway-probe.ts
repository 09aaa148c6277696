import { printable } from "../../kubernetes/objects/printable.ts";
import type { Service } from "../../kubernetes/objects/objects.ts";
import { formatSeconds, parseDuration } from "../../kubernetes/objects/duration.ts";
import { portNamed, type Probe } from "./gateway.ts";
import { annotation, probePort } from "./vocabulary.ts";

/**
 * Returns the probe that a gateway Service offers; undefined if it offers none. The annotation holds whole seconds,
 * `3`, while the Link schema wants a duration, `3s` (linkerd-behaviour.md 1.6, 4).
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
    mistake: `the gateway Service ${where} has annotation ${annotation.probePeriod}: ${JSON.stringify(printable(said, 100))}, which must be seconds or a Go duration, as 3 or 3s`,
  };
}

/** The result of one probe. */
export type ProbeResult =
  /** Why the probe failed, such as `HTTP status 503`; absent if the gateway is alive. */
  | { readonly path: string; readonly port: number; readonly down?: string }
  /** Nobody knows how to probe it, as a sentence says. */
  | { readonly why: string };
