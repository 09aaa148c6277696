import type { BenchEndpoints, BenchService } from "./writer.ts";

export interface StatefulSets {
  readonly services: readonly BenchService[];
  readonly endpoints: readonly BenchEndpoints[];
}

const podsOfEach = 10;

/**
 * Headless Services that are exported through a gateway, each with the Endpoints that Kubernetes would give it for
 * a StatefulSet of ten pods, of which the last may have fewer.
 */
export function statefulSets(pods: number): StatefulSets {
  const names = Array.from({ length: Math.ceil(pods / podsOfEach) }, (_, index) => `set-${index}`);
  const exported = { "mirror.linkerd.io/exported": "true" };
  const services = names.map((name) => ({
    metadata: { name, labels: exported },
    spec: { clusterIP: "None", ports: [{ name: "http", port: 8080 }] },
  }));
  const endpoints = names.map((name, set) => ({
    metadata: { name, labels: { ...exported, "service.kubernetes.io/headless": "" } },
    subsets: [
      {
        addresses: Array.from(
          { length: Math.min(podsOfEach, pods - set * podsOfEach) },
          (_, pod) => ({
            ip: addressOf(set * podsOfEach + pod),
            hostname: `${name}-${pod}`,
          }),
        ),
        ports: [{ name: "http", port: 8080 }],
      },
    ],
  }));
  return { services, endpoints };
}

function addressOf(pod: number): string {
  return [10, 100 + (pod >> 16), (pod >> 8) & 255, pod & 255].join(".");
}
