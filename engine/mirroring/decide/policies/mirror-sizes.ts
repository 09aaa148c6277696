import {
  type Endpoints,
  endpoints as endpointsCheck,
  type ManagedFields,
  type ObjectMeta,
  type Service,
  service as serviceCheck,
  type StringMap,
} from "../../../kubernetes/objects/objects.ts";
import type { Mirror, LiveMirror } from "../../../model/mirror.ts";
import { label, tokensIn } from "../../../model/vocabulary.ts";
import { resolved } from "../../../model/canonical.ts";
import { bytesOf } from "../../../kubernetes/objects/checks.ts";

/** No text of an IP address is longer. */
const address = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
const time = "2026-01-01T00:00:00Z";

export type Sized = Omit<Mirror, "origin" | "hostname">;

export interface Size {
  readonly live: (mirror: LiveMirror) => number;
  readonly wanted: (mirror: Sized) => number;
}

/** Counts bytes by the same code as reading the source does. */
export function bytesOfMirrors(): Size {
  const known = new Map<object, number>();
  const once = <T extends object>(mirror: T, size: (mirror: T) => number) => {
    const bytes = known.get(mirror) ?? size(mirror);
    known.set(mirror, bytes);
    return bytes;
  };
  const bytes = ({ service, endpoints }: LiveMirror) =>
    (service === undefined ? 0 : bytesOf(serviceCheck, service)) +
    (endpoints === undefined ? 0 : bytesOf(endpointsCheck, endpoints));
  return {
    live: (mirror) => once(mirror, bytes),
    wanted: (mirror) => once(mirror, (one) => bytes(asListed(one))),
  };
}

/** Adds all that the API server adds, so that the result is never too short. */
function asListed(mirror: Sized): LiveMirror {
  const { kind, ports, labels, annotations, endpoints } = mirror;
  const clusterIP = kind === "headless" ? "None" : address;
  const service: Service = {
    metadata: metadata(mirror, labels, annotations),
    spec: {
      type: "ClusterIP",
      clusterIP,
      clusterIPs: [clusterIP, clusterIP],
      ports: ports.map((port) => ({ protocol: "TCP", targetPort: port.port, ...port })),
    },
    status: { loadBalancer: {} },
  };
  if (endpoints === undefined) return { service };
  const subsets = resolved(endpoints.subsets, () => address);
  const own: Endpoints = {
    metadata: metadata(mirror, endpoints.labels, endpoints.annotations),
    subsets: subsets.map(({ ports = [], ...rest }) => ({
      ...rest,
      ports: ports.map((port) => ({ protocol: "TCP", ...port })),
    })),
  };
  return { service, endpoints: own };
}

function metadata(
  { namespace, name }: Sized,
  labels: StringMap,
  annotations: StringMap,
): ObjectMeta {
  const mark = managed({ [label.mirrored]: "true" }, {});
  return {
    namespace,
    name,
    uid: "0".repeat(36),
    resourceVersion: "0".repeat(20),
    creationTimestamp: time,
    labels,
    annotations,
    // There is an entry for the writer, one for the stack's mark, and one for each member of a federated Service.
    managedFields: [managed(labels, annotations), mark, ...tokensIn(annotations).map(() => mark)],
  };
}

function managed(labels: StringMap, annotations: StringMap): ManagedFields {
  const keys = (map: StringMap) =>
    Object.fromEntries([".", ...Object.keys(map).map((key) => `f:${key}`)].map((key) => [key, {}]));
  return {
    manager: "m".repeat(128),
    operation: "Update",
    time,
    fieldsV1: { "f:metadata": { "f:labels": keys(labels), "f:annotations": keys(annotations) } },
  };
}
