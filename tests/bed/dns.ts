import { Resolver } from "node:dns/promises";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { codeOf } from "@linkerd-multicluster/engine/kubernetes";
import { freePorts } from "./ports.ts";
import { startProgram, until } from "./processes.ts";
import type { Watchdog } from "./watchdog.ts";

interface DnsSpec {
  readonly kubeconfig: string;
  /** The cluster whose names it answers for. */
  readonly context: string;
  /** The cluster's DNS domain, such as `cluster.local`. */
  readonly domain: string;
  readonly folder: string;
}

/** The DNS server of a cluster. */
export type Dns = Awaited<ReturnType<typeof startDns>>;

/**
 * Starts CoreDNS, which answers for a cluster's names as it does for the cluster's pods. It ends with what the watchdog
 * guards.
 *
 * @param program the path of `coredns`
 */
export async function startDns(spec: DnsSpec, program: string, watchdog: Watchdog) {
  const { context, domain } = spec;
  const [port = 0] = await freePorts(1);
  const folder = join(spec.folder, "dns", String(port));
  await mkdir(folder, { recursive: true });
  const corefile = join(folder, "Corefile");
  await writeFile(corefile, corefileFor(spec, port));
  const [args, log] = [[`-conf=${corefile}`], join(folder, "coredns.log")];
  const server = startProgram(
    { name: `coredns of ${context}`, path: program, args, log },
    watchdog,
  );

  const resolver = new Resolver({ timeout: 2_000, tries: 3 });
  resolver.setServers([`127.0.0.1:${port}`]);
  // It lists all Services at its start, so one that is known means that all are.
  await until(`the names of ${context}`, [server], () =>
    resolver.resolve4(`kubernetes.default.svc.${domain}`),
  );
  return {
    port,
    /** Returns the IPv4 addresses of a name, sorted; none if the server does not have the name. */
    async lookup(name: string): Promise<string[]> {
      try {
        return (await resolver.resolve4(name)).sort();
      } catch (error) {
        const code = codeOf(error);
        if (code === "ENOTFOUND" || code === "ENODATA") return [];
        throw error;
      }
    },
  };
}

/** No answer may be cached, because tests check whether it changes. */
function corefileFor({ kubeconfig, context, domain }: DnsSpec, port: number): string {
  return `${domain}:${port} {
  bind 127.0.0.1
  errors
  kubernetes {
    kubeconfig ${kubeconfig} ${context}
    ttl 0
  }
}
`;
}
