import { deepEqual, equal } from "node:assert/strict";
import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { Check } from "../../../engine/kubernetes/objects/checks.ts";
import { quantity, workloadsOf } from "../../../tool/workloads.ts";

/** An object as a list of this kind brings it. */
function read<T>({ shape }: { readonly shape?: Check<T> }, object: unknown): T {
  return (shape as Check<T>)(object) as T;
}

const GiB = 2 ** 30;
const requests = (cpu: string, memory: string) => ({ resources: { requests: { cpu, memory } } });

function node(name: string, more: Readonly<Record<string, unknown>> = {}, ready = "True") {
  return read(resources.nodes, {
    metadata: { name },
    spec: more,
    status: {
      allocatable: { cpu: "3920m", memory: "4Gi", pods: "110" },
      conditions: [{ type: "Ready", status: ready }],
    },
  });
}

function pod(name: string, spec: Readonly<Record<string, unknown>>, labels = { app: name }) {
  return read(resources.pods, { metadata: { name, namespace: "shop", labels }, spec });
}

const container = (name: string, cpu: string, memory: string) => ({
  name,
  ...requests(cpu, memory),
});

describe("the workloads of a cluster", () => {
  it("have what nodes that take pods have left of what pods do not request", () => {
    const { free } = workloadsOf({
      nodes: [
        node("one"),
        node("cordoned", { unschedulable: true }),
        node("tainted", { taints: [{ key: "gpu", effect: "NoSchedule" }] }),
        node("down", {}, "False"),
        node("preferred", { taints: [{ key: "spot", effect: "PreferNoSchedule" }] }),
      ],
      pods: [
        pod("web", { nodeName: "one", containers: [container("web", "420m", "1Gi")] }),
        pod("heavy", { nodeName: "preferred", containers: [container("heavy", "8", "1Gi")] }),
        pod("lost", { nodeName: "down", containers: [container("lost", "1", "1Gi")] }),
        pod("waits", { containers: [container("waits", "1", "1Gi")] }),
      ],
    });
    deepEqual(free, { cpu: 3.5, memory: 6 * GiB });
  });

  it("request by Service what the scheduler counts for its pods", () => {
    const pods = [
      pod("web", {
        containers: [container("web", "500m", "1Gi"), container("other", "500m", "1Gi")],
        initContainers: [
          { ...container("proxy", "250m", "1Gi"), restartPolicy: "Always" },
          container("first", "2", "1Gi"),
        ],
        overhead: { cpu: "250m" },
      }),
      pod("whole", {
        containers: [container("web", "7", "1Gi")],
        resources: { requests: { cpu: "1" } },
      }),
    ];
    const service = (name: string, selector?: Readonly<Record<string, string>>) =>
      read(resources.services, { metadata: { name, namespace: "shop" }, spec: { selector } });
    const services = [
      service("web", { app: "web" }),
      service("whole", { app: "whole" }),
      service("mirror"),
    ];
    const { requested } = workloadsOf({ pods, services });
    deepEqual(requested?.get("shop/web"), { cpu: 2.25, memory: 3 * GiB });
    deepEqual(requested.get("shop/whole"), { cpu: 1, memory: GiB });
    equal(requested.has("shop/mirror"), false);
  });

  it("have routes between Services, in their own namespace if no other is named", () => {
    const route = read(resources.httpRoutes, {
      metadata: { name: "web", namespace: "shop" },
      spec: {
        parentRefs: [
          { name: "web", kind: "Service", group: "core" },
          { name: "outside", namespace: "edge" },
        ],
        rules: [
          { backendRefs: [{ name: "web" }, { name: "web-west", namespace: "other" }] },
          { backendRefs: [{ name: "web" }, { name: "bucket", kind: "Bucket" }] },
        ],
      },
    });
    deepEqual(workloadsOf({ routes: [route] }).routes, [
      { route: "shop/web", parents: ["shop/web"], backends: ["shop/web", "other/web-west"] },
    ]);
  });

  it("are not known as far as something could not be listed", () => {
    deepEqual(workloadsOf({ nodes: [] }), {});
    deepEqual(workloadsOf({ pods: [] }), {});
  });

  it("are in the quantities of Kubernetes", () => {
    const read = ["2", "500m", "1.5Gi", "2e3", "1E", "100k", "", "much", 3].map(quantity);
    deepEqual(read, [2, 0.5, 1.5 * GiB, 2000, 1e18, 1e5, 0, 0, 3]);
  });
});
