import type { Gateway } from "../../model/gateway.ts";
import type { LinkSpec } from "../../model/link.ts";
import type { Mirror } from "../../model/mirror.ts";
import { objectKey, type Endpoints, type Service } from "../../../kubernetes/objects/objects.ts";
import {
  annotation,
  endpointMirrorName,
  label,
  mirrorName,
  remoteName,
} from "../../model/vocabulary.ts";
import {
  endpointsAnnotations,
  fullName,
  gatewayEndpoints,
  mirroredPorts,
  mirrorIdentity,
} from "./service-mirrors.ts";
import type { HostSubset } from "../../model/pods.ts";
import { copiedLabels, opaquePorts, ownerLabels, withheld } from "../../model/metadata.ts";

/**
 * A headless mirror and an endpoint mirror for each of its named pods (linkerd-behaviour.md 3.2 -
 * 3.4). The root's Endpoints name the pods and lead to the endpoint mirrors, never to the gateway,
 * with the pods' own ports.
 *
 * @param subsets the pods to mirror
 */
export function headlessMirrors(
  service: Service,
  endpoints: Endpoints | undefined,
  subsets: readonly HostSubset[],
  link: LinkSpec,
  gateway: Gateway,
): Mirror[] {
  const hostnames = [...new Set(subsets.flatMap((subset) => subset.hostnames))].sort();
  const labels = { ...copiedLabels(service, link), ...ownerLabels(link.target) };
  const { namespace } = service.metadata;
  const root: Mirror = {
    kind: "headless",
    ...mirrorIdentity(service, link),
    labels,
    endpoints: {
      labels,
      annotations: endpointsAnnotations(fullName(service, link), gateway),
      subsets: subsets.map((subset) => ({
        addresses: subset.hostnames.map((hostname) => ({
          hostname,
          endpointMirror: objectKey(namespace, endpointMirrorName(hostname, link.target)),
        })),
        ports: subset.ports,
      })),
    },
  };
  return [
    root,
    ...hostnames.map((hostname) => endpointMirror(hostname, service, endpoints, link, gateway)),
  ];
}

/**
 * One named pod, addressable on its own. Opaque ports hold for it as for the whole Service. Of its labels nobody but this
 * program and Linkerd's metrics asks, for those of a mirror (linkerd-behaviour.md 5): a Service of 2,000 labels and 400
 * pods would have 800,000 more.
 */
function endpointMirror(
  hostname: string,
  service: Service,
  endpoints: Endpoints | undefined,
  link: LinkSpec,
  gateway: Gateway,
): Mirror {
  const { name, namespace } = service.metadata;
  const remote = remoteName([hostname, name], namespace, link.targetDomain);
  const labels = {
    ...ownerLabels(link.target),
    [label.headlessRoot]: mirrorName(name, link.target),
  };
  return {
    kind: "endpoint",
    namespace,
    name: endpointMirrorName(hostname, link.target),
    origin: objectKey(namespace, name),
    hostname,
    labels,
    annotations: {
      ...opaquePorts(service),
      [annotation.remoteName]: remote,
      [annotation.remoteResourceVersion]: endpoints?.metadata.resourceVersion ?? "",
    },
    ports: mirroredPorts(service),
    ...withheld(service, link),
    endpoints: gatewayEndpoints(service, gateway, labels, remote, false),
  };
}
