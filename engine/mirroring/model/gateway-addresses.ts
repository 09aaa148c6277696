import { isIP, isIPv4, isIPv6, SocketAddress } from "node:net";
import { inRanges } from "../../kubernetes/objects/address-ranges.ts";
import { bounds } from "../../kubernetes/objects/bounds.ts";
import { plain } from "../../kubernetes/objects/plain.ts";
import { keyOf, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "./snapshot.ts";

/**
 * Where a target may have traffic sent to. What a gateway announces comes from the target alone, while
 * it is the source's proxies that dial it: an address that means the source itself, the machine that a
 * proxy runs on or its cloud's metadata service is no gateway of another cluster. Addresses that the
 * config gives are the user's own word, and not judged.
 */

const special = [
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["unspecified", ["0.0.0.0/8", "::/128"]],
  ["link-local", ["169.254.0.0/16", "fe80::/10"]],
  ["multicast", ["224.0.0.0/4", "ff00::/8"]],
  ["reserved", ["240.0.0.0/4", "192.0.0.0/24"]],
  // Beside the link-local one: Alibaba Cloud, Azure; AWS, Google Cloud and Oracle Cloud in IPv6.
  [
    "a cloud's metadata service",
    [
      ...["100.100.100.200/32", "168.63.129.16/32"],
      ...["fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128"],
    ],
  ],
  // Deprecated (RFC 3879, 7526), or of one network alone (RFC 8215). Each may lead to any IPv4 address.
  ["site-local", ["fec0::/10"]],
  ["translated or tunnelled", ["64:ff9b:1::/48", "2002::/16", "2001::/32"]],
] as const;

/** IPv6 prefixes in front of an IPv4 address: compatible, and translated (RFC 6052). BlockList knows mapped ones. */
const embedding = ["::", "64:ff9b::"];

const specialRanges = special.map(([kind, ranges]) => {
  const embedded = ranges.flatMap((range) => {
    const [ip = "", bits = ""] = range.split("/");
    return isIPv4(ip) ? embedding.map((prefix) => `${prefix}${ip}/${96 + Number(bits)}`) : [];
  });
  return { kind, contains: inRanges([...ranges, ...embedded]) };
});

/** What is known of who may be dialled. */
export interface AddressRules {
  /** Ranges of the config, in CIDR notation; absent: any. */
  readonly allowed?: readonly string[] | undefined;
  /** Of the source; absent: not known. */
  readonly own?: OwnAddresses | undefined;
}

/** What of a cluster answers at an address or hostname, as the end of a sentence; undefined: nothing that is known. */
export type OwnAddresses = (address: string) => string | undefined;

/**
 * What of a cluster answers where, now or later. Endpoints count where their Service has a selector: those of mirrors,
 * and those that people write, lead to other clusters. Not every network plugin says in the nodes which addresses pods
 * have.
 */
export function ownAddresses({
  services,
  serviceRanges = [],
  endpoints,
  nodes = [],
}: Pick<ClusterSnapshot, "services" | "serviceRanges" | "endpoints" | "nodes">): OwnAddresses {
  const all = [...services.values()];
  const addressesAt = (key: ObjectKey) =>
    (endpoints.get(key)?.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [] }) =>
      [...addresses, ...notReadyAddresses].map(({ ip }) => ip),
    );
  const machines = nodes.flatMap(({ status }) => status?.addresses ?? []);
  const clusterIPs = all.flatMap(({ spec }) => [spec.clusterIP ?? "", ...(spec.clusterIPs ?? [])]);
  const balancers = all.flatMap(({ spec, status }) => [
    ...(spec.externalIPs ?? []),
    ...(status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []),
  ]);
  const pods = all.flatMap((service) =>
    Object.keys(service.spec.selector ?? {}).length > 0 ? addressesAt(keyOf(service)) : [],
  );
  const each = [
    ["a ClusterIP", answering(clusterIPs, serviceRanges)],
    [
      "a node or an API server",
      answering(
        [...machines.map(({ address }) => address), ...addressesAt("default/kubernetes")],
        [],
      ),
    ],
    ["an external IP or load balancer", answering(balancers, [])],
    [
      "a pod",
      answering(
        pods,
        nodes.flatMap(({ spec }) => spec?.podCIDRs ?? []),
      ),
    ],
  ] as const;
  return (address) => each.find(([, answersAt]) => answersAt(address))?.[0];
}

function answering(all: readonly string[], ranges: readonly string[]) {
  const inRange = inRanges(ranges);
  const addresses = new Set(all.map(inOneSpelling));
  return (address: string) => {
    const spelled = inOneSpelling(address);
    return addresses.has(spelled) || (isIP(spelled) !== 0 && inRange(spelled));
  };
}

/** Only an IPv6 address may be spelled in several ways, or stand for one of IPv4 (`embedding`). */
function inOneSpelling(address: string): string {
  if (!isIPv6(address)) return address.toLowerCase().replace(/\.$/, "");
  const spelled = new SocketAddress({ address, family: "ipv6" }).address;
  const [, dotted] = /^::(?:ffff:)?(\d+\.[\d.]+)$/.exec(spelled) ?? [];
  if (dotted !== undefined) return dotted;
  const [, high = "0", low] = /^64:ff9b::(?:([\da-f]+):)?([\da-f]+)$/.exec(spelled) ?? [];
  if (low === undefined) return spelled;
  const [first, last] = [parseInt(high, 16), parseInt(low, 16)];
  return [first >> 8, first & 255, last >> 8, last & 255].join(".");
}

/** Why no traffic is sent there, as the end of a sentence that begins with the address. */
export function refusedAddress(
  address: string,
  { allowed, own }: AddressRules = {},
): string | undefined {
  const isName = isIP(address) === 0;
  if (isName && isLocalName(address)) return "means something else in each cluster";
  const found = isName ? undefined : specialRanges.find(({ contains }) => contains(address));
  if (found !== undefined) return `is ${found.kind}`;
  const answers = own?.(address);
  if (answers !== undefined) return `is ${answers} of the source itself`;
  // A name is judged once more by what it resolves to.
  if (!isName && allowed !== undefined && !inRanges(allowed)(address))
    return "is not in gateway.allowedAddresses";
  return undefined;
}

/**
 * Resolvers answer for localhost themselves (RFC 6761) and complete a name without a dot; a Service's
 * name, or that of one of its pods, means one of the source's own, whatever its cluster domain is.
 */
function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  const isLocal = /(^|\.)(localhost|svc)$/.test(name) || /^([^.]*\.){2,3}svc\./.test(name);
  return isLocal || !name.includes(".");
}

/** Those that may be dialled, in their order and no more than a mirror lists; and a sentence for each that may not. */
export function usableOf(
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
  const { most } = bounds.gatewayAddresses;
  if (allowed.length > most) refused.push(`${allowed.length - most} beyond the first ${most}`);
  // A target may announce many, and all of them wrong.
  const told =
    refused.length > 5 ? [...refused.slice(0, 5), `${refused.length - 5} more`] : refused;
  return { allowed: allowed.slice(0, most), refused: told };
}
