import {
  type Endpoints,
  isHeadless,
  keyOf,
  malformed,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import type { Gateway } from "../../model/gateway.ts";
import type { LinkSpec } from "../../model/link.ts";
import type { Mirror } from "../../model/mirror.ts";
import { mirrorsOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { label } from "../../model/vocabulary.ts";
import { gatewayReadiness } from "./service-mirrors.ts";

/**
 * The mirrors of a target that can't be read, just as they are but for one thing that is known of it:
 * whether its gateway is alive. Only of those that lead to this gateway.
 */
export function standingMirrors(
  link: LinkSpec,
  source: ClusterSnapshot,
  gateway: Gateway,
): Mirror[] {
  const { owns } = mirrorsOf(link.target);
  return [...source.services].flatMap(([key, service]) => {
    const endpoints = source.endpoints.get(key);
    if (!owns(service) || isHeadless(service) || endpoints === undefined) return [];
    if (service[malformed] !== undefined || endpoints[malformed] !== undefined) return [];
    return owns(endpoints) ? standing(service, endpoints, gateway) : [];
  });
}

function standing(service: Service, endpoints: Endpoints, gateway: Gateway): Mirror[] {
  const subsets = (endpoints.subsets ?? []).map(
    ({ addresses = [], notReadyAddresses = [], ports = [] }) => ({
      ...{ addresses: [...addresses, ...notReadyAddresses], ports },
      ...gatewayReadiness(gateway),
    }),
  );
  const all = subsets.flatMap(({ addresses }) => addresses);
  if (all.length === 0 || !all.every(({ ip }) => gateway.addresses.includes(ip))) return [];
  const { name, namespace, labels = {}, annotations = {} } = service.metadata;
  const meta = endpoints.metadata;
  return [
    {
      kind: labels[label.headlessRoot] === undefined ? "gateway" : "endpoint",
      ...{ name, namespace, labels, annotations, origin: keyOf(service) },
      ports: service.spec.ports ?? [],
      endpoints: { labels: meta.labels ?? {}, annotations: meta.annotations ?? {}, subsets },
    },
  ];
}
