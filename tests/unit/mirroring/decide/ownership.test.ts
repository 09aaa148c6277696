import { deepEqual, equal } from "node:assert/strict";
import { unwritable } from "../../../../engine/mirroring/decide/policies/collisions.ts";
import { noneFreed } from "../../../../engine/mirroring/decide/policies/freed-names.ts";
import { type Authority, fateOf } from "../../../../engine/mirroring/decide/policies/ownership.ts";
import type { Mirror } from "../../../../engine/model/mirror.ts";
import { mirrorsOf } from "../../../../engine/model/owner.ts";
import type {
  Endpoints,
  Service,
  StringMap,
} from "../../../../engine/kubernetes/objects/objects.ts";
import { edited, withLabels } from "../../fixtures/edited.ts";
import { west } from "../../fixtures/link.ts";
import { confirmed, confirmedBy, ourManager, stack } from "../../fixtures/marks.ts";
import {
  cluster,
  endpoints,
  exported,
  headless,
  http,
  pods,
  service,
} from "../../fixtures/objects.ts";
import { actions, planned, reconciled, skipped, told } from "../../fixtures/reconcile.ts";

const other = "acme/mesh/other";
const mirrored = { "mirror.linkerd.io/mirrored-service": "true" };
const of = (name: string) => ({ "mirror.linkerd.io/cluster-name": name });
const probe = { "mirror.linkerd.io/mirrored-gateway": "true" };
const ours: StringMap = { ...mirrored, ...of("west") };
const going = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const [web, nothing] = [west([exported("shop/web")]), west()];
const at = "shop/web-west";
const east = (services: Service[] = [], endpoints: Endpoints[] = []) =>
  cluster("east", { services, endpoints });

const notOurs: Record<string, StringMap> = {
  "a foreign Service": {},
  "another link's mirror": { ...ours, ...of("north") },
  "a mirror that somebody took the mirrored label off": of("west"),
  "a mirror with the mirrored label set to something else": {
    ...ours,
    "mirror.linkerd.io/mirrored-service": "false",
  },
  "a mirror that somebody took the cluster off": mirrored,
  "Linkerd's probe of the gateway": { ...ours, ...probe },
};

describe("objects that this link doesn't own", () => {
  for (const [what, labels] of Object.entries(notOurs))
    it(`are neither changed nor deleted, and keep Endpoints labelled as ours: ${what}`, () => {
      const live = service(at, { labels });
      equal(mirrorsOf("west").owns(live), false);
      for (const source of [east([live]), east([live], [endpoints(at, [], { labels: ours })])]) {
        const plan = planned({ target: web, source });
        deepEqual([plan.changes, plan.mirrors, skipped(plan)], [[], {}, ["NotOurs shop/web"]]);
        const left = planned({ target: nothing, source });
        deepEqual([left.changes, left.skips], [[], []]);
      }
    });

  it("aren't deleted: foreign Endpoints of a mirror that must go", () => {
    const source = east([service(at, { labels: ours })], [endpoints(at, [pods([""])])]);
    deepEqual(
      planned({ target: nothing, source }).changes.map(({ verdict, live }) => [
        verdict,
        live.endpoints,
      ]),
      [["delete", undefined]],
    );
  });

  const removeFinalizer = {
    cluster: "east",
    kubectl: `--namespace shop patch service web-west --type merge --patch '{"metadata":{"finalizers":null}}'`,
  };
  const inTheWay: [source: ReturnType<typeof east>, sentence: string][] = [
    [
      east([], [endpoints(at)]),
      "NotOurs shop/web: east already has a foreign Endpoints shop/web-west: rename or delete it, or rename what is exported",
    ],
    [
      east([service(at, { labels: of("north") })]),
      "NotOurs shop/web: east already has a foreign Service shop/web-west: rename or delete it, or rename what is exported",
    ],
    [
      east([service(at, { labels: mirrored })]),
      "NotOurs shop/web: east already has a foreign Service shop/web-west: rename or delete it, or rename what is exported",
    ],
    [
      east([service(at, { labels: { ...ours, ...of("north") } })]),
      "NotOurs shop/web: east already has cluster north's mirror, the Service shop/web-west: rename or delete it, or rename what is exported",
    ],
    [
      east([service(at, { labels: ours, ...going })]),
      "BeingDeleted shop/web: the Service shop/web-west on east is being deleted, but a finalizer keeps it: remove the finalizer and run again",
    ],
  ];
  for (const [source, sentence] of inTheWay)
    it(`are reported if in the way, and left alone: ${sentence.split(":")[1] ?? ""}`, () => {
      const plan = planned({ target: web, source });
      deepEqual([told(plan), plan.changes], [[sentence], []]);
      const isHeld = sentence.startsWith("BeingDeleted");
      deepEqual(plan.skips[0]?.fix, isHeld ? removeFinalizer : undefined);
    });
});

