import type { Mirror } from "../model/mirror.ts";
import { mergedKeys } from "../decide/difference/written-keys.ts";
import type {
  Endpoints,
  EndpointSubset,
  Namespace,
  Service,
  StringMap,
} from "../../kubernetes/objects/objects.ts";

/**
 * The Service to send. What a live one has beyond the fields that are ours survives, a selector
 * excepted: Kubernetes would fill the mirror's Endpoints from it.
 */
export function serviceManifest(wanted: Mirror, live?: Service): Service {
  const { selector, ...spec } = live?.spec ?? {};
  return {
    ...live,
    metadata: {
      ...live?.metadata,
      name: wanted.name,
      namespace: wanted.namespace,
      labels: mergedKeys("labels", live?.metadata, wanted.labels, wanted.withheld?.labels),
      annotations: mergedKeys(
        "annotations",
        live?.metadata,
        wanted.annotations,
        wanted.withheld?.annotations,
      ),
    },
    spec: {
      ...spec,
      type: "ClusterIP",
      ...(wanted.kind === "headless" && { clusterIP: "None" }),
      ports: wanted.ports,
    },
  };
}

export function endpointsManifest(
  wanted: Mirror & { readonly endpoints: NonNullable<Mirror["endpoints"]> },
  subsets: readonly EndpointSubset[],
  live?: Endpoints,
): Endpoints {
  return {
    ...live,
    metadata: {
      ...live?.metadata,
      name: wanted.name,
      namespace: wanted.namespace,
      labels: mergedKeys(
        "labels",
        live?.metadata,
        wanted.endpoints.labels,
        wanted.withheld?.labels,
      ),
      annotations: mergedKeys("annotations", live?.metadata, wanted.endpoints.annotations),
    },
    subsets,
  };
}

/** A namespace made for mirrors is marked as such, and never changed or deleted (2.3). */
export function namespaceManifest(name: string, labels: StringMap): Namespace {
  return { metadata: { name, labels } };
}
