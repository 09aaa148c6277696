import type { MirrorAddress, MirrorSubset } from "../model/mirror.ts";
import type { EndpointSubset, ObjectKey, ServicePort } from "../../kubernetes/objects.ts";

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
  return subsets
    .map((subset) => ({
      addresses: subset.addresses.flatMap((address) => {
        if ("ip" in address) return [{ ip: address.ip }];
        const ip = addressOf(address.endpointMirror);
        return ip === undefined ? [] : [{ ip, hostname: address.hostname }];
      }),
      ports: subset.ports,
    }))
    .filter((subset) => subset.addresses.length > 0);
}

/** Every address with its ports, one text each, sorted; being listed twice means nothing. */
export function liveTexts(subsets: readonly EndpointSubset[] = []): string[] {
  const texts = subsets.flatMap((subset) => {
    const ports = portsText(subset.ports);
    return [
      ...(subset.addresses ?? []).map((a) => addressText(a.hostname, a.ip, ports)),
      ...(subset.notReadyAddresses ?? []).map(
        (a) => `${addressText(a.hostname, a.ip, ports)} not ready`,
      ),
    ];
  });
  return [...new Set(texts)].sort();
}

export function wantedTexts(subsets: readonly MirrorSubset[], addressOf: AddressOf): string[] {
  const texts = subsets.flatMap((subset) => {
    const ports = portsText(subset.ports);
    return subset.addresses.map((address) => wantedText(address, ports, addressOf));
  });
  return [...new Set(texts)].sort();
}

function wantedText(address: MirrorAddress, ports: string, addressOf: AddressOf): string {
  return "ip" in address
    ? addressText(undefined, address.ip, ports)
    : addressText(address.hostname, addressOf(address.endpointMirror) ?? "new", ports);
}

function addressText(hostname: string | undefined, ip: string, ports: string): string {
  const host = hostname === undefined || hostname === "" ? ip : `${hostname}@${ip}`;
  return `${host} (${ports})`;
}
