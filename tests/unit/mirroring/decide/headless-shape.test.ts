import assert from "node:assert/strict";
import type { LinkSpec } from "../../../../engine/mirroring/model/link.ts";
import type { MirrorKind } from "../../../../engine/mirroring/model/mirror.ts";
import type { Endpoints, Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { noGateway, wanted } from "../../fixtures/link.ts";
import { cluster, endpoints, headless, pods, service } from "../../fixtures/objects.ts";

const ours = {
  "mirror.linkerd.io/cluster-name": "west",
  "mirror.linkerd.io/mirrored-service": "true",
};
const theirs = { ...ours, "mirror.linkerd.io/cluster-name": "north" };
const liveHeadless = service("shop/db-west", { labels: ours }, { clusterIP: "None" });
const liveClusterIP = service("shop/db-west", { labels: ours });

interface Row {
  readonly rule: string;
  readonly target?: readonly Endpoints[];
  readonly live?: Service;
  readonly link?: Partial<LinkSpec>;
  /** Kinds of the mirrors, or the reason for which there are none. */
  readonly becomes: readonly MirrorKind[] | "NoPods" | "TruncatedEndpoints";
}

const at = "shop/db" as const;
const over = { annotations: { "endpoints.kubernetes.io/over-capacity": "truncated" } };
const named = [endpoints(at, [pods(["db-0"])])];
const unnamed = [endpoints(at, [pods([""], [""])])];

const rows: Row[] = [
  { rule: "is headless with a named pod", target: named, becomes: ["headless", "endpoint"] },
  {
    rule: "is headless with a named pod in any subset",
    target: [endpoints(at, [pods([""]), pods(["db-0"])])],
    becomes: ["headless", "endpoint"],
  },
  {
    rule: "is headless with a named pod that is not ready",
    target: [endpoints(at, [pods([""], ["db-0"])])],
    link: { readiness: "follow" },
    becomes: ["headless"],
  },
  { rule: "has an address where no pod has a name", target: unnamed, becomes: ["gateway"] },
  {
    rule: "has an address where the link does not do headless mirrors",
    target: named,
    link: { headless: false },
    becomes: ["gateway"],
  },
  {
    rule: "[Q] becomes headless though it was not",
    target: named,
    live: liveClusterIP,
    becomes: ["headless", "endpoint"],
  },
  {
    rule: "[Q] gets an address though it was headless",
    target: unnamed,
    live: liveHeadless,
    becomes: ["gateway"],
  },
  {
    rule: "gets an address though it was headless, where the link no longer does headless mirrors",
    target: named,
    live: liveHeadless,
    link: { headless: false },
    becomes: ["gateway"],
  },
  { rule: "waits where there are no pods", target: [endpoints(at, [])], becomes: "NoPods" },
  { rule: "waits where there are no subsets", target: [endpoints(at)], becomes: "NoPods" },
  { rule: "waits where there are no Endpoints", becomes: "NoPods" },
  { rule: "stays headless without pods", live: liveHeadless, becomes: ["headless"] },
  {
    rule: "stays headless with no subsets",
    target: [endpoints(at, [])],
    live: liveHeadless,
    becomes: ["headless"],
  },
  { rule: "keeps its address without pods", live: liveClusterIP, becomes: ["gateway"] },
  {
    rule: "waits without pods though something foreign has its name",
    live: service("shop/db-west"),
    becomes: "NoPods",
  },
  {
    rule: "waits without pods though another cluster's mirror has its name",
    live: service("shop/db-west", { labels: theirs }, { clusterIP: "None" }),
    becomes: "NoPods",
  },
  {
    rule: "does not wait where the link does not do headless mirrors",
    link: { headless: false },
    becomes: ["gateway"],
  },
  {
    rule: "is not judged by Endpoints that name only some of its pods",
    target: [endpoints(at, [pods(["db-0"])], over)],
    becomes: "TruncatedEndpoints",
  },
  {
    rule: "has an address whatever number of unnamed pods there are",
    target: [endpoints(at, [pods([""])], over)],
    becomes: ["gateway"],
  },
  {
    rule: "is judged by Endpoints with a truncation that is over",
    target: [
      endpoints(at, [pods(["db-0"])], {
        annotations: { "endpoints.kubernetes.io/over-capacity": "" },
      }),
    ],
    becomes: ["headless", "endpoint"],
  },
];

describe("the mirror of a headless Service (linkerd-behaviour.md 3.1, 3.5)", () => {
  for (const { rule, target = [], live, link = {}, becomes } of rows)
    it(rule, () => {
      const { mirrors, skips } = wanted({
        target: cluster("west", { services: [headless(at)], endpoints: target }),
        source: cluster("east", {
          namespaces: ["shop"],
          services: live === undefined ? [] : [live],
        }),
        link,
      });
      const reasons = skips.map(({ reason }) => reason);
      if (typeof becomes === "string") assert.deepEqual([mirrors, reasons], [[], [becomes]]);
      else assert.deepEqual([mirrors.map(({ kind }) => kind), reasons], [becomes, []]);
    });

  it("says what it waits for", () => {
    const sentences = (objects: readonly Endpoints[]) =>
      wanted({
        target: cluster("west", { services: [headless(at)], endpoints: objects }),
      }).skips.map(({ sentence }) => sentence);
    assert.deepEqual(sentences([]), [
      "the headless Service shop/db has no pods on west yet, and whether they have names decides what its mirror is: run again when it has",
    ]);
    assert.deepEqual(sentences([endpoints(at, [pods(["db-0"])], over)]), [
      "the headless Service shop/db has more than 1,000 pods, of which its Endpoints name only the first: split it into several",
    ]);
  });

  it("is none where its pods times their ports are more than Endpoints may list", () => {
    const ports = Array.from({ length: 101 }, (_, n) => ({ name: `p${n}`, port: n + 1 }));
    const listing = (count: number) =>
      wanted({
        target: cluster("west", {
          services: [headless(at)],
          endpoints: [
            endpoints(at, [
              pods(
                Array.from({ length: count }, (_, n) => `db-${n}`),
                [],
                ports,
              ),
            ]),
          ],
        }),
      }).skips.map(({ reason, sentence }) => `${reason}: ${sentence}`);
    assert.deepEqual(listing(990), []);
    assert.deepEqual(listing(991), [
      "TooLarge: the Endpoints of the headless Service shop/db have 100,091 pairs of a pod and a port and those of a mirror at most 100,000: split it into several",
    ]);
  });

  it("waits for the gateway first", () => {
    const target = cluster("west", { services: [headless(at)], endpoints: named });
    assert.deepEqual(
      wanted({ target, gateway: noGateway }).skips.map(({ reason }) => reason),
      ["NoGateway"],
    );
  });
});
