import { deepEqual } from "node:assert/strict";
import { unwritable } from "../../../../engine/mirroring/decide/policies/collisions.ts";
import { noneFreed } from "../../../../engine/mirroring/decide/policies/freed-names.ts";
import { type Authority, fateOf } from "../../../../engine/mirroring/decide/policies/ownership.ts";
import type { Mirror } from "../../../../engine/model/mirror.ts";
import { mirrorsOf, ownerLabels } from "../../../../engine/model/owner.ts";
import type { Service } from "../../../../engine/kubernetes/objects/objects.ts";
import { confirmed, confirmedBy, ourManager, stack } from "../../fixtures/marks.ts";
import { cluster, endpoints, http, service } from "../../fixtures/objects.ts";
import { west } from "../../fixtures/link.ts";
import { planned } from "../../fixtures/reconcile.ts";
import { testScenarios } from "../../fixtures/scenario.ts";

const other = "acme/mesh/other";
const ours = ownerLabels("west");
const at = "shop/web-west";
const alone = "shop/web-west(endpoints of=west)";

describe("objects that this link doesn't own", () => {
  for (const [what, words] of [
    ["a foreign Service", "plain"],
    ["another link's mirror", "of=north"],
    [
      "a mirror that somebody took the mirrored label off",
      "plain mirror.linkerd.io/cluster-name=west",
    ],
    ["a mirror with the mirrored label set to something else", "of=west mirrored=false"],
    ["a mirror that somebody took the cluster off", "plain mirrored=true"],
    ["Linkerd's probe of the gateway", "of=west mirror.linkerd.io/mirrored-gateway=true"],
  ] as const)
    for (const more of ["", ` ${alone}`])
      testScenarios(`
# are neither changed nor deleted, and keep Endpoints labelled as ours: ${what}${more}
west: shop/web; east: shop/web-west(${words})${more}
! NotOurs shop/web
west: nothing
none
`);

  const inTheWay = "rename or delete it, or rename what is exported";
  testScenarios(`
# aren't deleted: foreign Endpoints of a mirror that must go
west: nothing; east: shop/web-west(of=west) shop/web-west(endpoints _)
- gateway shop/web-west
east: shop/web-west(plain)
none
# are reported if in the way: foreign Endpoints
west: shop/web; east: shop/web-west(endpoints)
! NotOurs shop/web: east already has a foreign Endpoints shop/web-west: ${inTheWay}
# are reported if in the way: a foreign Service
west: shop/web; east: shop/web-west(plain mirrored=true)
! NotOurs shop/web: east already has a foreign Service shop/web-west: ${inTheWay}
# are reported if in the way: a Service that only names a cluster
west: shop/web; east: shop/web-west(plain mirror.linkerd.io/cluster-name=north)
! NotOurs shop/web: east already has a foreign Service shop/web-west: ${inTheWay}
# are reported if in the way: another cluster's mirror
west: shop/web; east: shop/web-west(of=north)
! NotOurs shop/web: east already has cluster north's mirror, the Service shop/web-west: ${inTheWay}
# are reported if in the way: another stack's mirror, which stays as it is
west: shop/web
+ gateway shop/web-west
edit shop/web-west: unmarked
edit shop/web-west: by acme/mesh/other
edit shop/web-west: { spec: { ports: [{ port: 1 }] } }
! NotOurs shop/web: stack acme/mesh/other owns the mirror east/shop/web-west: remove its link or its namespace from one of the two stacks, or set adoptFrom on the link to take it over | adoptFrom: [acme/mesh/other]
/ gateway shop/web-west: stack acme/mesh/other
# are reported if in the way: a mirror that a finalizer keeps, which is listed and not deleted again
west: shop/web; east: shop/web-west(of=west going)
! BeingDeleted shop/web: the Service shop/web-west on east is being deleted, but a finalizer keeps it: remove the finalizer and run again | east: kubectl --namespace shop patch service web-west --type merge --patch '{"metadata":{"finalizers":null}}'
= shop/web-west: gateway mirror
west: nothing
none
# skip the pods of a headless Service if one has its mirror's name
west: shop/db(headless db-0); east: shop/db-west(plain)
! NotOurs shop/db
# include an endpoint mirror, and its headless mirror names the other pods
west: shop/db(headless db-0 db-1)
+ headless shop/db-west, endpoint shop/db-0-west, endpoint shop/db-1-west
edit shop/db-1-west: { metadata: { labels: { mirror.linkerd.io/mirrored-service: null } } }
~ headless shop/db-west: endpoints: db-1@10.96.0.2 (http 8080/TCP) → none
! NotOurs shop/db pod db-1
# keep their pods' mirrors as long as they are wanted, while they are being deleted
west: shop/db(headless db-0)
+ headless shop/db-west, endpoint shop/db-0-west
edit shop/db-west: { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }
! BeingDeleted shop/db
= shop/db-west: headless mirror of db
= shop/db-0-west: endpoint mirror of db-0.db
`);
});

it("a deletion leaves out foreign Endpoints of the mirror's name", () => {
  const source = cluster("east", {
    services: [service(at, { labels: ours })],
    endpoints: [endpoints(at)],
  });
  const { changes } = planned({ target: west(), source });
  deepEqual(
    changes.map(({ verdict, live }) => [verdict, live.endpoints]),
    [["delete", undefined]],
  );
});

describe("a live mirror that no link wants", () => {
  const marked = {
    "this stack": confirmed(ourManager, service(at, { labels: ours })),
    "another stack": confirmedBy(other, service(at, { labels: ours })),
    both: confirmedBy(other, confirmed(ourManager, service(at, { labels: ours }))),
    nobody: service(at, { labels: ours }),
  };
  const covering = { names: [stack], takes: [stack], covers: () => true, deletesUnmarked: true };
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

describe("an unmarked mirror that no link wants", () => {
  const stays = `/ gateway shop/old-west: nobody
> east → west: 1 mirror stays, because they carry no stack's mark, so they may belong to somebody else; delete them if they are no longer needed: kubectl --context east --namespace shop delete service old-west (shop/old-west)`;
  testScenarios(`
west: nothing; east: shop/old-west(of=west)
# is deleted if its link covers the namespace
- gateway shop/old-west
# stays if its link covers other namespaces
link west: { namespaces: [team-a] }
${stays}
# stays if a controller of the link exists, even scaled to zero
controllers: west 0
${stays}
`);
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
    unwritable([wanted], cluster("east", { services: [live] }), mirrorsOf("west"), noneFreed, [
      stack,
    ]).map(({ fix }) => fix);
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
