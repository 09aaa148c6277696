import type { LinkResource } from "../../engine/kubernetes/objects/link-resource.ts";
import type { Endpoints, Node, Service } from "../../engine/kubernetes/objects/objects.ts";
import type { StatefulSet } from "../../engine/kubernetes/objects/workload-resource.ts";
import type { ClusterSnapshot } from "../../engine/model/snapshot.ts";
import { type Deployment, endpoints, pods } from "../unit/fixtures/objects.ts";
import { ApiServer } from "./api-server.ts";

export interface More {
  readonly links?: readonly LinkResource[];
  readonly deployments?: readonly Deployment[];
  readonly statefulSets?: readonly StatefulSet[];
  readonly nodes?: readonly Node[];
}

/** Returns an API server with these objects. They have no managers but those in their managedFields. */
export function serverWith(contents: ClusterSnapshot, more: More = {}): ApiServer {
  const server = new ApiServer(contents.cluster, contents.identity);
  const put = (plural: string, object: object) => {
    const { metadata = {} } = object as {
      readonly metadata?: { readonly managedFields?: unknown };
    };
    const { managedFields = [] } = metadata;
    server.put(plural, object);
    server.put(plural, { ...object, metadata: { ...metadata, managedFields } });
  };
  for (const namespace of contents.namespaces.values()) put("namespaces", namespace);
  for (const service of contents.services.values()) put("services", withoutAddress(service));
  for (const each of contents.endpoints.values()) put("endpoints", each);
  for (const [kind, objects] of Object.entries<readonly object[]>({ ...more }))
    for (const object of objects) put(kind.toLowerCase(), object);
  server.journal.length = 0;
  return server;
}

export function putServices(server: ApiServer, ...services: readonly Service[]): void {
  for (const service of services) server.put("services", withoutAddress(service));
}

/** The server allocates addresses itself, since several fixtures may have the same one. */
function withoutAddress({ spec, ...service }: Service): object {
  const { clusterIP, ...free } = spec;
  return { ...service, spec: clusterIP === "None" ? spec : free };
}

export function putEndpoints(server: ApiServer, ...all: readonly Endpoints[]): void {
  for (const each of all) server.put("endpoints", each);
}

/** Gives the StatefulSet of a headless Service in `shop` so many pods, of which `ready` are ready. */
export function scale(
  server: ApiServer,
  name: string,
  replicas: number,
  ready = Array.from({ length: replicas }, (_, index) => `${name}-${index}`),
): void {
  putEndpoints(server, endpoints(`shop/${name}`, ready.length === 0 ? [] : [pods(ready)]));
  const metadata = { namespace: "shop", name };
  server.put("statefulsets", { metadata, spec: { serviceName: name, replicas } });
}
