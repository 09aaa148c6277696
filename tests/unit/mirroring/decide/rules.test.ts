import assert from "node:assert/strict";
import { linkDefaults, type LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type {
  Namespace,
  ObjectKey,
  Service,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { wanted } from "../../fixtures/link.ts";
import { cluster, exported, headless, namespace, service } from "../../fixtures/objects.ts";

/** Names of which the mirror's, with `-west` at its end, has 63 and 64 characters. */
const longest = "w".repeat(58);
const tooLong = "w".repeat(59);
const going = namespace("shop", { deletionTimestamp: "2026-01-01T00:00:00Z" });
const { excludedNamespaces } = linkDefaults;
const viaDiscovery = { "mirror.linkerd.io/exported": "remote-discovery" };

interface Row {
  readonly rule: string;
  readonly service: Service;
  readonly namespaces?: readonly (string | Namespace)[];
  readonly link?: Partial<LinkSpec>;
  /** The one mirror that there is then, or why there is none. */
  readonly mirror?: ObjectKey;
  readonly skip?: string;
}

/** `a0=x`, `a1=x`, … */
const many = (count: number, length = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, "x".repeat(length)]));
const ports = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `p${n}`, port: n + 1 }));

const rows: Row[] = [
  {
    rule: "a Service of as many ports and labels as it may have is mirrored",
    service: exported("shop/web", { labels: many(128) }, { ports: ports(1_000) }),
    mirror: "shop/web-west",
  },
  {
    rule: "a Service has no more ports than a mirror may",
    service: exported("shop/web", {}, { ports: ports(1_001) }),
    skip: "TooLarge: it has 1,001 ports and a mirror has at most 1,000: divide it into several Services",
  },
  {
    rule: "a Service has no more labels than a mirror may",
    service: exported("shop/web", { labels: many(129) }),
    skip: "TooLarge: it has 129 labels and a mirror has at most 128: leave some out with excludedLabels on the link",
  },
  {
    rule: "labels that stay behind do not count",
    service: exported("shop/web", { labels: many(129) }),
    link: { excludedLabels: ["a0"] },
    mirror: "shop/web-west",
  },
  {
    rule: "the labels and annotations of a Service are no longer than a mirror's may be",
    service: exported("shop/web", { labels: many(10), annotations: many(3, 30_000) }),
    skip: "TooLarge: its labels and annotations have 90,036 characters and those of a mirror at most 65,536: leave some out with excludedLabels and excludedAnnotations on the link",
  },
  {
    rule: "an exported Service is mirrored under its name and the target's",
    service: exported("shop/web"),
    mirror: "shop/web-west",
  },
  {
    rule: "a LoadBalancer Service is mirrored as any other",
    service: exported("shop/web", {}, { type: "LoadBalancer" }),
    mirror: "shop/web-west",
  },
  {
    rule: "a mirror is never mirrored again, even if a selector matches it",
    service: exported("shop/web-north", {
      labels: { "mirror.linkerd.io/mirrored-service": "true" },
    }),
    skip: "IsMirror: it is a mirror itself on west; let the link's selectors leave mirrors out",
  },
  {
    rule: "a federated Service is a mirror too",
    service: exported("shop/web-federated", {
      labels: { ...viaDiscovery, "mirror.linkerd.io/mirrored-service": "true" },
    }),
    skip: "IsMirror: it is a mirror itself on west; let the link's selectors leave mirrors out",
  },
  {
    rule: "an ExternalName Service has nothing to mirror",
    service: exported("shop/web", {}, { type: "ExternalName" }),
    skip: "ExternalName: an ExternalName Service is an alias in DNS: export the Service it stands for",
  },
  {
    rule: "a Service without ports cannot have a mirror",
    service: exported("shop/web", {}, { ports: [] }),
    skip: "NoPorts: it has no ports: give it at least one, which its mirror can then have too",
  },
  {
    rule: "a headless Service without ports cannot have a mirror either",
    service: headless("shop/db", {}, []),
    skip: "NoPorts: it has no ports: give it at least one, which its mirror can then have too",
  },
  {
    rule: "remote discovery needs ports as well",
    service: exported("shop/web", { labels: viaDiscovery }, { ports: [] }),
    skip: "NoPorts: it has no ports: give it at least one, which its mirror can then have too",
  },
  {
    rule: "a mirror's name may have 63 characters",
    service: exported(`shop/${longest}`),
    mirror: `shop/${longest}-west`,
  },
  {
    rule: "a mirror's name may not have 64 characters",
    service: exported(`shop/${tooLong}`),
    skip: `NameTooLong: the mirror's name ${tooLong}-west has 64 characters and Kubernetes allows 63: shorten the name of the Service, the pod or the cluster`,
  },
  {
    rule: "a mirror's name must begin with a letter",
    service: exported("shop/3web"),
    skip: "InvalidName: the mirror's name 3web-west does not begin with a letter, as the name of a Service must in Kubernetes: rename the Service or its StatefulSet",
  },
  {
    rule: "a missing namespace is not created unasked",
    service: exported("shop/web"),
    namespaces: [],
    skip: "MissingNamespace: east has no namespace shop: create it there, or set createNamespaces on the link",
  },
  {
    rule: "a missing namespace is no obstacle with createNamespaces",
    service: exported("shop/web"),
    namespaces: [],
    link: { createNamespaces: true },
    mirror: "shop/web-west",
  },
  {
    rule: "a namespace on its way out takes no mirror",
    service: exported("shop/web"),
    namespaces: [going],
    skip: "TerminatingNamespace: the namespace shop is being deleted on east: run again when it is gone",
  },
  {
    rule: "a namespace on its way out takes none with createNamespaces either",
    service: exported("shop/web"),
    namespaces: [going],
    link: { createNamespaces: true },
    skip: "TerminatingNamespace: the namespace shop is being deleted on east: run again when it is gone",
  },
  {
    rule: "the namespace is asked for in remote discovery too",
    service: exported("shop/web", { labels: viaDiscovery }),
    namespaces: [],
    skip: "MissingNamespace: east has no namespace shop: create it there, or set createNamespaces on the link",
  },
  {
    rule: "kube-system is a namespace like any other, where no link leaves it out",
    service: exported("kube-system/dns"),
    mirror: "kube-system/dns-west",
  },
  {
    rule: "a Service labelled like the kubelet, to which the source's Prometheus would send its token, is left out",
    service: exported(
      "kube-system/kubelet",
      { labels: { "k8s-app": "kubelet", "app.kubernetes.io/name": "kubelet" } },
      { ports: [{ name: "https-metrics", port: 10250 }] },
    ),
    link: { excludedNamespaces },
    skip: "ExcludedNamespace: excludedNamespaces of link east/west names kube-system, as kube-*: remove the Service's label, or set excludedNamespaces without that",
  },
  ...["linkerd", "linkerd-multicluster", "linkerd-viz", "linkerd-jaeger"].map((own) => ({
    rule: `Linkerd's own namespace ${own} is left out`,
    service: exported(`${own}/web`, { labels: viaDiscovery }),
    link: { excludedNamespaces },
    skip: `ExcludedNamespace: excludedNamespaces of link east/west names ${own}: remove the Service's label, or set excludedNamespaces without that`,
  })),
  {
    rule: "a namespace that only begins like one of Linkerd's is not left out",
    service: exported("linkerd-demo/web"),
    link: { excludedNamespaces },
    mirror: "linkerd-demo/web-west",
  },
  {
    rule: "a namespace that the link does not name is left out, headless Services too",
    service: headless("shop/db"),
    link: { namespaces: ["sho", "team-*"] },
    skip: "ExcludedNamespace: namespaces of link east/west does not name shop: remove the Service's label, or add the namespace there",
  },
  {
    rule: "a namespace that is named by its beginning is not",
    service: exported("team-a/web"),
    link: { namespaces: ["sho", "team-*"] },
    mirror: "team-a/web-west",
  },
  {
    rule: "a namespace that is both named and excluded is left out",
    service: exported("team-a/web"),
    link: { namespaces: ["team-a"], excludedNamespaces: ["team-*"] },
    skip: "ExcludedNamespace: excludedNamespaces of link east/west names team-a, as team-*: remove the Service's label, or set excludedNamespaces without that",
  },
  {
    rule: "what else is wrong with a Service of a namespace that is left out is beside the point",
    service: exported("shop/web", {}, { ports: [] }),
    namespaces: [],
    link: { namespaces: ["team"] },
    skip: "ExcludedNamespace: namespaces of link east/west does not name shop: remove the Service's label, or add the namespace there",
  },
  {
    rule: "of several obstacles the first in the list is told",
    service: exported(`shop/${tooLong}`, {}, { type: "ExternalName", ports: [] }),
    namespaces: [],
    skip: "ExternalName: an ExternalName Service is an alias in DNS: export the Service it stands for",
  },
];

