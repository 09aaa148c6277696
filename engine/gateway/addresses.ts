import { isIP, isIPv4, isIPv6, SocketAddress } from "node:net";
import { inRanges } from "../kubernetes/objects/address-ranges.ts";
import { bounds } from "../kubernetes/objects/bounds.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import { keyOf, type ObjectKey, type Service } from "../kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { firstOf } from "../base/message.ts";

/**
 * A target announces its gateway by itself, while the source's proxies connect to it. So an address that means the
 * source, the machine of a proxy or its cloud's metadata service is refused. Addresses in the config are not judged.
 */

const special = [
  ["loopback", ["127.0.0.0/8", "::1/128"]],
  ["unspecified", ["0.0.0.0/8", "::/128"]],
  ["link-local", ["169.254.0.0/16", "fe80::/10"]],
  ["multicast", ["224.0.0.0/4", "ff00::/8"]],
  ["reserved", ["240.0.0.0/4", "192.0.0.0/24"]],
  // These are further ones of Alibaba Cloud, Azure; AWS, Google Cloud and Oracle Cloud in IPv6.
  [
    "a cloud's metadata service",
    [
      ...["100.100.100.200/32", "168.63.129.16/32"],
      ...["fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128"],
    ],
  ],
  // These ranges are deprecated (RFC 3879, 7526) or local to one network (RFC 8215), and may lead to any IPv4 address.
  ["site-local", ["fec0::/10"]],
  ["translated or tunnelled", ["64:ff9b:1::/48", "2002::/16", "2001::/32"]],
] as const;

/** An IPv4 address follows these IPv6 prefixes: compatible, and translated (RFC 6052). BlockList knows mapped ones. */
const embedding = ["::", "64:ff9b::"];

const specialRanges = special.map(([kind, ranges]) => {
  const embedded = ranges.flatMap((range) => {
    const [ip = "", bits = ""] = range.split("/");
    return isIPv4(ip) ? embedding.map((prefix) => `${prefix}${ip}/${96 + Number(bits)}`) : [];
  });
  return { kind, contains: inRanges([...ranges, ...embedded]) };
});

export interface AddressRules {
  /** The ranges are in CIDR notation, and absent if any address is allowed. */
  readonly allowed?: readonly string[] | undefined;
  readonly own?: OwnAddresses | undefined;
}

/** Returns what in a cluster answers at an address or hostname, as the end of a sentence, with its Service if one says so. */
export type OwnAddresses = (address: string) => string | undefined;

/**
 * Collects the addresses at which a cluster itself answers, now or later. Endpoints count if their Service has a
 * selector: those of mirrors, and those that people write, lead to other clusters. Not every network plugin records pod
 * addresses in the nodes.
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
  const hosts = [...machines.map(({ address }) => address), ...addressesAt("default/kubernetes")];
  const saidBy = (addresses: (service: Service) => readonly string[]) =>
    all.flatMap((service) => addresses(service).map((each) => [each, keyOf(service)] as const));
  const clusterIPs = saidBy(({ spec }) => spec.clusterIPs ?? [spec.clusterIP ?? ""]);
  const balancers = saidBy(({ spec, status }) => [
    ...(spec.externalIPs ?? []),
    ...(status?.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip || hostname || []),
  ]);
  const pods = saidBy((service) =>
    Object.keys(service.spec.selector ?? {}).length > 0 ? addressesAt(keyOf(service)) : [],
  );
  const podRanges = nodes.flatMap(({ spec }) => spec?.podCIDRs ?? []);
  const each = [
    answering("a ClusterIP", clusterIPs, serviceRanges),
    answering(
      "a node or an API server",
      hosts.map((host) => [host]),
    ),
    answering("an external IP or load balancer", balancers),
    answering("a pod", pods, podRanges),
  ];
  return (address) => {
    for (const answersAt of each) {
      const what = answersAt(address);
      if (what !== undefined) return what;
    }
    return undefined;
  };
}

/** Whoever may write a Service can make it say an address, such as that of a target's gateway, so it is named. */
function answering(
  what: string,
  all: readonly (readonly [address: string, service?: ObjectKey])[],
  ranges: readonly string[] = [],
): OwnAddresses {
  const inRange = inRanges(ranges);
  const known = new Map(all.map(([address, service]) => [inOneSpelling(address), service]));
  return (address) => {
    const spelled = inOneSpelling(address);
    const service = known.get(spelled);
    if (service !== undefined) return `${what} (Service ${service})`;
    return known.has(spelled) || (isIP(spelled) !== 0 && inRange(spelled)) ? what : undefined;
  };
}

/** An IPv6 address has several spellings and may embed an IPv4 address (`embedding`). */
function inOneSpelling(address: string): string {
  if (!isIPv6(address)) return address.toLowerCase().replace(/\.$/, "");
  const spelled = new SocketAddress({ address, family: "ipv6" }).address;
  const [, dotted] = /^::(?:ffff:)?(\d+\..+)/.exec(spelled) ?? [];
  if (dotted !== undefined) return dotted;
  const [, high = "0", low] = /^64:ff9b::(?:([\da-f]+):)?([\da-f]+)$/.exec(spelled) ?? [];
  if (low === undefined) return spelled;
  const [first, last] = [parseInt(high, 16), parseInt(low, 16)];
  return [first >> 8, first & 255, last >> 8, last & 255].join(".");
}

/** Returns why no traffic is sent there, as the end of a sentence that begins with the address. */
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
  // A host name is judged again by the addresses that it resolves to.
  if (!isName && allowed !== undefined && !inRanges(allowed)(address))
    return "is not in gateway.allowedAddresses";
  return undefined;
}

/**
 * Resolvers answer for localhost themselves (RFC 6761) and complete a name without a dot. A name of a Service or a pod
 * means one of the source's own, whatever its cluster domain is.
 */
function isLocalName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  const isLocal = /\.(localhost|svc)$/.test(name) || /^([^.]*\.){2,3}svc\./.test(name);
  return isLocal || !name.includes(".");
}

/** Keeps the order and at most as many addresses as a mirror lists; gives a sentence for each one that is refused. */
export function usableOf(
  addresses: readonly string[],
  rules: AddressRules,
): { readonly allowed: readonly string[]; readonly refused: readonly string[] } {
  const allowed: string[] = [];
  const refused: string[] = [];
  for (const address of addresses) {
    const why = refusedAddress(address, rules);
    if (why === undefined) allowed.push(address);
    else refused.push(`${printable(address, 253)} ${why}`);
  }
  const { most } = bounds.gatewayAddresses;
  if (allowed.length > most) refused.push(`${allowed.length - most} beyond the first ${most}`);
  // A target may announce many addresses that are all refused.
  return { allowed: allowed.slice(0, most), refused: firstOf(refused, 5) };
}
