import type { Manifest } from "../mirroring/objects.ts";

type Metadata = Omit<Manifest["metadata"], "name" | "namespace"> & {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly managedFields?: readonly object[];
};

export const port = { name: "http", port: 80 };

export function service(
  namespace: string,
  name: string,
  spec: object = { ports: [port] },
  metadata: Metadata = {},
): Manifest {
  return { metadata: { namespace, name, ...metadata }, spec };
}

export function endpoints(
  namespace: string,
  name: string,
  subsets: readonly object[],
  metadata: Metadata = {},
): Manifest {
  return { metadata: { namespace, name, ...metadata }, subsets };
}

export function link(namespace: string, name: string, more: object = {}): Manifest {
  return { metadata: { namespace, name }, spec: { targetClusterName: name }, ...more };
}
