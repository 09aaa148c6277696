import { type BedCluster, until } from "../../../testbed/bed.ts";
import {
  discovered,
  exported,
  exportedHeadless,
  exportedService,
  type Item,
  kinds,
  member,
  p12,
  pods,
  service,
  statefulSet,
} from "./objects.ts";
import { create, patch, relabel, remove, type SharedBed, unlessGone } from "./shared-bed.ts";

/** What one run makes of one namespace. All scenarios share their runs. */
export interface Scenario {
  readonly title: string;
  /** Of both clusters; nothing of another scenario is in it. */
  readonly namespace: string;
  /** Objects in west, and in east before the first run. Namespaces come by themselves. */
  readonly target?: readonly Item[];
  readonly source?: readonly Item[];
  /** What else was done to them before the first run. */
  readonly prepare?: (shared: SharedBed) => Promise<unknown>;
  /** What east has in the namespace after the first run, and why it lacks what it lacks, in lines. */
  readonly gives: readonly string[];
  /** What happens then, and what the next run makes of it. */
  readonly then: {
    readonly title: string;
    readonly change: (shared: SharedBed) => Promise<unknown>;
    readonly gives: readonly string[];
  };
  /** What destroy leaves in the namespace: what others made. */
  readonly remains?: readonly string[];
}

const ports = "port1:555 port2:666";
const dns = { name: "dns", protocol: "UDP", port: 53, targetPort: "named" };
const gateway = "→ 192.0.2.127:888";
const labels = (map: object) => ({ metadata: { labels: map } });
const finalizers = ["example.org/held"];
const remote = "remote-discovery=west remote-service";
const undrifted = [
  `db-west headless ${ports} → pod-0@pod-0-west:555,666`,
  ...["deleted", "edited"].map((name) => `${name}-west ${ports} lk=lv ${gateway}`),
  `pod-0-west ${ports} ${gateway}`,
  `typed-west ${ports} lk=lv ${gateway}`,
];

/** A mirror as Linkerd's controller leaves it. */
const adopted = service("adopted/web-west", {
  labels: {
    "mirror.linkerd.io/mirrored-service": "true",
    "mirror.linkerd.io/cluster-name": "west",
    "multicluster.linkerd.io/remote-discovery": "west",
    "multicluster.linkerd.io/remote-service": "web",
  },
  annotations: {
    "mirror.linkerd.io/remote-resource-version": "rv4711",
    "mirror.linkerd.io/remote-svc-fq-name": "web.adopted.svc.cluster.local",
  },
});

