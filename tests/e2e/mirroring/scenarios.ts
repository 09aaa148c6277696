import { type BedCluster, until } from "../../../testbed/bed.ts";
import type { StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import {
  patchEndpoints,
  patchService,
  relabel,
  removeEndpoints,
  removeService,
} from "./changes.ts";
import { discoveryMirror, gatewayMirror, headlessMirror, nothing, together } from "./mirrors.ts";
import type { Contents } from "./mirrors.ts";
import {
  discovered,
  endpoints,
  exported,
  exportedHeadless,
  exportedService,
  type Item,
  kinds,
  p12,
  pods,
  service,
  statefulSet,
} from "./objects.ts";
import type { Scenario } from "./scenario.ts";
import { items } from "./view.ts";
import { create, isGone, type SharedBed } from "./shared-bed.ts";

const both = "port1 555/TCP, port2 666/TCP";
const through = "192.0.2.127 (port1 888/TCP, port2 888/TCP)";
const line = (name: string) => `gateway mirror of ${name}: ${both}`;
const rootLine = (count: string) => `headless mirror of db: ${both}, ${count}`;
const podLine = (host: string) => `endpoint mirror of ${host}.db: ${both}`;
const [port1] = p12;
const plain = { labels: {}, annotations: {} };
const metadata = (label: string, value: string) => ({ metadata: { labels: { [label]: value } } });

const foreign: Contents = {
  services: { "web-west": { ...plain, type: "ClusterIP", clusterIP: "an address", ports: p12 } },
  endpoints: {
    "web-west": {
      ...plain,
      subsets: [{ addresses: [{ ip: "10.9.0.9" }], ports: [{ port: 1, protocol: "TCP" }] }],
    },
  },
};

const finalizers = ["example.org/held"];
const held = gatewayMirror({ namespace: "held", service: "web", version: "rv1" });

const undrifted = together(
  ...["edited", "typed", "deleted"].map((service) =>
    gatewayMirror({ namespace: "drift", service, labels: { lk: "lv" } }),
  ),
  headlessMirror({ namespace: "drift", service: "db", hosts: ["pod-0"] }),
);

const member = { "mirror.linkerd.io/federated": "member" };
const ofMembers = { type: "ClusterIP", clusterIP: "an address", ports: p12 };
const local: Contents = {
  services: { api: { ...ofMembers, labels: member, annotations: {} } },
  endpoints: {},
};

function federated(annotations: StringMap): Contents {
  const view = {
    ...ofMembers,
    labels: { "mirror.linkerd.io/mirrored-service": "true" },
    annotations: { ...annotations, "multicluster.linkerd.io/local-discovery": "api" },
  };
  return { services: { "api-federated": view }, endpoints: {} };
}

/** The mirror in a namespace whose Services admission gives a team. */
function stamped(labels: StringMap, byHand: StringMap = {}): Contents {
  const parts = { namespace: "admission", service: "web" };
  const { endpoints } = gatewayMirror({ ...parts, labels: labels });
  const { services } = gatewayMirror({
    ...parts,
    labels: { ...labels, ...byHand, team: "platform" },
  });
  return { services, endpoints };
}

/** Admission in east that sets a label of every Service in a namespace. */
const policy: readonly Item[] = [
  {
    kind: "MutatingAdmissionPolicy",
    object: {
      metadata: { name: "admission" },
      spec: {
        failurePolicy: "Fail",
        reinvocationPolicy: "Never",
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [""],
              apiVersions: ["v1"],
              operations: ["CREATE", "UPDATE"],
              resources: ["services"],
            },
          ],
        },
        matchConditions: [
          { name: "namespace", expression: 'object.metadata.namespace == "admission"' },
        ],
        mutations: [
          {
            patchType: "ApplyConfiguration",
            applyConfiguration: {
              expression: 'Object{metadata: Object.metadata{labels: {"team": "platform"}}}',
            },
          },
        ],
      },
    },
  },
  {
    kind: "MutatingAdmissionPolicyBinding",
    object: { metadata: { name: "admission" }, spec: { policyName: "admission" } },
  },
];

