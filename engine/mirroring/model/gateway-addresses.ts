import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { plain } from "../../kubernetes/plain.ts";
import type { ClusterSnapshot } from "./snapshot.ts";

/**
 * Where a target may have traffic sent to. What a gateway announces comes from the target alone, while
 * it is the source's proxies that dial it: an address that means the source itself, the machine that a
 * proxy runs on or its cloud's metadata service is no gateway of another cluster. Addresses that the
 * config gives are the user's own word, and not judged.
 */

/** Gateways have a handful, every one of which is written to every mirror. */
const mostAddresses = 32;

const special = [
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["unspecified", ["0.0.0.0/8", "::/128"]],
  ["link-local", ["169.254.0.0/16", "fe80::/10"]],
  ["multicast", ["224.0.0.0/4", "ff00::/8"]],
  ["reserved", ["240.0.0.0/4"]],
] as const;

/** IPv6 prefixes in front of an IPv4 address: compatible, and translated (RFC 6052). BlockList knows mapped ones. */
const embedding = ["::", "64:ff9b::"];

const specialRanges = special.map(([kind, ranges]) => {
  const embedded = ranges.flatMap((range) => {
    const [ip = "", bits = ""] = range.split("/");
    return isIPv4(ip) ? embedding.map((prefix) => `${prefix}${ip}/${96 + Number(bits)}`) : [];
  });
  return { kind, list: rangesOf([...ranges, ...embedded]) };
});

/** Addresses in CIDR notation as something to ask. */
function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [ip = "", bits] = range.split("/");
    list.addSubnet(ip, Number(bits), family(ip));
  }
  return list;
}

function family(ip: string): "ipv4" | "ipv6" {
  return isIPv4(ip) ? "ipv4" : "ipv6";
}

/** What is known of who may be dialled. */
export interface AddressRules {
  /** Ranges of the config, in CIDR notation; absent: any. */
  readonly allowed?: readonly string[] | undefined;
  readonly own?: IsOwn;
}

/** Whether one of the source's own Services answers at an address, or will. */
export type IsOwn = (address: string) => boolean;

/** Whether a cluster's Services answer there: at ClusterIPs that are given out, or at those that will be. */
export function clusterAddresses({
  services,
  serviceRanges = [],
}: Pick<ClusterSnapshot, "services" | "serviceRanges">): IsOwn {
  const ranges = rangesOf(serviceRanges);
  const addresses = new Set<string>();
  for (const { spec } of services.values())
    for (const ip of [spec.clusterIP ?? "", ...(spec.clusterIPs ?? [])]) addresses.add(ip);
  // Only an IPv6 address may be spelled in several ways: a list of 10,000 takes a tenth of a second to make.
  const spelled = once(() => listOf([...addresses].filter((each) => isIP(each) !== 0)));
  const isIPv4Only = once(() => [...addresses].every((each) => !isIPv6(each)));
  return (address) =>
    addresses.has(address) ||
    ranges.check(address, family(address)) ||
    (!(isIPv4(address) && isIPv4Only()) && spelled().check(address, family(address)));
}

function listOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const address of addresses) list.addAddress(address, family(address));
  return list;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Why no traffic is sent there, as the end of a sentence that begins with the address. */
export function refusedAddress(
  address: string,
  { allowed, own }: AddressRules = {},
): string | undefined {
  if (isIP(address) === 0) return refusedHostname(address);
  const within = (list: BlockList) => list.check(address, family(address));
  const found = specialRanges.find(({ list }) => within(list));
  if (found !== undefined) return `is ${found.kind}`;
  if (own?.(address) === true) return "is a ClusterIP of the source itself";
  if (allowed !== undefined && !within(rangesOf(allowed)))
    return "is not in gateway.allowedAddresses";
  return undefined;
}

/**
 * Resolvers answer for localhost themselves (RFC 6761), and a Service's name, or that of one of its
 * pods, means one of the source's own, whatever its cluster domain is.
 */
function refusedHostname(hostname: string): string | undefined {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return /(^|\.)(localhost|svc)$/.test(name) || /^([^.]*\.){2,3}svc\./.test(name)
    ? "means something else in each cluster"
    : undefined;
}

/** Those that may be dialled, in their order and no more than `mostAddresses`; and a sentence for each that may not. */
export function judged(
  addresses: readonly string[],
  rules: AddressRules,
): { readonly allowed: readonly string[]; readonly refused: readonly string[] } {
  const allowed: string[] = [];
  const refused: string[] = [];
  for (const address of addresses) {
    const why = refusedAddress(address, rules);
    if (why === undefined) allowed.push(address);
    else refused.push(`${plain(address, 253)} ${why}`);
  }
  const more = allowed.length - mostAddresses;
  if (more > 0) refused.push(`${more} beyond the first ${mostAddresses}`);
  return { allowed: allowed.slice(0, mostAddresses), refused: short(refused) };
}

/** A target may announce many, and all of them wrong. */
function short(sentences: readonly string[]): string[] {
  const shown = sentences.slice(0, 5);
  const more = sentences.length - shown.length;
  return more === 0 ? shown : [...shown, `${more} more`];
}
