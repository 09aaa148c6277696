import type { ApiServer } from "../../simulation/api-server.ts";
import { scale } from "../../simulation/contents.ts";

export interface Shape {
  readonly labels: Readonly<Record<string, string>>;
  readonly isHeadless: boolean;
  readonly port: number;
  readonly replicas: number;
  /** The numbers of pods that no list has at the moment. */
  readonly away: readonly number[];
}

export const firstShape: Shape = {
  labels: {},
  isHeadless: false,
  port: 80,
  replicas: 2,
  away: [],
};

/** Creates or changes a Service in the namespace shop, with its StatefulSet. */
export function putService(
  server: ApiServer,
  name: string,
  { before, shape }: { readonly before: Shape | undefined; readonly shape: Shape },
): void {
  // The ClusterIP of a Service can't be changed.
  if (before !== undefined && before.isHeadless !== shape.isHeadless)
    server.delete("services", `shop/${name}`);
  const metadata = { namespace: "shop", name };
  const ports = [{ name: "http", port: shape.port }];
  server.put("services", {
    metadata: { ...metadata, labels: shape.labels },
    spec: { ...(shape.isHeadless && { clusterIP: "None" }), ports },
  });
  const pods = Array.from({ length: shape.replicas }, (_pod, number) => number);
  const ready = pods.filter((number) => !shape.away.includes(number));
  scale(
    server,
    name,
    shape.replicas,
    ready.map((number) => `${name}-${number}`),
  );
}

export function dropService(server: ApiServer, name: string): void {
  server.delete("services", `shop/${name}`);
  server.delete("statefulsets", `shop/${name}`);
}