/** Admission in east that sets a label of every Service in a namespace. */
const policy: readonly Item[] = [
  {
    kind: "MutatingAdmissionPolicy",
    metadata: { name: "admission" },
    spec: {
      ...{ failurePolicy: "Fail", reinvocationPolicy: "Never" },
      matchConstraints: {
        resourceRules: [
          {
            ...{ apiGroups: [""], apiVersions: ["v1"], resources: ["services"] },
            operations: ["CREATE", "UPDATE"],
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
  {
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name: "admission" },
    spec: { policyName: "admission" },
  },
];

/**
 * What the API server has a part in: defaults, admission, finalizers, fields by their managers, replacement. What
 * becomes of which Service is the unit tests' (tests/unit/mirroring/decide).
 */
export const scenarios: readonly Scenario[] = [
  {
    title: "an exported Service gets a mirror whose Endpoints are the gateway",
    namespace: "plain",
    target: exportedService("plain/web", { labels: { lk: "lv" } }),
    gives: [`web-west ${ports} lk=lv ${gateway}`],
    then: {
      title: "a label, an annotation and a port that change there change in its mirror",
      change: ({ kube }) =>
        patch(kube.west, "Service", "plain/web", {
          metadata: { labels: { lk: "other" }, annotations: { note: "new" } },
          spec: { ports: p12.slice(0, 1) },
        }),
      gives: [`web-west port1:555 lk=other note=new ${gateway}`],
    },
  },
  {
    title: "a Service exported for remote discovery gets a mirror without Endpoints",
    namespace: "flat",
    target: [service("flat/web", { labels: discovered }, { ports: [...p12, dns] })],
    gives: [`web-west ${ports} dns:53/UDP:named ${remote}=web`],
    then: {
      title: "a Service that goes over from remote discovery to the gateway gets Endpoints",
      change: ({ kube }) => relabel(kube.west, "flat/web", exported),
      gives: [`web-west ${ports} dns:53/UDP:named ${gateway},888/UDP`],
    },
  },
  {
    title: "a mirror that Linkerd's controller made is taken over as it is",
    namespace: "adopted",
    target: [service("adopted/web", { labels: discovered }), ...exportedService("adopted/api")],
    source: [adopted],
    gives: [
      `api-west ${ports} ${gateway}`,
      `web-west ${ports} remote-discovery=west remote-resource-version=rv4711 remote-service=web`,
    ],
    then: {
      title: "a Service that goes over from the gateway to remote discovery loses its Endpoints",
      change: ({ kube }) => relabel(kube.west, "adopted/api", discovered),
      gives: [
        `api-west ${ports} ${remote}=api`,
        `web-west ${ports} remote-discovery=west remote-resource-version=rv4711 remote-service=web`,
      ],
    },
  },
  {
    title: "somebody's own Service at a mirror's name is left alone",
    namespace: "foreign",
    target: exportedService("foreign/web"),
    source: [service("foreign/web-west")],
    gives: [`web-west ${ports}`, "foreign/web is not mirrored: NotOurs"],
    then: {
      title: "once it is out of the way, the mirror is made",
      change: ({ kube }) => remove(kube.east, "Service", "foreign/web-west"),
      gives: [`web-west ${ports} ${gateway}`],
    },
  },
  {
    title: "a headless Service gets a headless mirror, and an endpoint mirror for each pod",
    namespace: "headless",
    target: exportedHeadless("headless/db", ["pod-0", "pod-1"]),
    gives: [
      `db-west headless ${ports} → pod-0@pod-0-west:555,666 pod-1@pod-1-west:555,666`,
      `pod-0-west ${ports} ${gateway}`,
      `pod-1-west ${ports} ${gateway}`,
    ],
    then: {
      title: "a new pod joins the mirror; one that is gone leaves it, and its endpoint mirror goes",
      change: async ({ kube }) => {
        const spec = { replicas: 2, ordinals: { start: 1 } };
        await create(kube.west, [statefulSet("headless/pod", "db", spec)]);
        const subsets = pods(["pod-1", "pod-2"]);
        await patch(kube.west, "Endpoints", "headless/db", { subsets });
      },
      gives: [
        `db-west headless ${ports} → pod-1@pod-1-west:555,666 pod-2@pod-2-west:555,666`,
        `pod-1-west ${ports} ${gateway}`,
        `pod-2-west ${ports} ${gateway}`,
      ],
    },
  },
  {
    title: "a headless Service whose pods have no names gets a ClusterIP mirror",
    namespace: "unnamed",
    target: exportedHeadless("unnamed/db", [""]),
    gives: [`db-west ${ports} ${gateway}`],
    then: {
      title: "when they get names, the mirror is replaced by a headless one",
      change: ({ kube }) =>
        patch(kube.west, "Endpoints", "unnamed/db", { subsets: pods(["db-0"]) }),
      gives: [
        `db-0-west ${ports} ${gateway}`,
        `db-west headless ${ports} → db-0@db-0-west:555,666`,
      ],
    },
  },
  {
    title: "opaque ports hold for endpoint mirrors too",
    namespace: "flip",
    target: exportedHeadless("flip/db", ["db-0"], {
      annotations: { "config.linkerd.io/opaque-ports": "666", note: "not for pods" },
    }),
    gives: [
      `db-0-west ${ports} opaque-ports=666 ${gateway}`,
      `db-west headless ${ports} note=not for pods opaque-ports=666 → db-0@db-0-west:555,666`,
    ],
    then: {
      title:
        "a Service made anew with a ClusterIP has its headless mirror replaced, and its pods' deleted",
      change: async ({ kube }) => {
        await remove(kube.west, "Service", "flip/db");
        await remove(kube.west, "Endpoints", "flip/db").catch(unlessGone(undefined));
        await create(kube.west, exportedService("flip/db"));
      },
      gives: [`db-west ${ports} ${gateway}`],
    },
  },
  {
    title: "a namespace that is being deleted gets no mirrors",
    namespace: "closing",
    target: exportedService("closing/web"),
    source: [{ kind: "ConfigMap", metadata: { namespace: "closing", name: "last", finalizers } }],
    prepare: ({ kube }) => kube.east.remove(kinds.Namespace, { name: "closing" }),
    gives: ["closing/web is not mirrored: TerminatingNamespace"],
    then: {
      title: "once it is gone, it is missing",
      change: async ({ kube: { east } }) => {
        await patch(east, "ConfigMap", "closing/last", { metadata: { finalizers: null } });
        await until("the end of the namespace", [], async () => {
          return (await east.find(kinds.Namespace, { name: "closing" })) === undefined || undefined;
        });
      },
      gives: ["closing/web is not mirrored: MissingNamespace"],
    },
  },
  {
    title: "a mirror whose deletion a finalizer holds back is left to go",
    namespace: "held",
    target: exportedService("held/web"),
    source: [service("held/web-west", { labels: adopted.metadata.labels ?? {}, finalizers })],
    prepare: ({ kube }) => remove(kube.east, "Service", "held/web-west"),
    gives: [`web-west ${ports} ${remote}=web`, "held/web is not mirrored: BeingDeleted"],
    then: {
      title: "once it is gone, it is made anew",
      change: ({ kube }) =>
        patch(kube.east, "Service", "held/web-west", { metadata: { finalizers: null } }),
      gives: [`web-west ${ports} ${gateway}`],
    },
  },
  {
    title:
      "a mirror has the label that admission in the source adds to it, and no run is asked for",
    namespace: "admission",
    target: exportedService("admission/web", { labels: { tier: "front", team: "shop" } }),
    source: policy,
    prepare: ({ bed }) => inForce(bed.clusters.east),
    gives: [`web-west ${ports} team=platform tier=front ${gateway}`],
    then: {
      title: "what admission and people have added stays when something else changes",
      change: async ({ kube }) => {
        await patch(kube.east, "Service", "admission/web-west", labels({ "by-hand": "kept" }));
        await relabel(kube.west, "admission/web", { tier: "back" });
      },
      gives: [`web-west ${ports} by-hand=kept team=platform tier=back ${gateway}`],
    },
  },
  {
    title: "mirrors have the labels of what is exported",
    namespace: "drift",
    target: [
      ...(["edited", "typed", "deleted"] as const).flatMap((name) =>
        exportedService(`drift/${name}`, { labels: { lk: "lv" } }),
      ),
      ...exportedHeadless("drift/db", ["pod-0"]),
    ],
    gives: undrifted,
    then: {
      title: "drift is repaired, whatever somebody has done to a mirror",
      change: async ({ kube: { east } }) => {
        await relabel(east, "drift/edited-west", { lk: "mine" });
        await patch(east, "Endpoints", "drift/edited-west", { subsets: null });
        await patch(east, "Service", "drift/typed-west", { spec: { type: "NodePort" } });
        await remove(east, "Service", "drift/deleted-west");
        await remove(east, "Service", "drift/pod-0-west");
      },
      gives: undrifted,
    },
  },
  {
    title: "members of both clusters are united in a federated Service",
    namespace: "members",
    target: [service("members/api", { labels: member })],
    source: [service("members/api", { labels: member })],
    gives: [
      `api ${ports} federated=member`,
      `api-federated ${ports} local-discovery=api remote-discovery=api@west`,
    ],
    then: {
      title: "a member that leaves goes from the list, and nothing else changes",
      change: ({ kube }) =>
        relabel(kube.west, "members/api", { "mirror.linkerd.io/federated": null }),
      gives: [`api ${ports} federated=member`, `api-federated ${ports} local-discovery=api`],
    },
    remains: [`api ${ports} federated=member`],
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
