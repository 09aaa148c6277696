import { patchService, relabel, removeService, unexport } from "../changes.ts";
import { discoveryMirror, gatewayMirror, nothing, together } from "../mirrors.ts";
import { discovered, endpoints, exported, exportedService, p12, service } from "../objects.ts";
import type { Scenario } from "../scenario.ts";
import { items } from "../view.ts";
import { createNamespaces } from "../world.ts";

const both = "port1 555/TCP, port2 666/TCP";
const line = (name: string) => `gateway mirror of ${name}: ${both}`;
const [port1] = p12;
const threePorts = [111, 222, 333].map((port, index) => ({
  name: `port${String(index + 1)}`,
  protocol: "TCP",
  port,
  targetPort: port,
}));

/** Scenarios of linkerd-behaviour.md 11.1 - 11.3 and 11.6; its ids come first in the titles. */
export const gatewayScenarios: readonly Scenario[] = [
  {
    title: "an exported Service gets a mirror whose Endpoints are the gateway",
    namespace: "c1",
    target: exportedService("c1/service-one", { labels: { lk: "lv" } }),
    run: {
      contents: gatewayMirror({ namespace: "c1", service: "service-one", labels: { lk: "lv" } }),
      comes: { "c1/service-one-west": line("service-one") },
    },
    then: {
      title: "a label, an annotation and a port that change there change in its mirror",
      change: ({ kube }) =>
        patchService(kube.west, "c1/service-one", {
          metadata: { labels: { lk: "other" }, annotations: { note: "new" } },
          spec: { ports: [port1] },
        }),
      contents: gatewayMirror({
        namespace: "c1",
        service: "service-one",
        labels: { lk: "other" },
        annotations: { note: "new" },
        ports: p12.slice(0, 1),
      }),
      changes: {
        "c1/service-one-west": {
          "annotation note": 'none → "new"',
          endpoints: "192.0.2.127 (port1 888/TCP, port2 888/TCP) → 192.0.2.127 (port1 888/TCP)",
          "endpoints label lk": '"lv" → "other"',
          "label lk": '"lv" → "other"',
          ports: `${both} → port1 555/TCP`,
        },
      },
    },
  },
  {
    title: "a Service exported for remote discovery gets a mirror without Endpoints",
    namespace: "c3",
    target: [service("c3/service-one", { labels: discovered }), endpoints("c3/service-one", [])],
    run: {
      contents: discoveryMirror({ namespace: "c3", service: "service-one" }),
      comes: { "c3/service-one-west": `remote-discovery mirror of service-one: ${both}` },
    },
    then: {
      title: "a Service that goes over from remote discovery to the gateway gets Endpoints",
      change: ({ kube }) => relabel(kube.west, "c3/service-one", exported),
      contents: gatewayMirror({ namespace: "c3", service: "service-one" }),
      changes: {
        "c3/service-one-west": {
          endpoints: "no object → 192.0.2.127 (port1 888/TCP, port2 888/TCP)",
          "label multicluster.linkerd.io/remote-discovery": '"west" → none',
          "label multicluster.linkerd.io/remote-service": '"service-one" → none',
        },
      },
    },
  },
  {
    title: "mirrors that Linkerd's controller made are taken over without a write",
    namespace: "a3",
    adopted: ["a3/flat-west", "a3/test-service-west"],
    target: [...exportedService("a3/test-service"), service("a3/flat", { labels: discovered })],
    source: items(
      "a3",
      together(
        gatewayMirror({ namespace: "a3", service: "test-service", version: "rv4711" }),
        discoveryMirror({ namespace: "a3", service: "flat", version: "rv4712" }),
      ),
    ),
    run: {
      contents: together(
        gatewayMirror({ namespace: "a3", service: "test-service", version: "rv4711" }),
        discoveryMirror({ namespace: "a3", service: "flat", version: "rv4712" }),
      ),
      comes: {
        "a3/flat-west": `remote-discovery mirror of flat: ${both}`,
        "a3/test-service-west": line("test-service"),
      },
    },
    then: {
      title: "a Service that goes over from the gateway to remote discovery loses its Endpoints",
      change: ({ kube }) => relabel(kube.west, "a3/test-service", discovered),
      contents: together(
        discoveryMirror({ namespace: "a3", service: "test-service" }),
        discoveryMirror({ namespace: "a3", service: "flat", version: "rv4712" }),
      ),
      changes: {
        "a3/test-service-west": {
          endpoints: "192.0.2.127 (port1 888/TCP, port2 888/TCP) → no object",
          "label multicluster.linkerd.io/remote-discovery": 'none → "west"',
          "label multicluster.linkerd.io/remote-service": 'none → "test-service"',
        },
      },
    },
  },
  {
    title: "a mirror that leads elsewhere than to the gateway is put right",
    namespace: "a2",
    target: exportedService("a2/test-service"),
    source: items(
      "a2",
      gatewayMirror({
        namespace: "a2",
        service: "test-service",
        version: "rv1",
        gateway: { addresses: ["192.0.2.99"], port: 888, identity: "gateway-identity" },
      }),
    ),
    run: {
      // The Service itself is right, so its annotation may stay as old as it is.
      contents: gatewayMirror({ namespace: "a2", service: "test-service", version: "rv1" }),
      comes: { "a2/test-service-west": line("test-service") },
      changes: {
        "a2/test-service-west": {
          endpoints:
            "192.0.2.99 (port1 888/TCP, port2 888/TCP) → 192.0.2.127 (port1 888/TCP, port2 888/TCP)",
        },
      },
    },
    then: {
      title: "a Service that is not exported any more has its mirror and Endpoints deleted",
      change: ({ kube }) => relabel(kube.west, "a2/test-service", unexport),
      contents: nothing,
      goes: { "a2/test-service-west": line("test-service") },
    },
  },
  {
    title: "a port that is gone goes from the mirror, and the gateway's identity is filled in",
    namespace: "u1",
    target: exportedService("u1/test-service", {}, { ports: [threePorts[0], threePorts[2]] }),
    source: items(
      "u1",
      gatewayMirror({
        namespace: "u1",
        service: "test-service",
        ports: threePorts,
        version: "past",
        gateway: { addresses: ["192.0.2.127"], port: 888, identity: "" },
      }),
    ),
    run: {
      contents: gatewayMirror({
        namespace: "u1",
        service: "test-service",
        ports: threePorts.filter(({ port }) => port !== 222),
      }),
      comes: {
        "u1/test-service-west": "gateway mirror of test-service: port1 111/TCP, port3 333/TCP",
      },
      changes: {
        "u1/test-service-west": {
          endpoints:
            "192.0.2.127 (port1 888/TCP, port2 888/TCP, port3 888/TCP) → 192.0.2.127 (port1 888/TCP, port3 888/TCP)",
          "endpoints annotation mirror.linkerd.io/remote-gateway-identity":
            '"" → "gateway-identity"',
          ports: "port1 111/TCP, port2 222/TCP, port3 333/TCP → port1 111/TCP, port3 333/TCP",
        },
      },
    },
    then: {
      title: "a Service that is deleted takes its mirror and Endpoints along",
      change: ({ kube }) => removeService(kube.west, "u1/test-service"),
      contents: nothing,
      goes: {
        "u1/test-service-west": "gateway mirror of test-service: port1 111/TCP, port3 333/TCP",
      },
    },
  },
  {
    title: "mirrors of Services that are not exported go, and the others stay as they are",
    namespace: "g2",
    adopted: ["g2/test-service-1-west"],
    target: exportedService("g2/test-service-1"),
    source: items(
      "g2",
      together(
        gatewayMirror({ namespace: "g2", service: "test-service-1", version: "rv5" }),
        gatewayMirror({ namespace: "g2", service: "test-service-2", leadsNowhere: true }),
      ),
    ),
    run: {
      contents: gatewayMirror({ namespace: "g2", service: "test-service-1", version: "rv5" }),
      comes: { "g2/test-service-1-west": line("test-service-1") },
      changes: {
        "g2/test-service-2-west": {
          action: "delete: left behind, nothing that is exported asks for it",
        },
      },
    },
  },
  {
    title: "a Service whose namespace is missing is skipped, and the preview says so",
    namespace: "n1",
    missing: true,
    target: exportedService("n1/service-one"),
    run: {
      contents: nothing,
      skipped: {
        "n1/service-one":
          "MissingNamespace: east has no namespace n1: create it there, or set createNamespaces on the link",
      },
    },
    then: {
      title: "once the namespace is there, the Service is mirrored",
      change: ({ kube }) => createNamespaces(kube.east, ["n1"]),
      contents: gatewayMirror({ namespace: "n1", service: "service-one" }),
      comes: { "n1/service-one-west": line("service-one") },
    },
  },
  {
    title: "Services that are not exported do not matter, and their deletion neither",
    namespace: "x2",
    target: [
      service("x2/plain", {}),
      service("x2/no", { labels: { "mirror.linkerd.io/exported": "false" } }),
    ],
    run: { contents: nothing },
    then: {
      title: "a Service that was never exported is deleted without effect",
      change: ({ kube }) => removeService(kube.west, "x2/plain"),
      contents: nothing,
    },
  },
];
