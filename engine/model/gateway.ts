import type { Answered } from "./prober.ts";
import type { Result } from "../base/result.ts";

/**
 * Describes a gateway as its Link does, where host names aren't resolved, or as proxies connect to it, by sorted IPs.
 */
export interface GatewayFacts {
  readonly addresses: readonly string[];
  readonly port: number;
  /** If the TLS identity is empty, it is unknown and proxies use no mTLS to the gateway. */
  readonly identity: string;
}

export interface KnownGateway {
  readonly gateway: GatewayFacts;
  /** Describes the gateway as its Link does; absent if the Link doesn't exist yet. */
  readonly announced?: GatewayFacts;
  readonly warnings: readonly string[];
}

export type GatewayReading = Result<KnownGateway>;

export interface Probe {
  readonly path: string;
  readonly port: number;
  /** The format is that of Go's durations: `3s`, `2m0s`. */
  readonly period: string;
}

export type ProbeResult =
  | (Answered & {
      readonly path: string;
      readonly port: number;
      /** The runner has asked otherwise. */
      readonly isByProber?: true;
    })
  /** Nobody knows how to probe it, as a sentence says. */
  | { readonly why: string };
