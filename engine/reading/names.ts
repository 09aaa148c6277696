import { lookup, Resolver } from "node:dns/promises";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { codeOf, unlessBug, UserError } from "../base/user-error.ts";

/** Resolving a name may take this many milliseconds. */
const longest = 5_000;

interface NameOptions {
  readonly stop?: AbortSignal | undefined;
  /** DNS servers are written as `192.0.2.53:53`. The default is those of this machine. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
}

/**
 * Every name that a target announces ends in a dot, and so is complete. For these, DNS is asked over sockets, because
 * `lookup` uses one of the few threads of a process, and unanswered names of one target would keep all others waiting.
 * Other names are the config's own, which `lookup` completes with the search domains of this machine.
 *
 * @throws UserError if there is no address, or no answer in time
 */
export async function addressesOf(
  hostname: string,
  { stop, servers, hostsFile = "/etc/hosts" }: NameOptions = {},
): Promise<readonly string[]> {
  const late = AbortSignal.timeout(longest);
  const ended = stop === undefined ? late : AbortSignal.any([late, stop]);
  if (!hostname.endsWith(".")) return lookedUp(hostname, ended);
  const name = hostname.slice(0, -1).toLowerCase();
  const known = addressesIn(await readFile(hostsFile, "utf8").catch(unlessBug("")), name);
  return known.length > 0 ? known : askDns(name, servers, ended);
}

async function lookedUp(hostname: string, ended: AbortSignal): Promise<readonly string[]> {
  const tooLate = once(ended, "abort").then(() => Promise.reject(new UserError(noAnswer)));
  const found = await Promise.race([lookup(hostname, { all: true }), tooLate]);
  return found.map(({ address }) => address);
}

const noAnswer = `DNS does not answer within ${longest / 1_000} s`;

async function askDns(
  name: string,
  servers: readonly string[] | undefined,
  ended: AbortSignal,
): Promise<readonly string[]> {
  const resolver = new Resolver();
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => {
    resolver.cancel();
  };
  ended.addEventListener("abort", cancel, { once: true });
  const families = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  ended.removeEventListener("abort", cancel);
  const found = families.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (found.length > 0) return found;
  const codes = families.flatMap((answer) =>
    answer.status === "rejected" ? codeOf(answer.reason) : [],
  );
  const problem = codes.find((code) => code !== "ENOTFOUND" && code !== "ENODATA");
  if (problem === undefined) throw new UserError("DNS has no address for it");
  const isLate = problem === "ECANCELLED" || problem === "ETIMEOUT";
  throw new UserError(isLate ? noAnswer : `DNS can't be asked (${problem})`);
}

function addressesIn(hosts: string, name: string): string[] {
  return hosts.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [address] : [];
  });
}
