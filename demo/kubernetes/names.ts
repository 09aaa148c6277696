import { type Bed, type Dns, until } from "../../testbed/bed.ts";
import type { Screen } from "../screen.ts";

/** Asks a cluster's DNS server for a name, and prints what dig would, which need not be installed. */
export type LookUp = (cluster: string, name: string) => Promise<void>;

/** A cluster's DNS server starts with the first question. */
export function lookUpOn(bed: Bed<string>, screen: Screen): LookUp {
  const servers = new Map<string, Promise<Dns>>();
  return async (cluster, name) => {
    const server = servers.get(cluster) ?? bed.dns(cluster);
    servers.set(cluster, server);
    const { port, lookup } = await server;
    // CoreDNS hears of a new name a moment later.
    const addresses = await until(`an address of ${name}`, [], async () => {
      const found = await lookup(name);
      return found.length > 0 ? found : undefined;
    });
    screen.command(`dig +short @127.0.0.1 -p ${port} ${name}`);
    for (const address of addresses) screen.output(address);
  };
}
