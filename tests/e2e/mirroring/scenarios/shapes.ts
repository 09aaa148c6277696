import { patchService } from "../changes.ts";
import { gatewayMirror, nothing, together } from "../mirrors.ts";
import { exported, exportedService, p12, service } from "../objects.ts";
import type { Scenario } from "../scenario.ts";

const both = "port1 555/TCP, port2 666/TCP";
const long = "s".repeat(59);
const evil = { evil: "1", "evil.linkerd/a": "1", evilfoo: "1", good: "1", "good.linkerd/c": "1" };
const good = { evilfoo: "1", good: "1", "good.linkerd/c": "1" };

/** Why the rest of them stays without mirrors in every run. */
const hopeless = {
  "skips/mirror":
    "IsMirror: it is a mirror itself on west; let the link's selectors leave mirrors out",
  "skips/other":
    "NotSelected: it is labelled mirror.linkerd.io/exported=True, and links take mirror.linkerd.io/exported=true: correct the label, or remove it",
  "skips/portless":
    "NoPorts: it has no ports: give it at least one, which its mirror can then have too",
  [`skips/${long}`]: `NameTooLong: the mirror's name ${long}-west has 64 characters and Kubernetes allows 63: shorten the name of the Service, the pod or the cluster`,
};

/** Special shapes of exported Services, linkerd-behaviour.md 2.6 - 2.8 and 2.16. */
export const shapeScenarios: readonly Scenario[] = [
  {
    title:
      "labels and annotations are copied but for those excluded, Linkerd's own and other controllers'",
    namespace: "i1",
    target: exportedService("i1/web", {
      labels: {
        ...evil,
        "multicluster.linkerd.io/remote-discovery": "elsewhere",
        "argocd.argoproj.io/instance": "shop",
      },
      annotations: {
        ...evil,
        "service.kubernetes.io/topology-mode": "auto",
        "config.linkerd.io/opaque-ports": "666",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
      },
    }),
    run: {
      contents: gatewayMirror({
        namespace: "i1",
        service: "web",
        labels: good,
        annotations: {
          ...good,
          "config.linkerd.io/opaque-ports": "666",
        },
      }),
      comes: { "i1/web-west": `gateway mirror of web: ${both}` },
    },
  },
  {
    title: "a LoadBalancer and a NodePort Service get ClusterIP mirrors without node ports",
    namespace: "types",
    target: [
      ...exportedService("types/balanced", {}, { type: "LoadBalancer" }),
      ...exportedService("types/on-nodes", {}, { type: "NodePort" }),
    ],
    run: {
      contents: together(
        gatewayMirror({ namespace: "types", service: "balanced" }),
        gatewayMirror({ namespace: "types", service: "on-nodes" }),
      ),
      comes: {
        "types/balanced-west": `gateway mirror of balanced: ${both}`,
        "types/on-nodes-west": `gateway mirror of on-nodes: ${both}`,
      },
    },
  },
  {
    title: "ports of every shape are mirrored: unnamed, UDP beside TCP, and targets by name",
    namespace: "ports",
    target: [
      ...exportedService("ports/unnamed", {}, { ports: [{ port: 80 }] }),
      ...exportedService(
        "ports/dns",
        {},
        {
          ports: [
            { name: "udp", protocol: "UDP", port: 53, targetPort: "domain" },
            { name: "tcp", protocol: "TCP", port: 53, targetPort: 5353, appProtocol: "dns" },
          ],
        },
      ),
    ],
    run: {
      contents: together(
        gatewayMirror({
          namespace: "ports",
          service: "unnamed",
          ports: [{ protocol: "TCP", port: 80, targetPort: 80 }],
        }),
        gatewayMirror({
          namespace: "ports",
          service: "dns",
          ports: [
            { name: "udp", protocol: "UDP", port: 53, targetPort: "domain" },
            { name: "tcp", protocol: "TCP", port: 53, targetPort: 5353, appProtocol: "dns" },
          ],
        }),
      ),
      comes: {
        "ports/dns-west": "gateway mirror of dns: tcp 53→5353/TCP as dns, udp 53→domain/UDP",
        "ports/unnamed-west": "gateway mirror of unnamed: 80/TCP",
      },
    },
    then: {
      title: "a port that comes in is added, at its place",
      change: ({ kube }) =>
        patchService(kube.west, "ports/unnamed", {
          spec: { ports: [...p12] },
        }),
      contents: together(
        gatewayMirror({ namespace: "ports", service: "unnamed" }),
        gatewayMirror({
          namespace: "ports",
          service: "dns",
          ports: [
            { name: "udp", protocol: "UDP", port: 53, targetPort: "domain" },
            { name: "tcp", protocol: "TCP", port: 53, targetPort: 5353, appProtocol: "dns" },
          ],
        }),
      ),
      changes: {
        "ports/unnamed-west": {
          endpoints: "192.0.2.127 (888/TCP) → 192.0.2.127 (port1 888/TCP, port2 888/TCP)",
          ports: `80/TCP → ${both}`,
        },
      },
    },
  },
  {
    title: "what cannot be mirrored is skipped with its reason: aliases, no ports, long names",
    namespace: "skips",
    target: [
      service(
        "skips/alias",
        { labels: exported },
        { type: "ExternalName", externalName: "example.org" },
      ),
      service("skips/portless", { labels: exported }, { clusterIP: "None", ports: [] }),
      ...exportedService(`skips/${long}`),
      service("skips/other", { labels: { "mirror.linkerd.io/exported": "True" } }),
      service("skips/mirror", {
        labels: { ...exported, "mirror.linkerd.io/mirrored-service": "true" },
      }),
    ],
    run: {
      contents: nothing,
      skipped: {
        "skips/alias":
          "ExternalName: an ExternalName Service is an alias in DNS: export the Service it stands for",
        ...hopeless,
      },
    },
    then: {
      title: "what is put right is mirrored from then on",
      change: ({ kube }) =>
        patchService(kube.west, "skips/alias", {
          spec: { type: "ClusterIP", externalName: null },
        }),
      contents: gatewayMirror({ namespace: "skips", service: "alias" }),
      comes: { "skips/alias-west": `gateway mirror of alias: ${both}` },
      skipped: hopeless,
    },
  },
];
