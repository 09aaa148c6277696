import type { ObjectName, Resource } from "../../../engine/kubernetes/objects/resources.ts";
import type {
  EndpointSubset,
  ObjectKey,
  ServicePort,
  StringMap,
} from "../../../engine/kubernetes/objects/objects.ts";

interface Metadata {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
}

/** An object as it is sent to an API server, with any field of its kind. */
export interface Manifest {
  readonly metadata: ObjectName & Metadata;
  readonly [field: string]: unknown;
}

const rbac = "rbac.authorization.k8s.io/v1";
const admission = "admissionregistration.k8s.io/v1";

const versions = {
  MutatingAdmissionPolicyBinding: admission,
  MutatingAdmissionPolicy: admission,
  ValidatingAdmissionPolicyBinding: admission,
  ValidatingAdmissionPolicy: admission,
  Namespace: "v1",
  Deployment: "apps/v1",
  StatefulSet: "apps/v1",
  Pod: "v1",
  Service: "v1",
  Endpoints: "v1",
  ConfigMap: "v1",
  RoleBinding: rbac,
  Role: rbac,
  ClusterRoleBinding: rbac,
  ClusterRole: rbac,
  ServiceAccount: "v1",
  Secret: "v1",
} as const;

type Kind = keyof typeof versions;

export const kinds = Object.fromEntries(
  Object.entries(versions).map(([kind, apiVersion]): [string, Resource<Manifest>] => {
    const plural = kind.toLowerCase().replace(/y$/, "ie").replace(/s?$/, "s");
    const namespaced = !/^Namespace|^Cluster|Admission/.test(kind);
    const shape = (value: unknown) => value as Manifest;
    return [kind, { kind, apiVersion, plural, namespaced, shape }];
  }),
) as Readonly<Record<Kind, Resource<Manifest>>>;

export interface Item extends Manifest {
  readonly kind: Kind;
}

/** The ports of Linkerd's own tests, with every field that the API server would fill in. */
const p12: readonly ServicePort[] = [
  { name: "port1", protocol: "TCP", port: 555, targetPort: 555 },
  { name: "port2", protocol: "TCP", port: 666, targetPort: 666 },
];

const podPorts = p12.map(({ name = "", protocol = "", port }) => ({ name, protocol, port }));

export const exported: StringMap = { "mirror.linkerd.io/exported": "true" };
export const discovered: StringMap = { "mirror.linkerd.io/exported": "remote-discovery" };
export const unexport = { "mirror.linkerd.io/exported": null };
export const member: StringMap = { "mirror.linkerd.io/federated": "member" };

export function nameOf(key: ObjectKey): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = key.split("/");
  return { namespace, name };
}

export function service(key: ObjectKey, metadata: Metadata = {}, spec: object = {}): Item {
  return {
    kind: "Service",
    metadata: { ...nameOf(key), ...metadata },
    spec: { ports: p12, ...spec },
  };
}

function endpoints(
  key: ObjectKey,
  subsets: readonly EndpointSubset[],
  metadata: Metadata = {},
): Item {
  return { kind: "Endpoints", metadata: { ...nameOf(key), ...metadata }, subsets };
}

/** Returns an exported Service with one pod. */
export function exportedService(
  key: ObjectKey,
  { labels, ...metadata }: Metadata = {},
  spec: object = {},
): Item[] {
  return [
    service(key, { ...metadata, labels: { ...exported, ...labels } }, spec),
    endpoints(key, pods([""])),
  ];
}

/** Returns an exported headless Service with pods of these names. An empty name is a pod without one. */
export function exportedHeadless(
  key: ObjectKey,
  hosts: readonly string[],
  metadata: Metadata = {},
): Item[] {
  const [root] = exportedService(key, metadata, { clusterIP: "None" });
  return [...(root === undefined ? [] : [root]), endpoints(key, pods(hosts))];
}

export function pods(hosts: readonly string[]): EndpointSubset[] {
  const addresses = hosts.map((hostname, index) => ({
    ip: `10.9.${Math.floor(index / 250)}.${(index % 250) + 1}`,
    ...(hostname !== "" && { hostname }),
  }));
  return addresses.length === 0 ? [] : [{ addresses, ports: podPorts }];
}

/** Returns a StatefulSet with one pod. */
export function statefulSet(key: ObjectKey, serviceName: string, spec: object = {}): Item {
  const labels = { app: nameOf(key).name };
  const containers = [{ name: "app", image: "app" }];
  return {
    kind: "StatefulSet",
    metadata: nameOf(key),
    spec: {
      serviceName,
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
      ...spec,
    },
  };
}
