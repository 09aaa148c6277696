import assert from "node:assert/strict";
import { desired } from "../../../../engine/mirroring/decide/mirrors/link-mirrors.ts";
import { desiredFederated } from "../../../../engine/mirroring/decide/mirrors/federated.ts";
import type { LabelSelector, LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import { takenLabels } from "../../../../engine/mirroring/model/taken-labels.ts";
import type { StringMap } from "../../../../engine/kubernetes/objects/objects.ts";
import { known, link } from "../../fixtures/link.ts";
import { cluster, now, service } from "../../fixtures/objects.ts";

const exported = (value: string): StringMap => ({ "mirror.linkerd.io/exported": value });
const federated = (value: string): StringMap => ({ "mirror.linkerd.io/federated": value });
const slip = (is: string, meant: string) =>
  `it is labelled ${is}, and links take ${meant}: correct the label, or remove it`;

const noNews: readonly string[] = [];
const anyValue: LabelSelector = {
  matchExpressions: [{ key: "mirror.linkerd.io/exported", operator: "Exists" }],
};
const team = (name: string): LabelSelector => ({ matchLabels: { team: name } });
const flat: Partial<LinkSpec> = { gateway: false, selector: {} };
const unheard = "it is labelled mirror.linkerd.io/exported=true and this link has no gateway";

/** What a link tells of a Service, and what its federated Services do, with other links of the stack. */
const rows: readonly (readonly [
  rule: string,
  labels: StringMap,
  told: readonly string[],
  own?: Partial<LinkSpec>,
  others?: readonly Partial<LinkSpec>[],
])[] = [
  ["an absent label is none", { app: "web" }, noNews],
  ["false asks for nothing", { ...exported("false"), ...federated("false") }, noNews],
  [
    "a value near one that is taken is told with that",
    exported("True"),
    [slip("mirror.linkerd.io/exported=True", "mirror.linkerd.io/exported=true")],
  ],
  [
    "also one of federated Services, of a Service that is mirrored too",
    { ...exported("true"), ...federated("memeber") },
    [slip("mirror.linkerd.io/federated=memeber", "mirror.linkerd.io/federated=member")],
  ],
  ["a value that is near none is somebody's own", exported("internal"), noNews],
  [
    "the usual label is no slip where the selectors are one's own",
    exported("true"),
    noNews,
    {
      ...{ selector: team("payments"), remoteDiscoverySelector: {} },
    },
  ],
  [
    "a value of one's own selector may be mistyped as well",
    { team: "paymnets" },
    [slip("team=paymnets", "team=payments")],
    { selector: team("payments") },
  ],
  [
    "what another link of the stack takes is no slip",
    { team: "b-2" },
    noNews,
    {
      selector: team("b-1"),
    },
    [{ selector: team("b-2") }],
  ],
  [
    "nor is any value where another link takes them all",
    exported("tru"),
    noNews,
    {},
    [{ selector: anyValue }],
  ],
  [
    "a mirror's label is no request",
    { ...exported("tru"), "mirror.linkerd.io/mirrored-service": "true" },
    noNews,
  ],
  [
    "a key that every object inherits is none",
    {},
    noNews,
    {
      selector: { matchLabels: { constructor: "web" } },
    },
  ],
  [
    "the usual label is told where no link of the stack has a gateway",
    exported("true"),
    [`${unheard}: label it remote-discovery, or give the link a gateway`],
    flat,
    [{ gateway: false }],
  ],
  ["and is not where one has", exported("true"), noNews, flat, [{}]],
];

describe("a label that is likely a slip of the pen", () => {
  for (const [rule, labels, told, own, others = []] of rows)
    it(rule, () => {
      const spec = link(own);
      const taken = takenLabels([spec, ...others.map(link)]);
      const source = cluster("east", { namespaces: ["shop"] });
      const target = cluster("west", { services: [service("shop/web", { labels })] });
      const views = { link: spec, source, target, gateway: known(), now, taken };
      const { skips } = desired(views);
      const union = desiredFederated({
        ...{ source, retired: [], taken },
        links: [{ link: spec, target, created: undefined }],
      });
      const sentences = [...skips, ...union.skips].map(({ sentence }) => sentence);
      assert.deepEqual(sentences, told);
    });

  it("is told of the source's own Services too, for federated ones", () => {
    const wrong = { labels: federated("memeber") };
    const source = cluster("east", { services: [service("shop/web", wrong)] });
    const target = cluster("west", { services: [service("shop/api", wrong)] });
    const { mirrors, skips } = desiredFederated({
      source,
      links: [
        { link: link(), target, created: undefined },
        { link: link({ target: "north" }), target: undefined, created: undefined },
      ],
      retired: [],
      taken: takenLabels([link()]),
    });
    assert.deepEqual(mirrors, []);
    const sentence = slip(
      "mirror.linkerd.io/federated=memeber",
      "mirror.linkerd.io/federated=member",
    );
    assert.deepEqual(skips, [
      {
        ...{ origin: "shop/web", cluster: "east", mirror: "web-federated" },
        ...{ reason: "NotSelected", sentence },
      },
      {
        ...{ origin: "shop/api", cluster: "west", mirror: "api-federated" },
        ...{ reason: "NotSelected", sentence },
      },
    ]);
  });
});
