import { lookup, Resolver } from "node:dns/promises";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { codeOf, unlessBug, UserError } from "../user-error.ts";

/** The time limit for resolving one name, in milliseconds. */
const longest = 5_000;

export interface NameOptions {
  /** Aborting it ends the query. */
  readonly stop?: AbortSignal | undefined;
  /** DNS servers are written as `192.0.2.53:53`. The default is those of this machine. */
  readonly servers?: readonly string[];
  /** The hosts file. */
  readonly hosts?: string;
}

/**
 * Resolves a hostname. A name that ends in a dot is complete, as is every name that a target announces: the
 * hosts file has it, or DNS is asked over sockets, for all names at the same time. `lookup` would ask in one of the
 * few threads that a process has, and unanswered names of one target would keep all others waiting. Any
 * other name is the config's own, which `lookup` completes with the search domains of this machine.
 *
 * @throws UserError if there is none, or no answer in time
 */
export async function addressesOf(
  hostname: string,
  { stop, servers, hosts = "/etc/hosts" }: NameOptions = {},
): Promise<readonly string[]> {
  const late = AbortSignal.timeout(longest);
  const ended = stop === undefined ? late : AbortSignal.any([late, stop]);
  if (!hostname.endsWith(".")) return lookedUp(hostname, ended);
  const name = hostname.slice(0, -1).toLowerCase();
  const known = addressesIn(await readFile(hosts, "utf8").catch(unlessBug("")), name);
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

/** Reads the addresses of a name from the text of a hosts file. */
function addressesIn(text: string, name: string): string[] {
  return text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [address] : [];
  });
}
