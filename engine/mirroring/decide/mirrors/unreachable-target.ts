import {
  isHeadless,
  malformed,
  type Endpoints,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import type { Gateway } from "../../model/gateway.ts";
import type { LinkSpec } from "../../model/link.ts";
import type { Mirror } from "../../model/mirror.ts";
import { mirrorsOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { label } from "../../model/vocabulary.ts";
import { gatewayReadiness } from "./gateway.ts";

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
    if (!owns(endpoints) || !leadsTo(gateway, endpoints)) return [];
    return [standing(service, endpoints, gateway)];
  });
}

function leadsTo({ addresses }: Gateway, { subsets = [] }: Endpoints): boolean {
  const all = subsets.flatMap((subset) => [
    ...(subset.addresses ?? []),
    ...(subset.notReadyAddresses ?? []),
  ]);
  return all.length > 0 && all.every(({ ip }) => addresses.includes(ip));
}

function standing({ metadata, spec }: Service, endpoints: Endpoints, gateway: Gateway): Mirror {
  const { name, namespace, labels = {}, annotations = {} } = metadata;
  return {
    kind: labels[label.headlessRoot] === undefined ? "gateway" : "endpoint",
    ...{ name, namespace, labels, annotations },
    origin: `${namespace}/${name}`,
    ports: spec.ports ?? [],
    endpoints: {
      labels: endpoints.metadata.labels ?? {},
      annotations: endpoints.metadata.annotations ?? {},
      subsets: (endpoints.subsets ?? []).map((subset) => ({
        addresses: [...(subset.addresses ?? []), ...(subset.notReadyAddresses ?? [])],
        ports: subset.ports ?? [],
        ...gatewayReadiness(gateway),
      })),
    },
  };
}
