import { deepEqual } from "node:assert/strict";
import { linkDefaults } from "../../../../engine/model/link.ts";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { type LinkScenario, wanted, west, nothingWanted } from "../../fixtures/link.ts";
import { cluster, exported, headless, namespace, service } from "../../fixtures/objects.ts";

/** The mirrors' names, which end in `-west`, have 63 and 64 characters. */
const longest = "w".repeat(58);
const tooLong = "w".repeat(59);
const { excludedNamespaces } = linkDefaults;
const mirrored = { "mirror.linkerd.io/mirrored-service": "true" };
const web = exported("shop/web");
const east = (...namespaces: Parameters<typeof namespace>[]) =>
  cluster("east", { namespaces: namespaces.map((one) => namespace(...one)) });
const going = east(["shop", { deletionTimestamp: "2026-01-01T00:00:00Z" }]);
const creating = { createNamespaces: true };

/** `a0=x`, `a1=x`, … */
const many = (count: number, length = 1, text = "x") =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, text.repeat(length)]));
const ports = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ name: `p${n}`, port: n + 1 }));

const isMirror =
  "IsMirror: it is a mirror itself on west; let the link's selectors leave mirrors out";
const noPorts =
  "NoPorts: it has no ports: give it at least one, which its mirror can then have too";
const missing =
  "MissingNamespace: east has no namespace shop: create it there, or set createNamespaces on the link";
const terminating =
  "TerminatingNamespace: the namespace shop is being deleted on east: run again when it is gone";
const unnamed =
  "ExcludedNamespace: namespaces of link east → west does not name shop: remove the Service's label, or add the namespace there";
const externalName =
  "ExternalName: an ExternalName Service is an alias in DNS: export the Service it stands for";

type Found = Partial<LinkScenario>;
const excluding: Found = { link: { excludedNamespaces } };
const naming: Found = { link: { namespaces: ["sho", "team-*"] } };
const both: Found = { link: { namespaces: ["team-a"], excludedNamespaces: ["team-*"] } };
const large = { labels: many(10), annotations: many(3, 15_000, "é") };

const mirroredOnes: [rule: string, service: Service, scenario?: Found][] = [
  ["an exported Service is, under its name and the target's", web],
  ["one of as many ports as it may have", exported("shop/web", {}, { ports: ports(100) })],
  ["one of as many labels as it may have", exported("shop/web", { labels: many(128) })],
  [
    "labels that stay behind do not count",
    exported("shop/web", { labels: many(129) }),
    { link: { excludedLabels: ["a0"] } },
  ],
  ["a mirror's name may have 63 characters", exported(`shop/${longest}`)],
  ["createNamespaces makes up for a missing namespace", web, { source: east(), link: creating }],
  [
    "kube-system is a namespace like any other, if no link leaves it out",
    exported("kube-system/dns"),
  ],
  [
    "one that only begins like one of Linkerd's is not left out",
    exported("linkerd-demo/web"),
    excluding,
  ],
  ["nor is one that is named by its beginning", exported("team-a/web"), naming],
];

