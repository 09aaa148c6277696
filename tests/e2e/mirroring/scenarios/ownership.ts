import { patchService, removeService } from "../changes.ts";
import { gatewayMirror, together, type Contents } from "../mirrors.ts";
import { exportedService, kinds, p12 } from "../objects.ts";
import { givenUp as left } from "../../../simulation/preview.ts";
import type { Scenario } from "../scenario.ts";
import { items } from "../view.ts";

const both = "port1 555/TCP, port2 666/TCP";
const line = `gateway mirror of web: ${both}`;
const webMirror = (namespace: string) => gatewayMirror({ namespace, service: "web" });
const plain = { labels: {}, annotations: {} };
const foreign: Contents = {
  services: { "web-west": { ...plain, type: "ClusterIP", clusterIP: "an address", ports: p12 } },
  endpoints: {
    "web-west": {
      ...plain,
      subsets: [{ addresses: [{ ip: "10.9.0.9" }], ports: [{ port: 1, protocol: "TCP" }] }],
    },
  },
};
const inTheWay = (what: string, key: string) =>
  `NotOurs: east already has ${what} ${key}: rename or delete it, or rename what is exported`;
const norths = gatewayMirror({ namespace: "norths", service: "web", target: "north" });
const probe: Contents = {
  services: {
    "probe-gateway-west": {
      labels: {
        "mirror.linkerd.io/mirrored-service": "true",
        "mirror.linkerd.io/mirrored-gateway": "true",
        "mirror.linkerd.io/cluster-name": "west",
      },
      annotations: {},
      type: "ClusterIP",
      clusterIP: "an address",
      ports: p12,
    },
  },
  endpoints: {},
};
const federated: Contents = {
  services: {
    "web-federated": {
      labels: { "mirror.linkerd.io/mirrored-service": "true" },
      annotations: { "multicluster.linkerd.io/remote-discovery": "web@elsewhere" },
      type: "ClusterIP",
      clusterIP: "an address",
      ports: p12,
    },
  },
  endpoints: {},
};

/** A mirror that its owner took the labels off. */
const mirror = webMirror("halves");
const givenUp: Contents = {
  ...mirror,
  services: Object.fromEntries(
    Object.entries(mirror.services).map(([name, view]) => [name, { ...view, labels: {} }]),
  ),
};

/** Nothing is ever changed or deleted that this link did not make. */
export const ownershipScenarios: readonly Scenario[] = [
  {
    title: "somebody's own Service at a mirror's name is left alone, and the preview says so",
    namespace: "foreign",
    target: exportedService("foreign/web"),
    source: items("foreign", foreign),
    run: {
      contents: foreign,
      skipped: { "foreign/web": inTheWay("a foreign Service", "foreign/web-west") },
    },
    then: {
      title: "once it is out of the way, the mirror is made",
      change: async ({ kube }) => {
        await removeService(kube.east, "foreign/web-west");
        await kube.east
          .remove(kinds.Endpoints, { namespace: "foreign", name: "web-west" })
          .catch(() => undefined);
      },
      contents: webMirror("foreign"),
      comes: { "foreign/web-west": line },
    },
  },
  {
    title: "somebody's own Endpoints at a mirror's name are left alone",
    namespace: "foreign-endpoints",
    target: exportedService("foreign-endpoints/web"),
    remains: { ...foreign, services: {} },
    source: items("foreign-endpoints", { ...foreign, services: {} }),
    run: {
      contents: { ...foreign, services: {} },
      skipped: {
        "foreign-endpoints/web": inTheWay("a foreign Endpoints", "foreign-endpoints/web-west"),
      },
    },
  },
  {
    title:
      "another cluster's mirrors, probes of gateways and others' federated Services are left alone",
    namespace: "norths",
    remains: together(norths, probe, federated),
    source: items("norths", together(norths, probe, federated)),
    run: { contents: together(norths, probe, federated) },
  },
  {
    title:
      "Endpoints of ours that lost their Service go, and a Service that lost its Endpoints gets them",
    namespace: "halves",
    remains: givenUp,
    target: exportedService("halves/web"),
    source: items("halves", {
      services: webMirror("halves").services,
      endpoints: gatewayMirror({ namespace: "halves", service: "gone" }).endpoints,
    }),
    run: {
      contents: gatewayMirror({ namespace: "halves", service: "web", version: "the Service's" }),
      comes: { "halves/web-west": line },
      changes: {
        "halves/gone-west": { action: "delete: Endpoints left behind without their Service" },
        "halves/web-west": {
          endpoints: "no object → 192.0.2.127 (port1 888/TCP, port2 888/TCP)",
        },
      },
    },
    then: {
      title: "a mirror whose labels were taken off is nobody's mirror any more, and stays as it is",
      change: ({ kube }) =>
        patchService(kube.east, "halves/web-west", {
          metadata: {
            labels: {
              "mirror.linkerd.io/mirrored-service": null,
              "mirror.linkerd.io/cluster-name": null,
            },
          },
        }),
      contents: givenUp,
      goes: { "halves/web-west": line },
      changes: { "halves/web-west": left },
      skipped: { "halves/web": inTheWay("a foreign Service", "halves/web-west") },
    },
  },
];
