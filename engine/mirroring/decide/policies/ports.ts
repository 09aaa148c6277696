import { keyOf, type Service, type ServicePort } from "../../../kubernetes/objects/objects.ts";
import { listed } from "../../../base/message.ts";
import { valueIn } from "../../../base/result.ts";
import { type Decision, isWanted } from "../../../model/decision.ts";
import { knownProtocols, type Mirror, mirrorKey, mirroredPorts } from "../../../model/mirror.ts";
import type { LinkObservation } from "../../../model/observation.ts";
import { exportedServices, omittedPorts, withoutPorts } from "./exports.ts";

/** Names the exported Services whose mirrors don't get the protocol of a port. */
export function unknownProtocols({ link, target }: LinkObservation): string[] {
  const namesOne = ({ spec: { ports = [] } }: Service) =>
    ports.some(({ appProtocol }) => appProtocol !== undefined);
  const services = exportedServices(link, valueIn(target)?.snapshot, namesOne);
  const found = services.flatMap((whole) => {
    const service = withoutPorts(whole, omittedPorts(whole));
    const kept = new Set(mirroredPorts(service).map(({ appProtocol }) => appProtocol));
    const all = new Set((service.spec.ports ?? []).map(({ appProtocol }) => appProtocol));
    const lost = [...all].filter((each) => !kept.has(each));
    return lost.length === 0 ? [] : [`${keyOf(service)}: ${lost.join(", ")}`];
  });
  if (found.length === 0) return [];
  return [
    `mirrors have no appProtocol where proxies would not know it and take requests for opaque TCP (${listed(found)}), so proxies detect the protocol: set one of ${[...knownProtocols].join(", ")} on ${link.target}, or none`,
  ];
}

/**
 * A headless mirror names the ports of its pods, as in Linkerd (linkerd-behaviour.md 3.4), while the mirrors of the pods
 * have the Service's.
 */
export function differingPorts(decisions: readonly Decision[]): string[] {
  const found = decisions.filter(isWanted).flatMap(({ wanted }) => {
    const differing = wanted.kind === "headless" ? wanted.ports.flatMap(ofPods(wanted)) : [];
    return differing.length === 0 ? [] : [`${mirrorKey(wanted)}: ${differing.join(", ")}`];
  });
  if (found.length === 0) return [];
  return [
    `SRV records and Endpoints of headless mirrors name ports on which the mirrors of their pods don't answer (${listed(found)}): let clients use the Service's port, or give the exported Service its pods' port (port equal to targetPort)`,
  ];
}

function ofPods({ endpoints }: Mirror): (port: ServicePort) => string[] {
  const all = (endpoints?.subsets ?? []).flatMap(({ ports }) => ports);
  return ({ name = "", port }) => {
    const others = all.filter((each) => (each.name ?? "") === name && each.port !== port);
    const numbers = [...new Set(others.map((each) => each.port))];
    return numbers.map((number) => `${number} instead of ${port}`);
  };
}
