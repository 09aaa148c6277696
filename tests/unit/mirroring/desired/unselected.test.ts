import assert from "node:assert/strict";
import { desiredFederated } from "../../../../engine/mirroring/desired/federated.ts";
import {
  unselectedExport,
  unselectedMember,
} from "../../../../engine/mirroring/desired/unselected.ts";
import type { LabelSelector, LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { StringMap } from "../../../../engine/kubernetes/objects.ts";
import { link } from "../../fixtures/link.ts";
import { cluster, service } from "../../fixtures/objects.ts";

const exported = (value: string): StringMap => ({ "mirror.linkerd.io/exported": value });
const federated = (value: string): StringMap => ({ "mirror.linkerd.io/federated": value });
const slip = (is: string, wanted: string, whose = "this link") =>
  `it is labelled ${is}, and the selectors of ${whose} take ${wanted}: correct the label, or remove it`;

type Row = [
  rule: string,
  labels: StringMap,
  sentence: string | undefined,
  link?: Partial<LinkSpec>,
  elsewhere?: readonly LabelSelector[],
];

const team: LabelSelector = { matchLabels: { ...exported("true"), team: "a" } };
const open: LabelSelector = {
  matchExpressions: [{ key: "example.com/open", operator: "In", values: ["public", "partner"] }],
};
const flat: Partial<LinkSpec> = { gateway: false, selector: {} };

describe("a label of a Service that no link mirrors", () => {
  const rows: Row[] = [
    ["says nothing where it is absent", { app: "web" }, undefined],
    ["says nothing where it is false", exported("false"), undefined],
    [
      "is told with its value and the ones that are selected",
      exported("True"),
      slip(
        "mirror.linkerd.io/exported=True",
        "mirror.linkerd.io/exported=true or remote-discovery",
      ),
    ],
    [
      "is told for remote discovery, where the link has another selector",
      exported("remote-discovery"),
      slip("mirror.linkerd.io/exported=remote-discovery", "mirror.linkerd.io/exported=true"),
      { remoteDiscoverySelector: {} },
    ],
    [
      "is told what to do where the link has no gateway",
      exported("true"),
      "it is labelled mirror.linkerd.io/exported=true and this link has no gateway: label it remote-discovery, or give the link a gateway",
      flat,
    ],
    [
      "is told whatever its key is, if a selector names that",
      { "example.com/open": "pubic" },
      slip("example.com/open=pubic", "example.com/open=public or partner"),
      { selector: open },
    ],
    [
      "is none of the link's where no selector names its key",
      { "example.com/open": "x" },
      undefined,
    ],
    [
      "is told by the values that matter most, where there are many",
      { app: "g" },
      slip("app=g", "app=a or b or c or d or 2 more"),
      {
        selector: {
          matchExpressions: [
            { key: "app", operator: "In", values: ["a", "b", "c", "d", "e", "f"] },
          ],
        },
      },
    ],
    [
      "is no request where it is one of several that the selector names, and the others are absent",
      { team: "b" },
      undefined,
      { selector: team },
    ],
    [
      "is told where all of them are there and one differs",
      { ...exported("true"), team: "b" },
      slip("team=b", "team=a"),
      { selector: team },
    ],
    [
      "is told where it is Linkerd's own and another is missing",
      exported("true"),
      "it is labelled mirror.linkerd.io/exported=true, which the selectors of this link do not select: compare them with its labels",
      { selector: team },
    ],
    [
      "is told where it is Linkerd's own and no selector names it",
      exported("true"),
      "it is labelled mirror.linkerd.io/exported=true, which the selectors of this link do not select: compare them with its labels",
      { selector: open, remoteDiscoverySelector: {} },
    ],
    [
      "is no slip where selectors exclude a value, or take any",
      { app: "db", tier: "x" },
      undefined,
      {
        selector: { matchExpressions: [{ key: "app", operator: "NotIn", values: ["db"] }] },
        remoteDiscoverySelector: {
          matchExpressions: [
            { key: "tier", operator: "Exists" },
            { key: "app", operator: "DoesNotExist" },
          ],
        },
      },
    ],
    [
      "is heard where the selector of federated Services takes it",
      exported("federate"),
      undefined,
      { federatedServiceSelector: { matchLabels: exported("federate") } },
    ],
    [
      "is not a request on a mirror",
      { ...exported("yes"), "mirror.linkerd.io/mirrored-service": "true" },
      undefined,
    ],
    [
      "says nothing where another link of the stack selects it",
      exported("true"),
      undefined,
      flat,
      [{ matchLabels: exported("true") }],
    ],
    [
      "is told where no other link of the stack does either",
      exported("True"),
      slip("mirror.linkerd.io/exported=True", "mirror.linkerd.io/exported=remote-discovery"),
      flat,
      [{ matchLabels: exported("true") }],
    ],
  ];
  for (const [rule, labels, sentence, overrides, elsewhere] of rows)
    it(rule, () => {
      const asking = service("shop/web", { labels });
      assert.equal(unselectedExport(asking, link(overrides), elsewhere), sentence);
    });
});

describe("a label of a Service that joins no federated one", () => {
  const blue: LabelSelector = { matchLabels: federated("blue") };
  const rows: Row[] = [
    ["says nothing where it is absent or false", { app: "web", ...federated("false") }, undefined],
    ["says nothing where it is selected", federated("member"), undefined],
    [
      "is told with its value and the one that is selected",
      federated("memeber"),
      slip("mirror.linkerd.io/federated=memeber", "mirror.linkerd.io/federated=member"),
    ],
    [
      "is told also of a Service that is mirrored",
      { ...exported("true"), ...federated("memeber") },
      slip("mirror.linkerd.io/federated=memeber", "mirror.linkerd.io/federated=member"),
    ],
    [
      "is none of the link's where it federates nothing",
      federated("member"),
      undefined,
      { federatedServiceSelector: {} },
    ],
    [
      "is heard where the link mirrors by it",
      { "example.com/open": "public" },
      undefined,
      {
        selector: open,
        federatedServiceSelector: { matchLabels: { "example.com/open": "union" } },
      },
    ],
    [
      "says nothing where another link of the stack selects it",
      federated("blue"),
      undefined,
      {},
      [blue],
    ],
    [
      "is told where one that is wanted beside it is missing",
      federated("member"),
      "it is labelled mirror.linkerd.io/federated=member, which the selectors of this link do not select: compare them with its labels",
      { federatedServiceSelector: { matchLabels: { ...federated("member"), team: "a" } } },
    ],
  ];
  for (const [rule, labels, sentence, overrides, elsewhere = []] of rows)
    it(rule, () => {
      const why = unselectedMember([link(overrides)], "this link", elsewhere);
      assert.equal(why(service("shop/web", { labels })), sentence);
    });

  it("is told of each cluster's Services, those of the source itself included, and not of mirrors", () => {
    const wrong = { labels: federated("memeber") };
    const mirror = { ...wrong.labels, "mirror.linkerd.io/mirrored-service": "true" };
    const source = cluster("east", {
      services: [service("shop/web", wrong), service("shop/web-west", { labels: mirror })],
    });
    const target = cluster("west", { services: [service("shop/api", wrong)] });
    const { mirrors, skips } = desiredFederated({
      source,
      links: [
        { link: link(), target, created: undefined },
        { link: link({ target: "north" }), target: undefined, created: undefined },
      ],
      retired: [],
    });
    assert.deepEqual(mirrors, []);
    const [is, wanted] = [
      "mirror.linkerd.io/federated=memeber",
      "mirror.linkerd.io/federated=member",
    ];
    assert.deepEqual(skips, [
      {
        ...{ origin: "shop/web", cluster: "east", mirror: "web-federated" },
        ...{ reason: "NotSelected", sentence: slip(is, wanted, "the links into east") },
      },
      {
        ...{ origin: "shop/api", cluster: "west", mirror: "api-federated" },
        ...{ reason: "NotSelected", sentence: slip(is, wanted) },
      },
    ]);
  });
});
