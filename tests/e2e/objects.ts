import assert from "node:assert/strict";
import type { Service, StringMap } from "../../engine/kubernetes/objects.ts";
import type { Cluster } from "../../testbed/bed.ts";

/** Plain API calls by the bed's own user, whose requests are not counted. */
export async function addNamespace({ request }: Cluster, name: string): Promise<void> {
  const { code, body } = await request("POST", "/api/v1/namespaces", { metadata: { name } });
  assert.equal(code, 201, JSON.stringify(body));
}

interface ServiceParts {
  readonly labels?: StringMap;
  readonly annotations?: StringMap;
  readonly spec?: Partial<Service["spec"]>;
}

export async function addService(
  { request }: Cluster,
  namespace: string,
  name: string,
  { labels = {}, annotations = {}, spec = {} }: ServiceParts = {},
): Promise<void> {
  const { code, body } = await request("POST", servicesOf(namespace), {
    metadata: { name, labels, annotations },
    spec: { ports: [{ name: "http", port: 8080 }], ...spec },
  });
  assert.equal(code, 201, JSON.stringify(body));
}

/** Labels set, and with null taken off. */
export async function label(
  { request }: Cluster,
  namespace: string,
  name: string,
  labels: Readonly<Record<string, string | null>>,
): Promise<void> {
  const path = `${servicesOf(namespace)}/${name}`;
  const { code, body } = await request("PATCH", path, { metadata: { labels } });
  assert.equal(code, 200, JSON.stringify(body));
}

export async function removeService({ request }: Cluster, namespace: string, name: string) {
  const { code, body } = await request("DELETE", `${servicesOf(namespace)}/${name}`);
  assert.equal(code, 200, JSON.stringify(body));
}

/** Undefined: there is none. */
export async function serviceIn(
  { request }: Cluster,
  namespace: string,
  name: string,
): Promise<Service | undefined> {
  const { code, body } = await request("GET", `${servicesOf(namespace)}/${name}`);
  return code === 404 ? undefined : (body as Service);
}

/** The names of all, sorted. */
export async function serviceNames({ request }: Cluster, namespace: string): Promise<string[]> {
  const { body } = await request("GET", servicesOf(namespace));
  const { items } = body as { readonly items: readonly Service[] };
  return items.map(({ metadata }) => metadata.name).sort();
}

/** Endpoints as Kubernetes would make them of a StatefulSet's pods. */
export async function addPods(
  { request }: Cluster,
  namespace: string,
  name: string,
  ...hostnames: readonly string[]
): Promise<void> {
  const addresses = hostnames.map((hostname, index) => ({ hostname, ip: `10.1.0.${index + 1}` }));
  const subsets = [{ addresses, ports: [{ name: "http", port: 8080 }] }];
  const path = `/api/v1/namespaces/${namespace}/endpoints`;
  const { code, body } = await request("POST", path, { metadata: { name }, subsets });
  assert.equal(code, 201, JSON.stringify(body));
}

export function servicesOf(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/services`;
}