async function inForce({ request }: BedCluster): Promise<void> {
  await until("the admission policy", [], async () => {
    const { body } = await request("POST", "/api/v1/namespaces/admission/services?dryRun=All", {
      metadata: { name: "probe" },
      spec: { ports: [{ port: 80 }] },
    });
    return JSON.stringify(body).includes("platform") || undefined;
  });
}

/**
 * What the API server and the engine have a part in: defaults, admission, finalizers, fields by their
 * managers, replacement. What becomes of which Service is the unit tests' (tests/unit/mirroring/decide).
 */
export const scenarios: readonly Scenario[] = [
  {
    title: "an exported Service gets a mirror whose Endpoints are the gateway",
    namespace: "plain",
    target: exportedService("plain/service-one", { labels: { lk: "lv" } }),
    run: {
      contents: gatewayMirror({ namespace: "plain", service: "service-one", labels: { lk: "lv" } }),
      comes: { "plain/service-one-west": line("service-one") },
    },
    then: {
      title: "a label, an annotation and a port that change there change in its mirror",
      change: ({ kube }) =>
        patchService(kube.west, "plain/service-one", {
          metadata: { labels: { lk: "other" }, annotations: { note: "new" } },
          spec: { ports: [port1] },
        }),
      contents: gatewayMirror({
        namespace: "plain",
        service: "service-one",
        labels: { lk: "other" },
        annotations: { note: "new" },
        ports: p12.slice(0, 1),
      }),
      changes: {
        "plain/service-one-west": {
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
    namespace: "flat",
    target: [
      service("flat/service-one", { labels: discovered }),
      endpoints("flat/service-one", []),
    ],
    run: {
      contents: discoveryMirror({ namespace: "flat", service: "service-one" }),
      comes: { "flat/service-one-west": `remote-discovery mirror of service-one: ${both}` },
    },
    then: {
      title: "a Service that goes over from remote discovery to the gateway gets Endpoints",
      change: ({ kube }) => relabel(kube.west, "flat/service-one", exported),
      contents: gatewayMirror({ namespace: "flat", service: "service-one" }),
      changes: {
        "flat/service-one-west": {
          endpoints: "no object → 192.0.2.127 (port1 888/TCP, port2 888/TCP)",
          "label multicluster.linkerd.io/remote-discovery": '"west" → none',
          "label multicluster.linkerd.io/remote-service": '"service-one" → none',
        },
      },
    },
  },
  {
    title: "mirrors that Linkerd's controller made are taken over without a write",
    namespace: "adopted",
    adopted: ["adopted/flat-west", "adopted/test-service-west"],
    target: [
      ...exportedService("adopted/test-service"),
      service("adopted/flat", { labels: discovered }),
    ],
    source: items(
      "adopted",
      together(
        gatewayMirror({ namespace: "adopted", service: "test-service", version: "rv4711" }),
        discoveryMirror({ namespace: "adopted", service: "flat", version: "rv4712" }),
      ),
    ),
    run: {
      contents: together(
        gatewayMirror({ namespace: "adopted", service: "test-service", version: "rv4711" }),
        discoveryMirror({ namespace: "adopted", service: "flat", version: "rv4712" }),
      ),
      comes: {
        "adopted/flat-west": `remote-discovery mirror of flat: ${both}`,
        "adopted/test-service-west": line("test-service"),
      },
    },
    then: {
      title: "a Service that goes over from the gateway to remote discovery loses its Endpoints",
      change: ({ kube }) => relabel(kube.west, "adopted/test-service", discovered),
      contents: together(
        discoveryMirror({ namespace: "adopted", service: "test-service" }),
        discoveryMirror({ namespace: "adopted", service: "flat", version: "rv4712" }),
      ),
      changes: {
        "adopted/test-service-west": {
          endpoints: "192.0.2.127 (port1 888/TCP, port2 888/TCP) → no object",
          "label multicluster.linkerd.io/remote-discovery": 'none → "west"',
          "label multicluster.linkerd.io/remote-service": 'none → "test-service"',
        },
      },
    },
  },
  {
    title: "somebody's own Service at a mirror's name is left alone, and the preview says so",
    namespace: "foreign",
    target: exportedService("foreign/web"),
    source: items("foreign", foreign),
    run: {
      contents: foreign,
      skipped: {
        "foreign/web":
          "NotOurs: east already has a foreign Service foreign/web-west: rename or delete it, or rename what is exported",
      },
    },
    then: {
      title: "once it is out of the way, the mirror is made",
      change: async ({ kube }) => {
        await removeService(kube.east, "foreign/web-west");
        await kube.east
          .remove(kinds.Endpoints, { namespace: "foreign", name: "web-west" })
          .catch(() => undefined);
      },
      contents: gatewayMirror({ namespace: "foreign", service: "web" }),
      comes: { "foreign/web-west": line("web") },
    },
  },
  {
    title: "a new pod gets an endpoint mirror and joins the root; the others stay as they are",
    namespace: "headless",
    adopted: ["headless/pod-0-west"],
    target: exportedHeadless("headless/db", ["pod-0", "pod-1"]),
    source: items(
      "headless",
      headlessMirror({
        namespace: "headless",
        service: "db",
        hosts: ["pod-0"],
        version: "rv222",
        versions: { "pod-0": "rv333" },
      }),
    ),
    run: {
      contents: headlessMirror({
        namespace: "headless",
        service: "db",
        hosts: ["pod-0", "pod-1"],
        version: "rv222",
        versions: { "pod-0": "rv333" },
      }),
      comes: {
        "headless/db-west": rootLine("2 pods"),
        "headless/pod-0-west": podLine("pod-0"),
        "headless/pod-1-west": podLine("pod-1"),
      },
      changes: { "headless/db-west": { endpoints: `none → pod-1@new (${both})` } },
    },
    then: {
      title: "a pod that is gone leaves the root, and its endpoint mirror goes",
      change: async ({ kube }) => {
        await create(kube.west, [statefulSet("headless/pod", "db", { ordinals: { start: 1 } })]);
        await patchEndpoints(kube.west, "headless/db", { subsets: pods(["pod-1"]) });
      },
      contents: headlessMirror({
        namespace: "headless",
        service: "db",
        hosts: ["pod-1"],
        version: "rv222",
        versions: { "pod-1": "an older one" },
      }),
      goes: { "headless/pod-0-west": podLine("pod-0") },
      changes: { "headless/db-west": { endpoints: `pod-0@(ClusterIP) (${both}) → none` } },
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
    title: "a namespace that is being deleted gets no mirrors",
    namespace: "closing",
    target: exportedService("closing/web"),
    source: [
      {
        kind: "ConfigMap",
        object: { metadata: { namespace: "closing", name: "last", finalizers } },
      },
    ],
    prepare: async ({ kube }) => {
      await kube.east.remove(kinds.Namespace, { name: "closing" });
    },
    run: {
      contents: nothing,
      skipped: {
        "closing/web":
          "TerminatingNamespace: the namespace closing is being deleted on east: run again when it is gone",
      },
    },
    then: {
      title: "once it is gone, it is missing",
      change: closed,
      contents: nothing,
      skipped: {
        "closing/web":
          "MissingNamespace: east has no namespace closing: create it there, or set createNamespaces on the link",
      },
    },
  },
  {
    title: "a mirror whose deletion a finalizer holds back is left to go, and the preview says so",
    namespace: "held",
    target: exportedService("held/web"),
    source: items("held", held).map(({ kind, object }) => ({
      kind,
      object:
        kind === "Service" ? { ...object, metadata: { ...object.metadata, finalizers } } : object,
    })),
    prepare: ({ kube }) => removeService(kube.east, "held/web-west"),
    run: {
      contents: held,
      comes: { "held/web-west": line("web") },
      changes: { "held/web-west": { action: "adopt: already exists" } },
      skipped: {
        "held/web":
          "BeingDeleted: the Service held/web-west on east is being deleted and a finalizer holds it: have it removed and run again",
      },
    },
    then: {
      title: "once it is gone, it is made anew",
      change: ({ kube }) =>
        patchService(kube.east, "held/web-west", { metadata: { finalizers: null } }),
      contents: gatewayMirror({ namespace: "held", service: "web" }),
      changes: { "held/web-west": { action: "create again: it is missing" } },
    },
  },
  {
    title:
      "a mirror has the label that admission in the source adds to it, and no run is asked for",
    namespace: "admission",
    target: exportedService("admission/web", { labels: { tier: "front", team: "shop" } }),
    prepare: ({ bed }) => inForce(bed.clusters.east),
    source: policy,
    run: {
      contents: stamped({ tier: "front" }),
      comes: { "admission/web-west": line("web") },
    },
    then: {
      title: "what admission and people have added stays when something else changes",
      change: async ({ kube }) => {
        await patchService(kube.east, "admission/web-west", metadata("by-hand", "kept"));
        await relabel(kube.west, "admission/web", { tier: "back" });
      },
      contents: stamped({ tier: "back" }, { "by-hand": "kept" }),
      changes: {
        "admission/web-west": {
          "endpoints label tier": '"front" → "back"',
          "label tier": '"front" → "back"',
        },
      },
    },
  },
  {
    title: "mirrors have the labels of what is exported",
    namespace: "drift",
    target: [
      ...["edited", "typed", "deleted"].flatMap((name) =>
        exportedService(`drift/${name}`, { labels: { lk: "lv" } }),
      ),
      ...exportedHeadless("drift/db", ["pod-0"]),
    ],
    run: {
      contents: undrifted,
      comes: {
        "drift/edited-west": line("edited"),
        "drift/typed-west": line("typed"),
        "drift/deleted-west": line("deleted"),
        "drift/db-west": rootLine("1 pod"),
        "drift/pod-0-west": podLine("pod-0"),
      },
    },
    then: {
      title: "drift is shown and repaired, whatever somebody has done to a mirror",
      change: async ({ kube: { east } }) => {
        await patchService(east, "drift/edited-west", metadata("lk", "mine"));
        await patchEndpoints(east, "drift/edited-west", { subsets: null });
        await patchService(east, "drift/typed-west", { spec: { type: "NodePort" } });
        await removeService(east, "drift/deleted-west");
        await removeService(east, "drift/pod-0-west");
      },
      contents: undrifted,
      changes: {
        "drift/edited-west": { endpoints: `none → ${through}`, "label lk": '"mine" → "lv"' },
        "drift/typed-west": { type: "NodePort → ClusterIP" },
        "drift/deleted-west": { action: "create again: it is missing" },
        "drift/pod-0-west": { action: "create again: it is missing" },
        "drift/db-west": { endpoints: `pod-0@(ClusterIP) (${both}) → pod-0@new (${both})` },
      },
    },
  },
  {
    title: "members of both clusters are united in a federated Service",
    namespace: "members",
    target: [service("members/api", { labels: member })],
    source: [service("members/api", { labels: member })],
    remains: local,
    run: {
      contents: together(
        local,
        federated({ "multicluster.linkerd.io/remote-discovery": "api@west" }),
      ),
      comes: { "members/api-federated": `federated Service of api@west, local api: ${both}` },
    },
    then: {
      title: "a member that leaves goes from the list, and nothing else changes",
      change: ({ kube }) =>
        relabel(kube.west, "members/api", { "mirror.linkerd.io/federated": null }),
      contents: together(local, federated({})),
      changes: {
        "members/api-federated": {
          "annotation multicluster.linkerd.io/remote-discovery": '"api@west" → none',
        },
      },
    },
  },
];

async function closed({ kube }: SharedBed): Promise<void> {
  const last = { namespace: "closing", name: "last" };
  await kube.east.patch(kinds.ConfigMap, last, { metadata: { finalizers: null } });
  await until("the end of the namespace", [], async () => {
    try {
      await kube.east.get(kinds.Namespace, { name: "closing" });
      return undefined;
    } catch (error) {
      return isGone(error) || undefined;
    }
  });
}
