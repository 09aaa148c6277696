/** Where a target's gateway answers, as the source's proxies will dial it. */
export interface Gateway {
  /** IPs, sorted as strings and without duplicates. Never empty. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** TLS identity of the gateway; empty: unknown, and then no mTLS to the gateway. */
  readonly identity: string;
}

/** A gateway, or the sentence that says why there is none to be had now. */
export type GatewayReading =
  | { readonly known: true; readonly gateway: Gateway; readonly warnings: readonly string[] }
  | { readonly known: false; readonly why: string };
