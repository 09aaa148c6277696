import { patchEndpoints, removeEndpoints, removeService } from "../changes.ts";
import { gatewayMirror, headlessMirror, nothing } from "../mirrors.ts";
import {
  endpoints,
  exported,
  exportedHeadless,
  exportedService,
  podPorts,
  pods,
  service,
} from "../objects.ts";
import type { Scenario } from "../scenario.ts";
import { create } from "../world.ts";

const both = "port1 555/TCP, port2 666/TCP";
const rootLine = (count: string) => `headless mirror of db: ${both}, ${count}`;
const podLine = (host: string) => `endpoint mirror of ${host}.db: ${both}`;
const clash =
  "CollidingName: clash/db-0 of cluster west and pod db-0 of clash/db of cluster west would both be named clash/db-0-west on east: rename one of them";

/** What a headless Service's mirror is, and that it becomes another (linkerd-behaviour.md 3.1, 3.5). */
export const headlessShapeScenarios: readonly Scenario[] = [
  {
    title: "a headless Service without pods waits, as nobody can tell what its mirror will be",
    namespace: "waiting",
    target: [service("waiting/db", { labels: exported }, { clusterIP: "None" })],
    run: {
      contents: nothing,
      skipped: {
        "waiting/db":
          "NoPods: the headless Service waiting/db has no pods on west yet, and whether they have names decides what its mirror is: run again when it has",
      },
    },
    then: {
      title: "pods that are not ready are mirrored, as readiness is ignored unless asked for",
      change: ({ kube }) => create(kube.west, [endpoints("waiting/db", pods(["db-0"], ["db-1"]))]),
      contents: headlessMirror({ namespace: "waiting", service: "db", hosts: ["db-0", "db-1"] }),
      comes: {
        "waiting/db-west": rootLine("2 pods"),
        "waiting/db-0-west": podLine("db-0"),
        "waiting/db-1-west": podLine("db-1"),
      },
    },
  },
  {
    title: "a headless Service whose pods have no names gets a ClusterIP mirror",
    namespace: "unnamed",
    target: exportedHeadless("unnamed/db", [""]),
    run: {
      contents: gatewayMirror({ namespace: "unnamed", service: "db" }),
      comes: { "unnamed/db-west": `gateway mirror of db: ${both}` },
    },
    then: {
      title: "when they get names, the mirror is replaced by a headless one",
      change: ({ kube }) => patchEndpoints(kube.west, "unnamed/db", { subsets: pods(["db-0"]) }),
      contents: headlessMirror({ namespace: "unnamed", service: "db", hosts: ["db-0"] }),
      comes: { "unnamed/db-0-west": podLine("db-0") },
      changes: {
        "unnamed/db-west": {
          action: "replace: delete and create again",
          clusterIP: "an address → None",
          endpoints: `192.0.2.127 (port1 888/TCP, port2 888/TCP) → db-0@new (${both})`,
        },
      },
    },
  },
  {
    title: "opaque ports hold for endpoint mirrors too",
    namespace: "flip",
    target: exportedHeadless("flip/db", ["db-0"], {
      annotations: { "config.linkerd.io/opaque-ports": "666", note: "not for pods" },
    }),
    run: {
      contents: headlessMirror({
        namespace: "flip",
        service: "db",
        hosts: ["db-0"],
        annotations: { "config.linkerd.io/opaque-ports": "666", note: "not for pods" },
      }),
      comes: { "flip/db-west": rootLine("1 pod"), "flip/db-0-west": podLine("db-0") },
    },
    then: {
      title:
        "a Service made anew with a ClusterIP has its headless mirror replaced, and its pods' deleted",
      change: async ({ kube }) => {
        await removeService(kube.west, "flip/db");
        await removeEndpoints(kube.west, "flip/db").catch(() => undefined);
        await create(kube.west, exportedService("flip/db"));
      },
      contents: gatewayMirror({ namespace: "flip", service: "db" }),
      goes: { "flip/db-0-west": podLine("db-0") },
      changes: {
        "flip/db-west": {
          action: "replace: delete and create again",
          "annotation config.linkerd.io/opaque-ports": '"666" → none',
          "annotation note": '"not for pods" → none',
          clusterIP: "None → an address",
          endpoints: `db-0@(ClusterIP) (${both}) → 192.0.2.127 (port1 888/TCP, port2 888/TCP)`,
        },
      },
    },
  },
  {
    title: "a pod and a Service whose mirrors would have the same name both go without",
    namespace: "clash",
    target: [...exportedHeadless("clash/db", ["db-0", "db-1"]), ...exportedService("clash/db-0")],
    run: {
      contents: headlessMirror({ namespace: "clash", service: "db", hosts: ["db-1"] }),
      comes: { "clash/db-west": rootLine("1 pod"), "clash/db-1-west": podLine("db-1") },
      skipped: {
        "clash/db pod db-0": clash,
        "clash/db-0": clash,
      },
    },
  },
  {
    title: "a pod under two sets of ports has one mirror, and is right after one run",
    namespace: "packed",
    target: [
      service("packed/db", { labels: exported }, { clusterIP: "None" }),
      // Two subsets on any API server, since the pod without a name is in one of them.
      endpoints("packed/db", [
        ...pods(["db-0", ""]).map((subset) => ({ ...subset, ports: podPorts.slice(0, 1) })),
        ...pods(["db-0"]).map((subset) => ({ ...subset, ports: podPorts.slice(1) })),
      ]),
    ],
    run: {
      contents: headlessMirror({ namespace: "packed", service: "db", hosts: ["db-0"] }),
      comes: { "packed/db-west": rootLine("1 pod"), "packed/db-0-west": podLine("db-0") },
    },
  },
];
