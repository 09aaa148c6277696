import { Resolver } from "node:dns/promises";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { codeOf } from "@linkerd-multicluster/engine/base";
import { freePorts } from "./ports.ts";
import { startProgram, until } from "./processes.ts";
import type { Watchdog } from "./watchdog.ts";

/** Programs that read resolv.conf ask this server of a cloud. */
export interface CloudDns {
  readonly address: string;
  /** `<name>.<zone>` has the addresses of the headless Service of this name in the namespace `balancers`. */
  readonly zone: string;
}

interface DnsSpec {
  readonly kubeconfig: string;
  readonly context: string;
  readonly domain: string;
  readonly folder: string;
  /** Without it, the server is the cluster's own, on a free port of 127.0.0.1. */
  readonly cloud?: CloudDns;
}

export type Dns = Awaited<ReturnType<typeof startDns>>;

/** Starts CoreDNS, which answers for a cluster's names as it does for the cluster's pods. */
export async function startDns(spec: DnsSpec, program: string, watchdog: Watchdog) {
  const { context, domain } = spec;
  const [free = 0] = await freePorts(1);
  const { address = "127.0.0.1" } = spec.cloud ?? {};
  const port = spec.cloud === undefined ? free : 53;
  const folder = join(spec.folder, "dns", String(port));
  await mkdir(folder, { recursive: true });
  const corefile = join(folder, "Corefile");
  await writeFile(corefile, corefileFor(spec, address, port));
  const [args, log] = [[`-conf=${corefile}`], join(folder, "coredns.log")];
  const server = startProgram(
    { name: `coredns of ${context}`, path: program, args, log },
    watchdog,
  );

  const resolver = new Resolver({ timeout: 2_000, tries: 3 });
  resolver.setServers([`${address}:${port}`]);
  // It lists all Services at its start, so one that is known means that all are.
  await until(`the names of ${context}`, [server], () =>
    resolver.resolve4(`kubernetes.default.svc.${domain}`),
  );
  return {
    port,
    /** Returns sorted IPv4 addresses; none if the server does not have the name. */
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
function corefileFor(
  { kubeconfig, context, domain, cloud }: DnsSpec,
  address: string,
  port: number,
): string {
  const [zone, alias] =
    cloud === undefined
      ? [domain, ""]
      : [".", `rewrite name suffix .${cloud.zone}. .balancers.svc.${domain}. answer auto`];
  return `${zone}:${port} {
  bind ${address}
  errors
  ${alias}
  kubernetes ${domain} {
    kubeconfig ${kubeconfig} ${context}
    ttl 0
  }
}
`;
}
