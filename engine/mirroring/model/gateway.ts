import { bounds } from "../../kubernetes/objects/bounds.ts";
import { isDnsName } from "../../kubernetes/objects/names.ts";
import type { Service } from "../../kubernetes/objects/objects.ts";
import type { Result } from "../../result.ts";
import { type OwnAddresses, usableOf } from "./gateway-addresses.ts";
import type { GatewaySource } from "./link.ts";
import { annotation, gatewayPort } from "./vocabulary.ts";

/**
 * Reads a target's gateway by the rules of `linkerd multicluster link-gen` (linkerd-behaviour.md 1.6). Mirrors and
 * the Link resource both use it.
 */

/** The gateway as a Link resource names it, with host names that aren't resolved. */
export interface GatewayFacts {
  /** Never empty; sorted and without duplicates once they are resolved. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** The gateway's TLS identity; if empty, it is unknown and proxies use no mTLS to the gateway. */
  readonly identity: string;
}

/** The gateway as the source's proxies connect to it: its addresses are IPs. */
export type Gateway = GatewayFacts;

/** A gateway whose addresses were judged. */
export interface KnownGateway {
  readonly gateway: Gateway;
  /** The same as a Link resource names it; absent if the Link doesn't exist yet. */
  readonly announced?: GatewayFacts;
  readonly warnings: readonly string[];
}

export type GatewayReading = Result<KnownGateway>;

/** A gateway as its Service announces it. */
export interface AnnouncedGateway {
  readonly facts: GatewayFacts;
  /** Addresses that the Service announces and no traffic is sent to, each with the reason. */
  readonly refused: readonly string[];
}

/** Whether the config gives the addresses, which are then not judged; otherwise the target does. */
export function isPinned({ addresses = [] }: GatewaySource): boolean {
  return addresses.length > 0;
}

/**
 * Combines the link's settings with the gateway Service. Its host names have not been judged by the addresses that
 * they resolve to (`judgedGateway`).
 *
 * @param own of the source; absent: not known
 * @param where names the Service in sentences: `west/linkerd-multicluster/linkerd-gateway`
 */
export function gatewayFacts(
  said: GatewaySource,
  service: Service | undefined,
  where: string,
  own?: OwnAddresses,
): Result<AnnouncedGateway> {
  const pinned = isPinned(said);
  const announced = pinned ? [] : loadBalancerAddresses(service);
  const { allowed, refused } = usableOf(announced, { allowed: said.allowedAddresses, own });
  const { addresses = [] } = pinned ? said : { addresses: allowed };
  const port = said.port ?? portNamed(service, gatewayPort);
  const annotated = service?.metadata.annotations?.[annotation.gatewayIdentity];
  const identity = said.identity ?? (isDnsName(annotated ?? "") ? annotated : undefined);
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

/** The sentence for a gateway all of whose announced addresses are refused. */
export function refusedAddresses(where: string, refused: readonly string[]): string {
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

/** Returns an ingress point's IP, or else its host name; one with neither is skipped. */
function loadBalancerAddresses(service: Service | undefined): string[] {
  const ingress = service?.status?.loadBalancer?.ingress ?? [];
  return ingress
    .slice(0, bounds.ingress.most)
    .map(({ ip = "", hostname = "" }) => (ip === "" ? hostname : ip))
    .filter((address) => address !== "");
}

/** A NodePort gateway is reached at the node port, any other at the Service's port. */
export function portNamed(service: Service | undefined, wanted: string): number | undefined {
  const port = service?.spec.ports?.find(({ name }) => name === wanted);
  return service?.spec.type === "NodePort" ? port?.nodePort : port?.port;
}

export interface Probe {
  readonly path: string;
  readonly port: number;
  /** Formats a duration as Go does: `3s`, `2m0s`. */
  readonly period: string;
}
