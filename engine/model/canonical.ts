import type { MirrorSubset } from "./mirror.ts";
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  ObjectKey,
  ServicePort,
} from "../kubernetes/objects/objects.ts";

/**
 * Kubernetes spells the same thing in several ways: it omits or fills in defaults, and groups subsets differently.
 * These functions give each thing one text, so that equal things have equal texts.
 */

export function portText(port: ServicePort): string {
  const target = port.targetPort ?? port.port;
  const number = target === port.port ? String(port.port) : `${port.port}→${target}`;
  const name = port.name === undefined || port.name === "" ? "" : `${port.name} `;
  const protocol = port.appProtocol === undefined ? "" : ` as ${port.appProtocol}`;
  return `${name}${number}/${port.protocol ?? "TCP"}${protocol}`;
}

export function portsText(ports: readonly ServicePort[] = []): string {
  return ports.length === 0 ? "none" : ports.map(portText).sort().join(", ");
}

export type AddressOf = (mirror: ObjectKey) => string | undefined;

/** Replaces endpoint mirrors by their IPs; leaves out hosts whose mirror has no IP yet. */
export function resolved(subsets: readonly MirrorSubset[], addressOf: AddressOf): EndpointSubset[] {
  const groups = Map.groupBy(offersIn(withAddresses(subsets, addressOf)), ({ ports }) =>
    portsText(ports),
  );
  return [...groups.values()].map((offers) => ({
    addresses: offers.map(({ address }) => address),
    ports: offers[0]?.ports ?? [],
  }));
}

/** Returns one text per address with its ports, sorted; how subsets group them means nothing. */
export function liveTexts(subsets: readonly EndpointSubset[] = []): string[] {
  return offersIn(subsets).map(({ address, ports, isReady }) => {
    const text = `${addressText(address)} (${portsText(ports)})`;
    return isReady ? text : `${text} not ready`;
  });
}

export function wantedTexts(subsets: readonly MirrorSubset[], addressOf: AddressOf): string[] {
  return liveTexts(withAddresses(subsets, (key) => addressOf(key) ?? "new"));
}

function withAddresses(subsets: readonly MirrorSubset[], addressOf: AddressOf): EndpointSubset[] {
  return subsets.map(({ addresses, ports }) => {
    const found = addresses.flatMap((address) => {
      if ("ip" in address) return [{ ip: address.ip }];
      const ip = addressOf(address.endpointMirror);
      return ip === undefined ? [] : [{ ip, hostname: address.hostname }];
    });
    return { addresses: found, ports };
  });
}

interface Pair {
  readonly address: EndpointAddress;
  readonly port: EndpointPort | undefined;
  readonly isReady: boolean;
}

/**
 * Unpacks subsets, which some API servers repack before they store them (Kubernetes, pkg/api/v1/endpoints,
 * RepackSubsets). An address is identified by IP and hostname; one that is listed both ways for a port is not ready.
 */
function offersIn(subsets: readonly EndpointSubset[]) {
  const pairs = new Map<string, Pair>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const add = (isListedReady: boolean, { ip, hostname = "" }: EndpointAddress) => {
      const address = hostname === "" ? { ip } : { ip, hostname };
      for (const port of ports.length === 0 ? [undefined] : ports) {
        const key = `${addressText(address)} ${port === undefined ? "" : portText(port)}`;
        const isReady = isListedReady && pairs.get(key)?.isReady !== false;
        pairs.set(key, { address, port, isReady });
      }
    };
    for (const address of addresses) add(true, address);
    for (const address of notReadyAddresses) add(false, address);
  }
  const offers = Map.groupBy(
    pairs.values(),
    ({ address, isReady }) => `${addressText(address)} ${isReady}`,
  );
  return [...offers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, [first, ...others]]) => {
      if (first === undefined) return [];
      const ports = [first, ...others].flatMap(({ port }) => port ?? []);
      return [{ address: first.address, ports, isReady: first.isReady }];
    });
}

function addressText({ ip, hostname = "" }: EndpointAddress): string {
  return hostname === "" ? ip : `${hostname}@${ip}`;
}
