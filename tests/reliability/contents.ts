import type { Endpoints, ObjectKey, Service } from "../../engine/kubernetes/objects/objects.ts";
import { label } from "../../engine/mirroring/model/vocabulary.ts";
import type { ApiServer } from "../simulation/api-server.ts";
import { endpoints, exported, pods, service } from "../unit/fixtures/objects.ts";

/** Puts Services of fixtures into a cluster, which gives out addresses itself. */
export function putServices(server: ApiServer, ...services: readonly Service[]): void {
  for (const { spec, ...rest } of services) {
    const { clusterIP, ...free } = spec;
    server.put("services", { ...rest, spec: clusterIP === "None" ? spec : free });
  }
}

export function putEndpoints(server: ApiServer, ...all: readonly Endpoints[]): void {
  for (const each of all) server.put("endpoints", each);
}

/** Gives the StatefulSet of a headless Service in `shop` that many pods, of which these are ready. */
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

/** A Service that joins a federated one. */
export function member(key: ObjectKey): Service {
  return service(key, { labels: { [label.federated]: "member" } });
}

/** A Service whose mirror is for pods of the same network. */
export function flat(key: ObjectKey): Service {
  return exported(key, { labels: { [label.exported]: "remote-discovery" } });
}
