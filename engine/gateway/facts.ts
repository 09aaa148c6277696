import { isIP } from "node:net";
import type { Service } from "../kubernetes/objects/objects.ts";
import type { Result } from "../base/result.ts";
import { messageOf } from "../base/user-error.ts";
import { type OwnAddresses, refusedAddress, usableOf } from "./addresses.ts";
import type { GatewayFacts, Probe } from "../model/gateway.ts";
import type { GatewaySource } from "../model/link.ts";
import { annotation, gatewayPort, probePort } from "../model/vocabulary.ts";
import { isDnsName } from "../kubernetes/objects/names.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import { bounds } from "../kubernetes/objects/bounds.ts";
import { formatSeconds, parseDuration } from "../kubernetes/objects/duration.ts";

/** Addresses from the config are not judged. */
export function isPinned({ addresses = [] }: GatewaySource): boolean {
  return addresses.length > 0;
}

/**
 * Combines the link's settings with the gateway Service. Host names still have to be judged by the addresses that they
 * resolve to (`gatewayFactsOf`).
 *
 * @param own absent if the source's addresses aren't known
 * @param where names the Service in sentences: `west/linkerd-multicluster/linkerd-gateway`
 */
export function announcedFacts(
  settings: GatewaySource,
  service: Service | undefined,
  where: string,
  own?: OwnAddresses,
): Result<{ readonly facts: GatewayFacts; readonly refused: readonly string[] }> {
  const pinned = isPinned(settings);
  const announced = pinned ? [] : loadBalancerAddresses(service);
  const { allowed, refused } = usableOf(announced, { allowed: settings.allowedAddresses, own });
  const { addresses = [] } = pinned ? settings : { addresses: allowed };
  const port = settings.port ?? portNamed(service, gatewayPort);
  const annotated = service?.metadata.annotations?.[annotation.gatewayIdentity];
  const identity = settings.identity ?? (isDnsName(annotated ?? "") ? annotated : undefined);
  if (addresses.length > 0 && port !== undefined && identity !== undefined)
    return { value: { facts: { addresses, port, identity }, refused } };
  const found = { addresses: addresses[0], port, identity };
  const lacks = (["addresses", "port", "identity"] as const).filter(
    (fact) => found[fact] === undefined,
  );
  if (service === undefined)
    return {
      why: `there is no gateway Service ${where}: install Linkerd's gateway there, or set gateway.${lacks.join(", gateway.")} on the link`,
      cause: "refused",
    };
  if (addresses.length === 0 && refused.length > 0)
    return { why: refusedAddresses(where, refused), cause: "refused" };
  // A load balancer is about to get its address.
  const isSoon =
    service.spec.type === "LoadBalancer" && lacks.every((fact) => fact === "addresses");
  return {
    why: lacks.map((fact) => lacking[fact](where, service)).join("; "),
    cause: isSoon ? "unreachable" : "refused",
  };
}

function refusedAddresses(where: string, refused: readonly string[]): string {
  return `the gateway Service ${where} announces no address that may be used (${refused.join("; ")}): check what has set its status.loadBalancer, or set gateway.addresses on the link to where its gateway is`;
}

const lacking = {
  addresses: (where: string, { spec: { type = "ClusterIP" } }: Service) =>
    type === "LoadBalancer"
      ? `the gateway Service ${where} has no external address yet: check that its cluster can provide load balancers (kubectl describe shows why there is none), or set gateway.addresses on the link`
      : `the gateway Service ${where} is of type ${type} and so has no address of its own: set gateway.addresses on the link`,
  port: (where: string) =>
    `the gateway Service ${where} has no port named ${gatewayPort}: set gateway.port on the link`,
  identity: (where: string, { metadata: { annotations = {} } }: Service) =>
    annotations[annotation.gatewayIdentity]
      ? `the gateway Service ${where} has annotation ${annotation.gatewayIdentity} with a value that is not a DNS name: set gateway.identity on the link`
      : `the gateway Service ${where} has no annotation ${annotation.gatewayIdentity}: set gateway.identity on the link`,
} as const;

function loadBalancerAddresses(service: Service | undefined): string[] {
  const ingress = service?.status?.loadBalancer?.ingress ?? [];
  return ingress
    .slice(0, bounds.ingress.most)
    .map(({ ip = "", hostname = "" }) => (ip === "" ? hostname : ip))
    .filter((address) => address !== "");
}

/** A NodePort gateway is reached at the node port, any other at the Service's port. */
function portNamed(service: Service | undefined, wanted: string): number | undefined {
  const port = service?.spec.ports?.find(({ name }) => name === wanted);
  return service?.spec.type === "NodePort" ? port?.nodePort : port?.port;
}

