import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { type Dns, ensureTools, until } from "../../testbed/bed.ts";
import { startDns } from "../../testbed/dns.ts";
import { startWatchdog } from "../../testbed/watchdog.ts";
import type { DemoBed } from "../bed.ts";
import type { Cleanup } from "../cleanup.ts";
import type { Screen } from "../screen.ts";

/** Asks the DNS servers of clusters, and prints what dig would, which need not be installed. */
export interface Names {
  /** Waits until there is an answer: CoreDNS hears of a new name a moment later. */
  lookUp(cluster: string, name: string): Promise<void>;
}

/** A cluster's DNS server starts with the first question, and ends with the demo even if the bed stays. */
export function namesOn(bed: DemoBed, screen: Screen, cleanup: Cleanup): Names {
  const servers = new Map<string, Promise<Dns>>();
  const serverOf = (cluster: string): Promise<Dns> => {
    const server = servers.get(cluster) ?? start(bed, cluster, screen, cleanup);
    servers.set(cluster, server);
    return server;
  };
  return {
    async lookUp(cluster, name) {
      const { port, lookup } = await serverOf(cluster);
      const addresses = await until(`an address of ${name}`, [], async () => {
        const found = await lookup(name);
        return found.length > 0 ? found : undefined;
      });
      screen.command(`dig +short @127.0.0.1 -p ${port} ${name}`);
      for (const address of addresses) screen.output(address);
    },
  };
}

async function start(
  bed: DemoBed,
  context: string,
  screen: Screen,
  cleanup: Cleanup,
): Promise<Dns> {
  const folder = join(bed.folder, "names", context);
  await mkdir(folder, { recursive: true });
  const watchdog = startWatchdog(folder);
  cleanup.add(() => watchdog.end());
  // Where it is being built, it is said that this waits.
  const { coredns } = await ensureTools((text) => {
    screen.output(text.trimEnd());
  });
  const { KUBECONFIG: kubeconfig = "" } = bed.settings;
  return startDns(
    { folder, kubeconfig, context, domain: "cluster.local" },
    await coredns,
    watchdog,
  );
}