describe("what can be mirrored at all (linkerd-behaviour.md 2.2, 2.3, 2.16)", () => {
  for (const { rule, service, namespaces, link = {}, mirror, skip } of rows)
    it(rule, () => {
      const target = cluster("west", { services: [service] });
      const { namespace: ns, name } = service.metadata;
      const source = cluster("east", { namespaces: namespaces ?? [ns] });
      const { mirrors, skips } = wanted({ target, source, link });
      assert.deepEqual(
        mirrors.map((one) => `${one.namespace}/${one.name}`),
        mirror === undefined ? [] : [mirror],
      );
      assert.deepEqual(
        skips.map(({ reason, sentence, ...about }) => ({
          ...about,
          why: `${reason}: ${sentence}`,
        })),
        skip === undefined ? [] : [{ origin: `${ns}/${name}`, mirror: `${name}-west`, why: skip }],
      );
    });

  it("of Services in a namespace that is left out nothing is said where the selector names no label", () => {
    const target = cluster("west", { services: [service("kube-system/dns"), service("shop/web")] });
    const { mirrors, skips } = wanted({
      target,
      link: {
        excludedNamespaces,
        selector: { matchExpressions: [{ key: "private", operator: "DoesNotExist" }] },
      },
    });
    assert.deepEqual([mirrors.map(({ name }) => name), skips], [["web-west"], []]);
  });

  it("of Services without an export label nothing is said", () => {
    const labels = { "mirror.linkerd.io/exported": "false" };
    const target = cluster("west", { services: [exported("shop/web", { labels }, { ports: [] })] });
    assert.deepEqual(wanted({ target }), { mirrors: [], skips: [], missing: {} });
  });
});
