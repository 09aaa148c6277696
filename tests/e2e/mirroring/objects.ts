import type { Resource } from "../../../engine/kubernetes/objects/resources.ts";
import type {
  EndpointSubset,
  ObjectKey,
  ServicePort,
  StringMap,
} from "../../../engine/kubernetes/objects/objects.ts";

/** An object as it is sent to an API server, with any field that its kind has. */
export interface Manifest {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: StringMap;
    readonly annotations?: StringMap;
    readonly finalizers?: readonly string[];
  };
  readonly [field: string]: unknown;
}

function namespaced(kind: string, path: string, apiVersion: string): Resource<Manifest> {
  return { kind, path, apiVersion, plural: plural(kind), namespaced: true };
}

function clusterWide(kind: string, path: string, apiVersion: string): Resource<Manifest> {
  return { ...namespaced(kind, path, apiVersion), namespaced: false };
}

function plural(kind: string): string {
  const word = kind.toLowerCase();
  if (word.endsWith("y")) return `${word.slice(0, -1)}ies`;
  return word.endsWith("s") ? word : `${word}s`;
}

const rbac = ["apis/rbac.authorization.k8s.io/v1", "rbac.authorization.k8s.io/v1"] as const;
const admission = [
  "apis/admissionregistration.k8s.io/v1",
  "admissionregistration.k8s.io/v1",
] as const;

/** The kinds of objects that tests make. */
export const kinds = {
  MutatingAdmissionPolicyBinding: clusterWide("MutatingAdmissionPolicyBinding", ...admission),
  MutatingAdmissionPolicy: clusterWide("MutatingAdmissionPolicy", ...admission),
  ValidatingAdmissionPolicyBinding: clusterWide("ValidatingAdmissionPolicyBinding", ...admission),
  ValidatingAdmissionPolicy: clusterWide("ValidatingAdmissionPolicy", ...admission),
  Namespace: clusterWide("Namespace", "api/v1", "v1"),
  ResourceQuota: namespaced("ResourceQuota", "api/v1", "v1"),
  Deployment: namespaced("Deployment", "apis/apps/v1", "apps/v1"),
  StatefulSet: namespaced("StatefulSet", "apis/apps/v1", "apps/v1"),
  Pod: namespaced("Pod", "api/v1", "v1"),
  Service: namespaced("Service", "api/v1", "v1"),
  Endpoints: namespaced("Endpoints", "api/v1", "v1"),
  ConfigMap: namespaced("ConfigMap", "api/v1", "v1"),
  Lease: namespaced("Lease", "apis/coordination.k8s.io/v1", "coordination.k8s.io/v1"),
  RoleBinding: namespaced("RoleBinding", ...rbac),
  Role: namespaced("Role", ...rbac),
  ClusterRoleBinding: clusterWide("ClusterRoleBinding", ...rbac),
  ClusterRole: clusterWide("ClusterRole", ...rbac),
  ServiceAccount: namespaced("ServiceAccount", "api/v1", "v1"),
  Secret: namespaced("Secret", "api/v1", "v1"),
} as const;

export interface Item {
  readonly kind: keyof typeof kinds;
  readonly object: Manifest;
}

export interface Metadata {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly finalizers?: readonly string[];
}

/** Ports of Linkerd's own tests, with every field that the API server would fill in. */
export const p12: readonly ServicePort[] = [
  { name: "port1", protocol: "TCP", port: 555, targetPort: 555 },
  { name: "port2", protocol: "TCP", port: 666, targetPort: 666 },
];

export const exported: StringMap = { "mirror.linkerd.io/exported": "true" };
export const discovered: StringMap = { "mirror.linkerd.io/exported": "remote-discovery" };

export function service(
  key: ObjectKey,
  metadata: Metadata,
  spec: Readonly<Record<string, unknown>> = {},
): Item {
  return {
    kind: "Service",
    object: { metadata: at(key, metadata), spec: { ports: p12, ...spec } },
  };
}

export function endpoints(
  key: ObjectKey,
  subsets: readonly EndpointSubset[],
  metadata: Metadata = {},
): Item {
  return { kind: "Endpoints", object: { metadata: at(key, metadata), subsets } };
}

/** An exported Service, and one pod that serves it. */
export function exportedService(
  key: ObjectKey,
  { labels, ...metadata }: Metadata = {},
  spec: Readonly<Record<string, unknown>> = {},
): Item[] {
  return [
    service(key, { ...metadata, labels: { ...exported, ...labels } }, spec),
    endpoints(key, [{ addresses: [{ ip: "10.9.0.1" }], ports: podPorts }]),
  ];
}

/** A StatefulSet with one pod that is never looked at, only whether it is meant to be there. */
export function statefulSet(key: ObjectKey, serviceName: string, spec: object = {}): Item {
  const [namespace = "", name = ""] = key.split("/");
  const labels = { app: name };
  const containers = [{ name: "app", image: "app" }];
  return {
    kind: "StatefulSet",
    object: {
      metadata: { namespace, name },
      spec: {
        ...{ serviceName, replicas: 1, selector: { matchLabels: labels } },
        template: { metadata: { labels }, spec: { containers } },
        ...spec,
      },
    },
  };
}

/** An exported headless Service with pods of these names; an empty name is a pod without one. */
export function exportedHeadless(
  key: ObjectKey,
  hosts: readonly string[],
  { labels, ...metadata }: Metadata = {},
): Item[] {
  return [
    service(
      key,
      { ...metadata, labels: { ...exported, ...labels } },
      { clusterIP: "None", ports: p12 },
    ),
    endpoints(key, pods(hosts)),
  ];
}

export function pods(ready: readonly string[], notReady: readonly string[] = []): EndpointSubset[] {
  const named = (hostname: string, index: number) => ({
    ip: `10.9.0.${String(index + 1)}`,
    ...(hostname !== "" && { hostname }),
  });
  const addresses = ready.map(named);
  const notReadyAddresses = notReady.map((name, index) => named(name, ready.length + index));
  if (addresses.length + notReadyAddresses.length === 0) return [];
  return [
    {
      ...(addresses.length > 0 && { addresses }),
      ...(notReadyAddresses.length > 0 && { notReadyAddresses }),
      ports: podPorts,
    },
  ];
}

/** `p12` as a pod has them. */
export const podPorts = p12.map(({ name = "", protocol = "", port }) => ({ name, protocol, port }));

function at(key: ObjectKey, metadata: Metadata): Manifest["metadata"] {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name, ...metadata };
}