describe("a live mirror that no link wants", () => {
  const marked = {
    "this stack": confirmed(ourManager, service(at, { labels: ours })),
    "another stack": confirmedBy(other, service(at, { labels: ours })),
    both: confirmedBy(other, confirmed(ourManager, service(at, { labels: ours }))),
    nobody: service(at, { labels: ours }),
  };
  const covering = { names: [stack], covers: () => true, deletesUnmarked: true };
  const left = { verdict: "handOver" } as const;
  const others = { ...left, keeper: `stack ${other}` };
  const rows: [by: keyof typeof marked, authority: Authority, fate: ReturnType<typeof fateOf>][] = [
    ["this stack", { ...covering, covers: () => false }, { verdict: "delete" }],
    ["another stack", covering, others],
    ["both", covering, { ...others, mark: "release" }],
    ["nobody", covering, { verdict: "delete" }],
    ["nobody", { ...covering, covers: () => false }, left],
    ["nobody", { ...covering, deletesUnmarked: false }, left],
    ["this stack", { ...covering, successor: "c" }, { ...left, keeper: "c", mark: "release" }],
    ["nobody", { ...covering, successor: "c" }, { ...left, keeper: "c" }],
  ];
  for (const [by, authority, fate] of rows)
    it(`of ${by}: ${JSON.stringify(fate)}`, () => {
      deepEqual(fateOf({ service: marked[by] }, authority), fate);
    });

  it("has no mark to release once only its Endpoints are there", () => {
    const alone = confirmed(ourManager, endpoints(at, [], { labels: ours }));
    deepEqual(fateOf({ endpoints: alone }, { ...covering, successor: "c" }), {
      ...left,
      keeper: "c",
    });
  });
});

describe("a wanted mirror that another stack has marked", () => {
  const mirror: Mirror = {
    kind: "gateway",
    namespace: "shop",
    name: "web-west",
    origin: "shop/web",
    labels: ours,
    annotations: {},
    ports: [http],
  };
  const refusals = (live: Service, wanted = mirror) =>
    unwritable([wanted], east([live]), mirrorsOf("west"), noneFreed, [stack]).map(({ fix }) => fix);
  const live = service(at, { labels: ours });

  it("is not written, and the fix names the stacks to adopt it from", () => {
    const two = confirmedBy("acme/mesh/third", confirmedBy(other, live));
    deepEqual(refusals(two), ["adoptFrom: [acme/mesh/other, acme/mesh/third]"]);
  });

  it("has no fix if a mark of an earlier version lacks the organization", () => {
    deepEqual(refusals(confirmedBy("mesh/old", confirmedBy(other, live))), [undefined]);
  });

  it("is written if this stack has marked it too, unless it must be replaced", () => {
    const both = confirmedBy(other, confirmed(ourManager, live));
    deepEqual(refusals(both), []);
    deepEqual(refusals(both, { ...mirror, kind: "headless" }), [`adoptFrom: [${other}]`]);
  });
});

it("skips the pods of a headless Service if a foreign Service has its mirror's name", () => {
  const target = west([headless("shop/db")], [endpoints("shop/db", [pods(["db-0"])])]);
  const plan = planned({ target, source: east([service("shop/db-west")]) });
  deepEqual([plan.changes, skipped(plan)], [[], ["NotOurs shop/db"]]);
});

describe("a mirror that is being deleted", () => {
  it("is listed while a finalizer holds it, and not deleted again", () => {
    const source = east([service(at, { labels: ours, ...going })]);
    deepEqual(Object.keys(planned({ target: web, source }).mirrors), [at]);
    deepEqual(planned({ target: nothing, source }).changes, []);
  });

  it("keeps its pods' mirrors as long as it is wanted", () => {
    const target = west([headless("shop/db")], [endpoints("shop/db", [pods(["db-0"])])]);
    const source = edited(reconciled({ target }), "shop/db-west", {
      service: ({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, ...going } }),
    });
    const { changes, mirrors } = planned({ target, source });
    deepEqual([changes, Object.keys(mirrors)], [[], ["shop/db-0-west", "shop/db-west"]]);
  });
});

it("leaves a foreign endpoint mirror alone, and its headless mirror names the other pods", () => {
  const target = west([headless("shop/db")], [endpoints("shop/db", [pods(["db-0", "db-1"])])]);
  const unlabelled = withLabels({ "mirror.linkerd.io/mirrored-service": undefined });
  const source = edited(reconciled({ target }), "shop/db-1-west", { service: unlabelled });
  const plan = planned({ target, source });
  deepEqual(actions(plan), ["update headless shop/db-west"]);
  deepEqual(skipped(plan), ["NotOurs shop/db pod db-1"]);
  const after = reconciled({ target, source });
  deepEqual(after.services, source.services);
  deepEqual(
    after.endpoints.get("shop/db-west")?.subsets?.flatMap(({ addresses = [] }) => addresses),
    [{ hostname: "db-0", ip: "10.96.0.1" }],
  );
});
