import type { MirrorSubset } from "../../model/mirror.ts";
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  ObjectKey,
  ServicePort,
} from "../../../kubernetes/objects/objects.ts";

/**
 * One spelling for things that Kubernetes spells in several ways: defaults left out or filled in,
 * subsets grouped in one way or another. Two spellings are equal exactly if their texts are.
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

/** The address by which an endpoint mirror answers, once it has one. */
export type AddressOf = (mirror: ObjectKey) => string | undefined;

/** Subsets with IPs in the place of endpoint mirrors; hosts whose mirror has none are left out. */
export function resolved(subsets: readonly MirrorSubset[], addressOf: AddressOf): EndpointSubset[] {
  return repacked(withAddresses(subsets, addressOf));
}

/** Of subsets that many mirrors share, as those behind one gateway do. */
const knownTexts = new WeakMap<readonly EndpointSubset[], readonly string[]>();

/** Every address with its ports, one text each, sorted; how they are spread over subsets means nothing. */
export function liveTexts(subsets: readonly EndpointSubset[] = []): readonly string[] {
  const known = knownTexts.get(subsets);
  if (known !== undefined) return known;
  const texts = textsOf(subsets);
  knownTexts.set(subsets, texts);
  return texts;
}

function textsOf(subsets: readonly EndpointSubset[]): string[] {
  const texts = repacked(subsets).flatMap(({ addresses = [], notReadyAddresses = [], ports }) => [
    ...addresses.map((address) => `${addressText(address)} (${portsText(ports)})`),
    ...notReadyAddresses.map(
      (address) => `${addressText(address)} (${portsText(ports)}) not ready`,
    ),
  ]);
  return texts.sort();
}

export function wantedTexts(subsets: readonly MirrorSubset[], addressOf: AddressOf): string[] {
  return textsOf(withAddresses(subsets, (key) => addressOf(key) ?? "new"));
}

function withAddresses(subsets: readonly MirrorSubset[], addressOf: AddressOf): EndpointSubset[] {
  return subsets.map(({ addresses, ports, ready = true }) => {
    const found = addresses.flatMap((address) => {
      if ("ip" in address) return [{ ip: address.ip }];
      const ip = addressOf(address.endpointMirror);
      return ip === undefined ? [] : [{ ip, hostname: address.hostname }];
    });
    return ready ? { addresses: found, ports } : { notReadyAddresses: found, ports };
  });
}

/** A port, or no port at all, and by the text of each address that offers it whether it is ready. */
interface Offer {
  readonly port: EndpointPort | undefined;
  readonly readiness: Map<string, boolean>;
}

/**
 * The subsets packed as some API servers do it before they store them, while others store what they
 * are sent: ports that are offered by the same addresses are one subset, and an address that is
 * listed both ways is not ready (Kubernetes, pkg/api/v1/endpoints, RepackSubsets; an address is one
 * by its IP and hostname here). Subsets and addresses are sorted; ports stay in the Service's order.
 */
export function repacked(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const addresses = new Map<string, EndpointAddress>();
  const groups = new Map<string, Offer[]>();
  for (const offer of offersIn(subsets, addresses)) {
    const key = JSON.stringify([...offer.readiness].sort());
    groups.set(key, [...(groups.get(key) ?? []), offer]);
  }
  return [...groups.keys()].sort().flatMap((key) => {
    const offers = groups.get(key) ?? [];
    const listed = [...(offers[0]?.readiness ?? [])].sort();
    const those = (ready: boolean) =>
      listed.flatMap(([text, isReady]) => (isReady === ready ? (addresses.get(text) ?? []) : []));
    const subset = {
      ...nonEmpty("addresses", those(true)),
      ...nonEmpty("notReadyAddresses", those(false)),
      ports: offers.flatMap(({ port }) => port ?? []),
    };
    return listed.length === 0 ? [] : [subset];
  });
}

/** @param addresses takes the addresses, by their texts */
function offersIn(
  subsets: readonly EndpointSubset[],
  addresses: Map<string, EndpointAddress>,
): Iterable<Offer> {
  const offers = new Map<string, Offer>();
  for (const subset of subsets)
    for (const port of subset.ports?.length ? subset.ports : [undefined]) {
      const text = port === undefined ? "" : portText(port);
      const offer = offers.get(text) ?? { port, readiness: new Map<string, boolean>() };
      offers.set(text, offer);
      const offering = (list: readonly EndpointAddress[] = [], isReady: boolean) => {
        for (const { ip, hostname = "" } of list) {
          const address = hostname === "" ? { ip } : { ip, hostname };
          const key = addressText(address);
          addresses.set(key, address);
          offer.readiness.set(key, isReady && offer.readiness.get(key) !== false);
        }
      };
      offering(subset.addresses, true);
      offering(subset.notReadyAddresses, false);
    }
  return offers.values();
}

function nonEmpty<K extends string>(key: K, list: readonly EndpointAddress[]) {
  const field: Partial<Record<K, readonly EndpointAddress[]>> = {};
  if (list.length > 0) field[key] = list;
  return field;
}

function addressText({ ip, hostname = "" }: EndpointAddress): string {
  return hostname === "" ? ip : `${hostname}@${ip}`;
}
