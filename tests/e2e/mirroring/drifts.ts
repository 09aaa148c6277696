import { kinds, podPorts } from "./objects.ts";
import type { Kubernetes } from "../../../engine/kubernetes/client/interface.ts";
import type { ObjectKey, StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import { nameOf, patchEndpoints, patchService, removeEndpoints, removeService } from "./changes.ts";

/** Something that somebody does to a mirror by hand, and how the next preview puts it. */
export interface Drift {
  readonly title: string;
  /** Name of the exported Service whose mirror it is, for which there is none other. */
  readonly service: string;
  /** Done to the Service's mirror, or that of its pod. */
  readonly pod?: boolean;
  readonly alter: (east: Kubernetes, key: ObjectKey) => Promise<unknown>;
  readonly fields: StringMap;
  /** What comes of the headless mirror then: the pod's mirror has another ClusterIP. */
  readonly fieldsOfRoot?: StringMap;
}

const fqName = "mirror.linkerd.io/remote-svc-fq-name";
const identity = "mirror.linkerd.io/remote-gateway-identity";
const through = "192.0.2.127 (port1 888/TCP, port2 888/TCP)";
const both = "port1 555/TCP, port2 666/TCP";
const gatewayPorts = podPorts.map((port) => ({ ...port, port: 888 }));
const metadata = (field: string, key: string, value: string | null) => ({
  metadata: { [field]: { [key]: value } },
});
const labelled = (key: string, value: string | null) => metadata("labels", key, value);
const annotated = (key: string, value: string | null) => metadata("annotations", key, value);

/** One for every field that is mirrored, and for the object as a whole. */
export const drifts: readonly Drift[] = [
  {
    title: "a label was changed",
    service: "label-changed",
    alter: (east, key) => patchService(east, key, labelled("lk", "mine")),
    fields: { "label lk": '"mine" → "lv"' },
  },
  {
    title: "a label was taken off",
    service: "label-gone",
    alter: (east, key) => patchService(east, key, labelled("lk", null)),
    fields: { "label lk": 'none → "lv"' },
  },
  {
    title: "an annotation was changed",
    service: "annotation-changed",
    alter: (east, key) => patchService(east, key, annotated(fqName, "web.elsewhere")),
    fields: {
      [`annotation ${fqName}`]: '"web.elsewhere" → "annotation-changed.drift.svc.cluster.local"',
    },
  },
  {
    title: "ports were changed",
    service: "ports-changed",
    alter: (east, key) =>
      patchService(east, key, { spec: { ports: [{ name: "port1", port: 999, targetPort: 1 }] } }),
    fields: { ports: `port1 999→1/TCP → ${both}` },
  },
  {
    title: "the type was changed",
    service: "type-changed",
    alter: (east, key) => patchService(east, key, { spec: { type: "NodePort" } }),
    fields: { type: "NodePort → ClusterIP" },
  },
  {
    title: "the Service was deleted",
    service: "service-gone",
    alter: (east, key) => removeService(east, key),
    fields: { action: "create again: it is missing" },
  },
  {
    title: "the Service was made anew without a ClusterIP",
    service: "now-headless",
    alter: async (east, key) => {
      const { name, namespace } = nameOf(key);
      const live = await east.get(kinds.Service, { name, namespace });
      const { labels = {}, annotations = {} } = live.metadata;
      const { ports } = live["spec"] as { readonly ports: unknown };
      await removeService(east, key);
      await east.create(kinds.Service, {
        metadata: { name, namespace, labels, annotations },
        spec: { clusterIP: "None", ports },
      });
    },
    fields: {
      action: "replace: delete and create again",
      clusterIP: "None → an address",
    },
  },
  {
    title: "the Endpoints were deleted",
    service: "endpoints-gone",
    alter: (east, key) => removeEndpoints(east, key),
    fields: { endpoints: `no object → ${through}` },
  },
  {
    title: "the Endpoints lead elsewhere",
    service: "endpoints-changed",
    alter: (east, key) =>
      patchEndpoints(east, key, {
        subsets: [{ addresses: [{ ip: "192.0.2.9" }], ports: gatewayPorts }],
      }),
    fields: { endpoints: `192.0.2.9 (port1 888/TCP, port2 888/TCP) → ${through}` },
  },
  {
    title: "the Endpoints have another port of the gateway",
    service: "endpoints-port",
    alter: (east, key) =>
      patchEndpoints(east, key, {
        subsets: [{ addresses: [{ ip: "192.0.2.127" }], ports: podPorts }],
      }),
    fields: { endpoints: `192.0.2.127 (${both}) → ${through}` },
  },
  {
    title: "the Endpoints were left as not ready by Linkerd's controller, which probes gateways",
    service: "endpoints-not-ready",
    alter: (east, key) =>
      patchEndpoints(east, key, {
        subsets: [{ notReadyAddresses: [{ ip: "192.0.2.127" }], ports: gatewayPorts }],
      }),
    fields: { endpoints: `${through} not ready → ${through}` },
  },
  {
    title: "the Endpoints were emptied",
    service: "endpoints-emptied",
    alter: (east, key) => patchEndpoints(east, key, { subsets: null }),
    fields: { endpoints: `none → ${through}` },
  },
  {
    title: "a label of the Endpoints was changed",
    service: "endpoints-label",
    alter: (east, key) => patchEndpoints(east, key, labelled("lk", "mine")),
    fields: { "endpoints label lk": '"mine" → "lv"' },
  },
  {
    title: "the gateway's identity was taken off the Endpoints",
    service: "endpoints-identity",
    alter: (east, key) => patchEndpoints(east, key, annotated(identity, null)),
    fields: { [`endpoints annotation ${identity}`]: 'none → "gateway-identity"' },
  },
  {
    title: "the mirror of a pod was deleted: its successor's ClusterIP reaches the headless mirror",
    service: "db",
    pod: true,
    alter: (east, key) => removeService(east, key),
    fields: { action: "create again: it is missing" },
    fieldsOfRoot: { endpoints: `pod-0@(ClusterIP) (${both}) → pod-0@new (${both})` },
  },
  {
    title: "the Endpoints of a headless mirror lead to the gateway",
    service: "other-db",
    alter: (east, key) =>
      patchEndpoints(east, key, {
        subsets: [{ addresses: [{ ip: "192.0.2.127" }], ports: gatewayPorts }],
      }),
    fields: { endpoints: `${through} → pod-1@(ClusterIP) (${both})` },
  },
];
