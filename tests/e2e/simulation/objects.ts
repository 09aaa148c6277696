import type { Draft } from "../../simulation/objects.ts";

type Metadata = NonNullable<Draft["metadata"]>;

export const port = { name: "http", port: 80 };

export function named(name: string, number: number, more: object = {}) {
  return { name, port: number, ...more };
}

export function service(name: string, spec: object = { ports: [port] }, metadata: Metadata = {}) {
  return { kind: "Service", metadata: { name, ...metadata }, spec };
}

/** A Service that has labels alone. */
export function labelled(name: string, labels: Readonly<Record<string, string>>) {
  return service(name, { ports: [port] }, { labels });
}

export function endpoints(name: string, subsets?: readonly object[], metadata: Metadata = {}) {
  return { kind: "Endpoints", metadata: { name, ...metadata }, subsets };
}

export function namespace(name: string) {
  return { kind: "Namespace", metadata: { name } };
}

export function link(name: string, more: object = {}) {
  return { kind: "Link", metadata: { name }, spec: { targetClusterName: name }, ...more };
}
