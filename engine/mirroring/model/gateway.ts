import type { Result } from "../../result.ts";

/** The gateway as a Link resource names it, with host names that aren't resolved. */
export interface GatewayFacts {
  /** Never empty; sorted and without duplicates once they are resolved. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** The gateway's TLS identity; if empty, it is unknown and proxies use no mTLS to the gateway. */
  readonly identity: string;
}

/** The gateway as the source's proxies connect to it: its addresses are IPs. */
export type Gateway = GatewayFacts;

/** A gateway whose addresses were judged. */
export interface KnownGateway {
  readonly gateway: Gateway;
  /** The same as a Link resource names it; absent if the Link doesn't exist yet. */
  readonly announced?: GatewayFacts;
  readonly warnings: readonly string[];
}

export type GatewayReading = Result<KnownGateway>;

export interface Probe {
  readonly path: string;
  readonly port: number;
  /** Formats a duration as Go does: `3s`, `2m0s`. */
  readonly period: string;
}

/** The result of one probe. */
export type ProbeResult =
  | {
      readonly path: string;
      readonly port: number;
      /** Why the probe failed, such as `HTTP status 503`; absent if the gateway is alive. */
      readonly down?: string;
      /** Until the first address answered, or all had failed. */
      readonly milliseconds: number;
    }
  /** Nobody knows how to probe it, as a sentence says. */
  | { readonly why: string };