/** A target announces a complete name, so this machine's search domains must not be added to it. */
export function hostnameOf(entry: string, settings: GatewaySource): string {
  return isPinned(settings) ? entry : entry.replace(/\.?$/, ".");
}

/** Resolves a host name to all its addresses; rejects if it has none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface AddressLookup {
  readonly resolve: Resolve;
  readonly own: () => Promise<OwnAddresses | undefined>;
}

export interface ResolvedGateway {
  /** Holds an IP or a host name for each address, as in the Link. */
  readonly facts: GatewayFacts;
  /** Proxies of the source connect to these IPs, which are sorted. Empty if no host name resolves. */
  readonly dialled: readonly string[];
  readonly refused: readonly string[];
  readonly failed: readonly string[];
}

/**
 * Judges the addresses that the target announces, and all to which its host names resolve. Linkerd's controller
 * resolves a host name again by itself, so the Link gets the addresses instead if the config restricts them or one of
 * them is refused.
 *
 * @param where names the Service in sentences: `west/linkerd-multicluster/linkerd-gateway`
 */
export async function gatewayFactsOf(
  settings: GatewaySource,
  service: Service | undefined,
  where: string,
  lookup: AddressLookup,
): Promise<Result<ResolvedGateway>> {
  const pinned = isPinned(settings);
  const own = pinned ? undefined : await lookup.own();
  const answer = announcedFacts(settings, service, where, own);
  if ("why" in answer) return answer;
  const { facts } = answer.value;
  const failed: string[] = [];
  const resolved = await Promise.all(
    facts.addresses.map(async (entry) => {
      if (isIP(entry) !== 0) return { entry, ips: [entry] };
      try {
        return { entry, ips: await lookup.resolve(hostnameOf(entry, settings)) };
      } catch (error) {
        failed.push(`${entry}: ${messageOf(error)}`);
        return { entry, ips: [] };
      }
    }),
  );
  const found = [...new Set(resolved.flatMap(({ ips }) => ips))].sort();
  if (pinned) return { value: { facts, dialled: found, refused: [], failed } };
  const rules = { allowed: settings.allowedAddresses, own };
  const { allowed, refused } = usableOf(found, rules);
  const isNamed = (ips: readonly string[]) =>
    settings.allowedAddresses === undefined &&
    ips.every((ip) => refusedAddress(ip, rules) === undefined);
  const named = resolved.flatMap(({ entry, ips }) =>
    isNamed(ips) ? [entry] : allowed.filter((ip) => ips.includes(ip)),
  );
  const all = [...answer.value.refused, ...refused];
  if (named.length === 0)
    return {
      why: refusedAddresses(where, [...failed, ...all]),
      cause: refused.length === 0 ? "unreachable" : "refused",
    };
  return {
    value: {
      facts: { ...facts, addresses: [...new Set(named)] },
      dialled: allowed,
      refused: all,
      failed,
    },
  };
}

export function leftOut(target: string, why: string): string {
  return `one address of the gateway of ${target} is left out: ${why}`;
}

/** A Link may lack a probe, but whoever sends one needs to know why there is none. */
export function offeredProbe(
  service: Service | undefined,
  where: string,
): { readonly probe: Probe } | { readonly why: string } {
  const found = gatewayProbe(service, where);
  if (found !== undefined) return "mistake" in found ? { why: found.mistake } : found;
  return {
    why: `the gateway Service ${where} offers no probe: it needs the annotation ${annotation.probePath} and a port named ${probePort}`,
  };
}

/** The annotation holds whole seconds, `3`, but the Link wants a duration, `3s` (linkerd-behaviour.md 1.6, 4). */
export function gatewayProbe(
  service: Service | undefined,
  where: string,
): { readonly probe: Probe } | { readonly mistake: string } | undefined {
  const annotations = service?.metadata.annotations ?? {};
  const path = annotations[annotation.probePath];
  const port = portNamed(service, probePort);
  if (!path || port === undefined) return undefined;
  const said = annotations[annotation.probePeriod] ?? "";
  const period = /^\d{1,9}$/.test(said) ? formatSeconds(Number(said)) : said;
  if (!/^\/[!-~]{0,1023}$/.test(path))
    return {
      mistake: `the gateway Service ${where} has annotation ${annotation.probePath} whose value must be a path such as /ready, because it becomes a part of the gateway's address`,
    };
  if (parseDuration(period) !== undefined) return { probe: { path, port, period } };
  return {
    mistake: `the gateway Service ${where} has annotation ${annotation.probePeriod}: ${JSON.stringify(printable(said, 100))}, which must be seconds or a Go duration, as 3 or 3s`,
  };
}
