import type {
  Endpoints,
  ManagedFields,
  ObjectMeta,
  Service,
  StringMap,
} from "../../kubernetes/objects/objects.ts";
import type { Mirror } from "../model/mirror.ts";
import { label, tokensIn } from "../model/vocabulary.ts";
import { resolved } from "./canonical.ts";
import type { LiveMirror } from "./decision.ts";

/** The longest text of an IP address. */
const address = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
const time = "2026-01-01T00:00:00Z";

/** The facts that decide how large a mirror is. */
type Sized = Pick<
  Mirror,
  "kind" | "namespace" | "name" | "labels" | "annotations" | "ports" | "endpoints"
>;

/** Returns the objects of a mirror as the API server will list them, with all that it adds, and never shorter. */
export function listed(mirror: Sized): LiveMirror {
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
    // An entry for the writer, one for the stack's mark, and one for each member of a federated Service.
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