/** `why`: the reason and the sentence. */
const skippedOnes: [rule: string, service: Service, why: string, scenario?: Found][] = [
  [
    "more ports than a mirror may have",
    exported("shop/web", {}, { ports: ports(101) }),
    "TooLarge: it has 101 ports and a mirror has at most 100: divide it into several Services",
  ],
  [
    "more labels than a mirror may have",
    exported("shop/web", { labels: many(129) }),
    "TooLarge: it has 129 labels and a mirror has at most 128: leave some out with excludedLabels on the link",
  ],
  [
    "more annotations than a mirror may have",
    exported("shop/web", { annotations: many(129) }),
    "TooLarge: it has 129 annotations and a mirror has at most 128: leave some out with excludedAnnotations on the link",
  ],
  [
    "labels and annotations that are longer than a mirror's may be",
    exported("shop/web", large),
    "TooLarge: its labels and annotations have 90,036 bytes and those of a mirror at most 65,536: leave some out with excludedLabels and excludedAnnotations on the link",
  ],
  [
    "a mirror, even if a selector matches it",
    exported("shop/web-x", { labels: mirrored }),
    isMirror,
  ],
  ["an alias in DNS", exported("shop/web", {}, { type: "ExternalName" }), externalName],
  ["a Service without ports", exported("shop/web", {}, { ports: [] }), noPorts],
  [
    "a mirror's name of 64 characters",
    exported(`shop/${tooLong}`),
    `NameTooLong: the mirror's name ${tooLong}-west has 64 characters and Kubernetes allows 63: shorten the name of the Service, the pod or the cluster, or set names on the link`,
  ],
  [
    "a mirror's name that does not begin with a letter",
    exported("shop/3web"),
    "InvalidName: the mirror's name 3web-west does not begin with a letter, as the name of a Service must in Kubernetes: rename the Service or its StatefulSet, or set names on the link",
  ],
  ["a missing namespace, which is not created unasked", web, missing, { source: east() }],
  ["a namespace on its way out", web, terminating, { source: going }],
  ["the same with createNamespaces", web, terminating, { source: going, link: creating }],
  ...["linkerd", "linkerd-multicluster", "linkerd-viz", "linkerd-jaeger"].map(
    (own): (typeof skippedOnes)[number] => [
      `one in Linkerd's own namespace ${own}`,
      exported(`${own}/web`),
      `ExcludedNamespace: excludedNamespaces of link east → west names ${own}: remove the Service's label, or set excludedNamespaces without that`,
      excluding,
    ],
  ),
  [
    "one labelled like the kubelet, to which the source's Prometheus would send its token",
    exported("kube-system/kubelet", { labels: { "k8s-app": "kubelet" } }),
    "ExcludedNamespace: excludedNamespaces of link east → west names kube-system, as kube-*: remove the Service's label, or set excludedNamespaces without that",
    excluding,
  ],
  [
    "a namespace that the link does not name, headless Services too",
    headless("shop/db"),
    unnamed,
    naming,
  ],
  [
    "a namespace that is both named and excluded",
    exported("team-a/web"),
    "ExcludedNamespace: excludedNamespaces of link east → west names team-a, as team-*: remove the Service's label, or set excludedNamespaces without that",
    both,
  ],
  [
    "of several obstacles the first",
    exported(`shop/${tooLong}`, { labels: mirrored }, { type: "ExternalName", ports: [] }),
    unnamed,
    { source: east(), ...naming },
  ],
];

describe("Services that can be mirrored (linkerd-behaviour.md 2.2, 2.3, 2.16)", () => {
  for (const [rule, service, scenario] of mirroredOnes)
    it(rule, () => {
      const { mirrors, skips } = wanted({ target: west([service]), ...scenario });
      const { namespace, name } = service.metadata;
      deepEqual(
        mirrors.map((one) => [one.namespace, one.name]),
        [[namespace, `${name}-west`]],
      );
      deepEqual(skips, []);
    });

  for (const [rule, service, why, scenario] of skippedOnes)
    it(`gives only a reason for ${rule}`, () => {
      const { mirrors, skips } = wanted({ target: west([service]), ...scenario });
      const { namespace, name } = service.metadata;
      const [reason, ...rest] = why.split(": ");
      const about = { origin: `${namespace}/${name}`, mirror: `${name}-west` };
      const kubectl = `create namespace ${namespace}`;
      const fix = reason === "MissingNamespace" ? { fix: { cluster: "east", kubectl } } : {};
      const skip = { ...about, reason, sentence: rest.join(": ") };
      deepEqual([mirrors, skips], [[], [Object.assign(skip, fix)]]);
    });

  it("have no reason in an excluded namespace if the selector matches unlabelled Services", () => {
    const target = west([service("kube-system/dns"), service("shop/web")]);
    const matchExpressions = [{ key: "private", operator: "DoesNotExist" as const }];
    const link = { excludedNamespaces, selector: { matchExpressions } };
    const { mirrors, skips } = wanted({ target, link });
    deepEqual([mirrors.map(({ name }) => name), skips], [["web-west"], []]);
  });

  it("have no reason without an export label", () => {
    const labels = { "mirror.linkerd.io/exported": "false" };
    const target = west([exported("shop/web", { labels }, { ports: [] })]);
    deepEqual(wanted({ target }), nothingWanted);
  });
});
