import { deepEqual } from "node:assert/strict";
import { argsFor, check } from "../../fixtures/checked.ts";
import { cluster, exported, exporting, type Meta, service } from "../../fixtures/objects.ts";
import { testScenarios } from "../../fixtures/scenario.ts";

const key = "shop/web-failover-80";
const own = "east: shop/web(plain)";
const failover = "config: { failover: { shop/web: [local, west, north] } }";
const stops = "config: { failover: null }";
const weights = "web 1000000, web-west 1000, web-north 1";
const set = `west: shop/web; north: shop/web(flat); ${own}; ${failover}`;
const mirrors = "+ gateway shop/web-west, discovery shop/web-north";
const first = `${set}
${mirrors}
+ route ${key}: ${weights}`;
const listed = `= ${key}: failover of web:80: web, then web-west, then web-north`;
const stays = "still sends requests there";
const unserved =
  "east does not serve httproutes.policy.linkerd.io in version v1beta3: install the chart linkerd-crds of Linkerd 2.18 or later there";
const alone =
  "it carries this stack's mark, but not this program's label, or another stack's mark too, so it is left alone: delete it if nothing else needs it";

describe("failover of a Service", () => {
  const routeOf = async (meta: Meta = {}) => {
    const args = argsFor(["west"], { failover: { "shop/web": ["local", "west"] } });
    const east = cluster("east", { services: [service("shop/web", meta)] });
    const { outcome } = await check({
      args,
      clusters: { east, west: exporting("west", [exported("shop/web")]) },
    });
    const [route] = outcome.outcome === "planned" ? outcome.decided.failover.routes : [];
    if (route?.verdict !== "create") throw new Error(route?.verdict);
    return route.wanted;
  };

  it("retries, and leaves retries to the Service's own annotations", async () => {
    const { metadata, spec } = await routeOf();
    deepEqual(metadata.annotations, { "retry.linkerd.io/http": "599" });
    deepEqual(spec.rules?.[0]?.matches, [{ path: { type: "PathPrefix", value: "/" } }]);
    const annotated = await routeOf({ annotations: { "retry.linkerd.io/http": "5xx" } });
    deepEqual(annotated.metadata.annotations, {});
  });

  testScenarios(`
# is a route to its own pods, and with a thousandth of the weight to each next cluster's
${first}
${listed}
again
none
${listed}
# follows the order of the list, also without the source's own pods
${set}; config: { failover: { shop/web: [north, west] } }
${mirrors}
+ route ${key}: web-north 1000000, web-west 1
config: { failover: { shop/web: [west] } }
~ route ${key}: web-west 1
# finds the mirror by its Service, whatever its name and namespace
${set}; link west: { names: "{target}-{service}", mirrorNamespaces: { shop: far } }; east: far/
+ gateway far/west-web, discovery shop/web-north
+ route ${key}: web 1000000, far/west-web 1000, web-north 1
# has a route for each TCP port that a mirror has too, to the mirrors that have it
${set}; west: shop/web(:http,81,dns); east: shop/web(plain :http,81,dns,82)
${mirrors}
+ route ${key}: ${weights}
+ route shop/web-failover-81: web 1000000, web-west 1
# reports a cluster that exports no such Service
${first}
west: shop/api shop/web-2
- gateway shop/web-west
+ gateway shop/api-west, gateway shop/web-2-west
~ route ${key}: web 1000000, web-north 1
! failover shop/web: east has no mirror of it from west, so its requests don't fail over to west: export it there
> east: HTTPRoutes shop/web: east has no mirror of it from west, so its requests don't fail over to west: export it there
# says why a cluster's export has no mirror
${first}
west: shop/web(@clusters="north")
- gateway shop/web-west
~ route ${key}: web 1000000, web-north 1
! NotListed shop/web
! failover shop/web: east has no mirror of it from west, so its requests don't fail over to west: its annotation linkerd-multicluster/clusters: "north" does not name east: add it there if it may import the Service
# leaves out a cluster that exports only a headless Service of the name
${first}
west: shop/web(headless web-0)
+ endpoint shop/web-0-west
± headless shop/web-west
~ route ${key}: web 1000000, web-north 1
! failover shop/web: east has no mirror of it from west
# reports a cluster that is revoked, which no export there would fix
${first}
unlink west; config: { revokedTargets: [west] }
- gateway shop/web-west
~ route ${key}: web 1000000, web-north 1
! failover shop/web: its requests don't fail over to west, which is revoked: take west out of its failover on east
# is not promised where nothing serves HTTPRoutes, even by a run that makes Links where their CRD is
routes: unserved; ${set}
${mirrors}
! failover shop/web: ${unserved}
? east: ${unserved}
ages: {}; config: { observedGateways: { west: { addresses: [192.0.2.10], port: 4143, identity: gateway.west } } }
! failover shop/web: ${unserved}
? east: ${unserved}
# is promised where this run may install the CRD
routes: unserved; ${set}; config: { observedGateways: { west: { addresses: [192.0.2.10], port: 4143, identity: gateway.west } } }
${mirrors}
+ route ${key}: ${weights}
# keeps the mirror of a cluster that can't be read
${first}
west: unreachable
none
${listed}
# is written again after somebody has changed it
${first}
edit ${key}: { spec: { rules: [] } }
~ route ${key}: ${weights}
edit ${key}: { metadata: { annotations: null } }
~ route ${key}: ${weights}
# is deleted in the next run after its key is removed, which then needs no right to list routes
${first}
${stops}
- route ${key}: ${weights}
again
none
routes: forbidden
none
# tells of a route that is unlisted, or missing
${first}
before: null
none
* ${key}: list: already there
* shop/web-west: list: already there
* shop/web-north: list: already there
routes: none
+ route ${key}
* ${key}: recreate: it is missing
* shop/web-west: list: already there
* shop/web-north: list: already there
# tells of an unlisted route that is deleted
${first}
before: null; before: { failedOver: [shop/web] }; ${stops}
- route ${key}
* ${key}: delete: no Service fails over by it
* shop/web-west: list: already there
* shop/web-north: list: already there
# tells of a listed route that is gone
${first}
routes: none; ${stops}
none
* ${key}: unlist: already deleted, or no longer this stack's
# goes with the port or the Service that the source no longer has
west: shop/web(:http,81) shop/api; east: shop/web(plain :http,81) shop/api(plain)
config: { failover: { shop/web: [local, west], shop/api: [local, west] } }
+ gateway shop/web-west, gateway shop/api-west
+ route shop/api-failover-80: api 1000000, api-west 1
+ route ${key}: web 1000000, web-west 1
+ route shop/web-failover-81: web 1000000, web-west 1
edit shop/api: gone
${own}
- route shop/api-failover-80: api 1000000, api-west 1
- route shop/web-failover-81: web 1000000, web-west 1
! failover shop/api: east has no Service shop/api: create it there, even without pods of its own
# keeps mirrors, which stay listed, while routes can't be listed
${first}
west: nothing; routes: forbidden
? east: 1 mirror of east can't be deleted, because an HTTPRoute of this stack may send requests there
= shop/web-west: gateway mirror of web
# is marked again for a renamed stack
${first}
config: { stack: acme/mesh/new }
~ route ${key}: ${weights}
✓ gateway shop/web-west
✓ discovery shop/web-north
# is left alone if another stack has made it
${first}
config: { stack: acme/mesh/new }; before: null
! failover shop/web: httproutes.policy.linkerd.io ${key} of stack acme/mesh/dev on east already routes its requests
! NotOurs shop/web
! NotOurs shop/web
/ gateway shop/web-west: stack acme/mesh/dev
/ discovery shop/web-north: stack acme/mesh/dev
${stops}
/ gateway shop/web-west: stack acme/mesh/dev
/ discovery shop/web-north: stack acme/mesh/dev
! NotOurs shop/web
! NotOurs shop/web
# isn't hindered by a route for clients of another namespace or for another Service
httproute clients/mine: shop/web
httproute shop/other: shop/api
grpcroute clients/mine: shop/web
grpcroute shop/other: shop/api
profile shop/api.shop.svc.cluster.local
profile clients/web.shop.svc.cluster.local
${first}
# doesn't take the name of somebody else's route
httproute ${key}:
${set}
${mirrors}
! failover shop/web: east already has a foreign HTTPRoute ${key}: rename or delete it
# keeps routes that can't be read for now
${first}
routes: server
none
${listed}
> east: HTTPRoutes stay as they are
# keeps routes that it lacks the right to read, and fails the run
${first}
routes: forbidden
? east: cluster east refuses to list services
${listed}
> east: HTTPRoutes stay as they are
`);

  for (const [what, spec] of [
    ["hostnames", '{ hostnames: ["other.example"] }'],
    ["a filter", "{ rules: [{ filters: [{ type: RequestRedirect }] }] }"],
    ["a time-out", "{ rules: [{ timeouts: { request: 1ms } }] }"],
    [
      "a method",
      "{ rules: [{ matches: [{ path: { type: PathPrefix, value: / }, method: GET }] }] }",
    ],
  ] as const)
    testScenarios(`
# is written again if somebody has given it ${what}
${first}
edit ${key}: { spec: ${spec} }
~ route ${key}: ${weights}
again
none
`);

  for (const [what, patch] of [
    ["has lost its label", "labels: null"],
    [
      "another stack has marked too",
      "managedFields: [{ manager: linkerd-multicluster/acme/mesh/dev }, { manager: linkerd-multicluster/o/p/other }]",
    ],
  ])
    testScenarios(`
# keeps the mirrors that a route names which ${what}, and says so until it is gone
${first}
edit ${key}: { metadata: { ${patch} } }
unlink west; ${stops}
/ route ${key}: ${weights}
? east: 1 mirror of east can't be deleted, because HTTPRoute ${key} ${stays} and is left alone: delete it (shop/web-west)
! failover ${key}: ${alone}
> east: HTTPRoutes ${key}: ${alone}
routes: none
- gateway shop/web-west
`);

  testScenarios(`
# keeps the mirror that a route names which is left alone, although another link would take it over
west: shop/web; north: nothing; ${own}; config: { failover: { shop/web: [local, west] } }
link west: { names: "{service}-remote" }; link north: { names: "{service}-remote" }
+ gateway shop/web-remote
+ route ${key}: web 1000000, web-remote 1
httproute shop/mine: shop/web; west: nothing; north: shop/web
! failover shop/web
? east: 1 mirror of east can't be deleted, because HTTPRoute ${key} ${stays} and is left alone
= shop/web-remote: gateway mirror of web: http 80→8080/TCP
`);

  for (const [what, line] of [
    ["httproutes.policy.linkerd.io shop/mine", "httproute shop/mine: shop/web"],
    ["grpcroutes.gateway.networking.k8s.io shop/mine", "grpcroute shop/mine: shop/web"],
    ["ServiceProfile shop/web.shop.svc.cluster.local", "profile shop/web.shop.svc.cluster.local"],
  ]) {
    const why = `! failover shop/web: ${what} on east already routes its requests, and the two routes would conflict: delete it, or remove shop/web from failover`;
    testScenarios(`
# is left to a ${what} of the user's
${line}
${set}
${mirrors}
${why}
# is left to a ${what} of the user's, and its route stays as it is
${first}
${line}
${why}
${listed}
`);
  }

  for (const [why, words] of [
    ["east has no Service shop/web: create it there, even without pods of its own", undefined],
    [
      "it has no ClusterIP on east, and Linkerd routes only requests to a ClusterIP",
      "plain noaddress",
    ],
    ["it has no ClusterIP on east, and Linkerd routes only requests to a ClusterIP", "alias"],
    [
      "it is a mirror on east, and only requests for east's own Services are routed",
      "plain mirrored=true",
    ],
  ] as const)
    testScenarios(`
# needs a Service of the source's own: ${why} (${words})
west: shop/web; north: shop/web(flat); ${failover}; east: shop/ ${words === undefined ? "" : `shop/web(${words})`}
${mirrors}
! failover shop/web: ${why}
`);
});
