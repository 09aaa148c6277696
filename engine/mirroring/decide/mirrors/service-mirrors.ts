import { omitUndefined } from "../../../base/omit-undefined.ts";
import {
  type Endpoints,
  keyOf,
  objectKey,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import type { GatewayFacts } from "../../../model/gateway.ts";
import type { LinkSpec } from "../../../model/link.ts";
import { copiedAnnotations, copiedLabels } from "../../../model/metadata.ts";
import { ownerLabels } from "../../../model/owner.ts";
import {
  mirroredPorts,
  type Mirror,
  type MirrorEndpoints,
  type MirrorSubset,
} from "../../../model/mirror.ts";
import { anyReady, type HostSubset } from "../../../model/headless.ts";
import {
  annotation,
  label,
  mirrorName,
  mirrorNamespace,
  remoteName,
} from "../../../model/vocabulary.ts";

/** Plans a mirror behind the target's gateway (linkerd-behaviour.md 2.4 - 2.8, 2.11). */
export function gatewayMirror(
  service: Service,
  endpoints: Endpoints | undefined,
  link: LinkSpec,
  gateway: GatewayFacts,
): Mirror {
  const mirror = { kind: "gateway" as const, ...serviceMirror(service, link) };
  const isEmpty = link.readiness === "follow" && !anyReady(endpoints);
  const subsets = isEmpty ? [] : [gatewaySubset(service, gateway)];
  return { ...mirror, endpoints: endpointsOf(mirror, gateway, subsets) };
}

/** The labels make Linkerd watch the Service in the target, so the mirror has no Endpoints (linkerd-behaviour.md 2.6, 5). */
export function discoveryMirror(service: Service, link: LinkSpec): Mirror {
  const { labels, ...rest } = serviceMirror(service, link);
  const { target } = link;
  const remote = { [label.remoteDiscovery]: target, [label.remoteService]: service.metadata.name };
  return { kind: "discovery", ...rest, labels: { ...labels, ...remote } };
}

/**
 * Plans a headless mirror, and an endpoint mirror for each of its named pods (linkerd-behaviour.md 3.2 - 3.4). The
 * Endpoints of the headless mirror name the pods and point to the endpoint mirrors, never to the gateway, with the
 * pods' own ports.
 */
export function headlessMirrors(
  service: Service,
  endpoints: Endpoints | undefined,
  subsets: readonly HostSubset[],
  link: LinkSpec,
  gateway: GatewayFacts,
): Mirror[] {
  const { name, namespace } = service.metadata;
  const root = { kind: "headless" as const, ...serviceMirror(service, link) };
  const destination = subsets.map((subset) => ({
    addresses: subset.hostnames.map((hostname) => ({
      hostname,
      endpointMirror: objectKey(root.namespace, mirrorName(hostname, link)),
    })),
    ports: subset.ports,
  }));
  // All pods share these in memory, because a target may name any number of pods.
  const labels = { ...root.labels, [label.headlessRoot]: root.name };
  const behindGateway = [gatewaySubset(service, gateway)];
  const { [annotation.opaquePorts]: opaque } = root.annotations;
  const hostnames = new Set(subsets.flatMap((subset) => subset.hostnames));
  const pods = [...hostnames].sort().map((hostname) => {
    const mirror = {
      ...root,
      kind: "endpoint" as const,
      name: mirrorName(hostname, link),
      hostname,
      labels,
      annotations: {
        ...(opaque !== undefined && { [annotation.opaquePorts]: opaque }),
        [annotation.remoteName]: remoteName([hostname, name], namespace, link.targetDomain),
        [annotation.remoteResourceVersion]: endpoints?.metadata.resourceVersion ?? "",
      },
    };
    return { ...mirror, endpoints: endpointsOf(mirror, gateway, behindGateway) };
  });
  return [{ ...root, endpoints: endpointsOf(root, gateway, destination) }, ...pods];
}

function serviceMirror(service: Service, link: LinkSpec): Omit<Mirror, "kind"> {
  const { name, namespace, resourceVersion = "" } = service.metadata;
  return {
    namespace: mirrorNamespace(namespace, link),
    name: mirrorName(name, link),
    origin: keyOf(service),
    labels: { ...copiedLabels(service, link), ...ownerLabels(link.target) },
    annotations: {
      ...copiedAnnotations(service, link),
      [annotation.remoteName]: remoteName([name], namespace, link.targetDomain),
      [annotation.remoteResourceVersion]: resourceVersion,
    },
    ports: mirroredPorts(service),
  };
}

function endpointsOf(
  { labels, annotations }: Pick<Mirror, "labels" | "annotations">,
  { identity }: GatewayFacts,
  subsets: readonly MirrorSubset[],
): MirrorEndpoints {
  return {
    labels,
    annotations: {
      [annotation.remoteName]: annotations[annotation.remoteName] ?? "",
      ...(identity !== "" && { [annotation.remoteGatewayIdentity]: identity }),
    },
    subsets,
  };
}

/** Maps every port of the Service to the gateway's port, under its own name. */
function gatewaySubset({ spec }: Service, { addresses, port }: GatewayFacts): MirrorSubset {
  const { ports = [] } = spec;
  return {
    addresses: addresses.map((ip) => ({ ip })),
    ports: ports.map(({ name, protocol }) => ({ ...omitUndefined({ name, protocol }), port })),
  };
}
