import { testScenarios } from "../../fixtures/scenario.ts";

const key = "shop/web-failover-80";
const split = "config: { traffic: { shop/web: { local: 90, west: 10 } } }";
const set = `west: shop/web; east: shop/web(plain); ${split}`;
const first = `${set}
+ gateway shop/web-west
+ route ${key}: web 90, web-west 10`;

describe("traffic of a Service", () => {
  testScenarios(`
# is split by the weights
${first}
= ${key}: split of web:80: web 90, web-west 10
again
none
# changes with the weights in the route that it has
${first}
config: { traffic: { shop/web: { local: 50, west: 50 } } }
~ route ${key}: web 50, web-west 50
* ${key}: split of web:80: web 90, web-west 10 → split of web:80: web 50, web-west 50
# becomes a failover, and a split again, in the same route
${first}
config: { traffic: null, failover: { shop/web: [local, west] } }
~ route ${key}: web 1000000, web-west 1
config: { failover: null }; ${split}
~ route ${key}: web 90, web-west 10
# stays as it is once no weight leads away
${first}
config: { traffic: { shop/web: { local: 90, west: 0 } } }
- route ${key}: web 90, web-west 10
# isn't lost to backends without weight where a mirror is gone
west: shop/web; north: nothing; east: shop/web(plain); config: { traffic: { shop/web: { local: 0, west: 0, north: 5 } } }
+ gateway shop/web-west
! failover shop/web: east has no mirror of it from north, so its requests don't go to north: export it there
# ends with its key
${first}
config: { traffic: null }
- route ${key}
again
none
# is left to a route of the user's, and needs another name than failover in the message
httproute shop/mine: shop/web
${set}
+ gateway shop/web-west
! failover shop/web: httproutes.policy.linkerd.io shop/mine on east already routes its requests, and the two routes would conflict: delete it, or remove shop/web from traffic
# names a cluster without ready pods, and whether its requests fail
west: shop/web(listed); link west: { headless: true }; east: shop/web(plain _); ${split}
+ gateway shop/web-west
+ route ${key}: web 90, web-west 10
! failover shop/web: no pod of it is ready in west, and the requests that go there fail: set readiness: follow on the link, or take west out
link west: { readiness: follow }
~ gateway shop/web-west
! failover shop/web: no pod of it is ready in west, and the other clusters get its requests
`);
});

const drained = (...names: string[]) => `config: { drained: [${names.join(", ")}] }`;
const routed = `west: shop/web; north: shop/web(flat); east: shop/web(plain)
config: { failover: { shop/web: [local, west, north] } }
+ gateway shop/web-west, discovery shop/web-north
+ route ${key}: web 1000000, web-west 1000, web-north 1`;

describe("a drained cluster", () => {
  testScenarios(`
# is in no route, and its mirrors stay; it returns with the end of the drain
${routed}
${drained("west")}
~ route ${key}: web 1000000, web-north 1
> east: drain of west: 0 unavailable, 1 degraded
> east: shop/web: degraded, still served by east, north
again
none
> east: drain of west: no HTTPRoute and no federated Service of this stack sends requests there
config: { drained: null }
~ route ${key}: web 1000000, web-west 1000, web-north 1
# leaves a route while it is unreachable, and stays out
${routed}
west: unreachable; ${drained("west")}
~ route ${key}: web 1000000, web-north 1
again
none
# leaves the source's own pods, as its own clients
${routed}
${drained("east")}
~ route ${key}: web-west 1000000, web-north 1
> east: drain of east: 0 unavailable, 1 degraded
> east: shop/web: degraded, still served by west, north
# leaves nothing to route
${first}
${drained("west")}
- route ${key}: web 90, web-west 10
config: { drained: null }
+ route ${key}: web 90, web-west 10
# stays where nothing else serves, and fails the run
${routed}
${drained("west", "north", "east")}
? east: west, north, east can't be drained for shop/web, which would be unavailable: requests still go there until another cluster serves it
> east: drain of west, north, east: 1 unavailable, 0 degraded
> east: shop/web: unavailable
# stays where the others have no weight
west: shop/web; east: shop/web(plain); config: { traffic: { shop/web: { local: 0, west: 1 } } }
+ gateway shop/web-west
+ route ${key}: web 0, web-west 1
${drained("west")}
? east: west can't be drained for shop/web, which would be unavailable: requests still go there until another cluster serves it
# stays where the others have no ready pods, but doesn't return once they lose theirs
west: shop/web; east: shop/web(plain listed)
config: { failover: { shop/web: [local, west] } }
+ gateway shop/web-west
+ route ${key}: web 1000000, web-west 1
${drained("west")}
? east: west can't be drained for shop/web, which would be unavailable, since no pod is ready in east: requests still go there until another cluster serves it
east: shop/web(plain _)
- route ${key}
east: shop/web(plain listed)
none
# keeps its own pods in a new route, where the others have none that are ready
west: shop/web(listed); link west: { readiness: follow }; east: shop/web(plain _)
config: { failover: { shop/web: [local, west] }, drained: [east] }
+ gateway shop/web-west
+ route ${key}: web 1000000, web-west 1
? east: east can't be drained for shop/web, which would be unavailable, since no pod is ready in west
# still gets requests by the stack's own route beside a user's, and so fails the run
${routed}
httproute shop/mine: shop/web; ${drained("west")}
! failover shop/web
? east: west can't be drained: requests still go there by HTTPRoute ${key}, which this run leaves alone
> east: HTTPRoutes shop/web: httproutes.policy.linkerd.io shop/mine on east already routes its requests
> east: drain of west: requests still go there by HTTPRoute ${key}
# still gets requests by a route whose label somebody removed
${routed}
edit ${key}: { metadata: { labels: null } }; ${drained("west")}
/ route ${key}: web 1000000, web-west 1000, web-north 1
! failover shop/web
? east: west can't be drained: requests still go there by HTTPRoute ${key}, which this run leaves alone
# still gets requests by a route of another stack, as the preview says
${routed}
edit ${key}: { metadata: { managedFields: [{ manager: linkerd-multicluster/o/p/other }] } }; ${drained("west")}
! failover shop/web: httproutes.policy.linkerd.io ${key} of stack o/p/other on east already routes its requests, and the two routes would conflict: remove shop/web from the config of one of the two stacks
> east: HTTPRoutes shop/web: httproutes.policy.linkerd.io ${key} of stack o/p/other on east already routes its requests
> east: drain of west: requests still go there by HTTPRoute ${key}, which isn't this stack's
# may still get requests while routes can't be listed
${routed}
routes: unreachable; ${drained("west")}
? east: west can't be drained: whether HTTPRoutes send requests there is unknown
# may still get requests from a source that can't be read, unless an earlier run has drained it
${routed}
east: unreachable; ${drained("west")}
? east: west can't be drained yet: what east sends there is unknown until it can be read
# leaves the last cluster, whose pods are gone too
west: shop/web; east: shop/web(plain listed); config: { traffic: { shop/web: { local: 50, west: 50 } }, drained: [west] }
+ gateway shop/web-west
! failover shop/web: no pod of it is ready in east, and no other cluster gets its requests
# has no route of a Service that only drained clusters serve
west: shop/web; east: shop/web(plain)
config: { failover: { shop/web: [west] }, drained: [west] }
+ gateway shop/web-west
! failover shop/web: all of its clusters are drained, so its requests stay in east
`);
});

const federated = `west: shop/api(member); north: shop/api(member); east: shop/api(member)
+ federated shop/api-federated`;
const members = (...names: string[]) =>
  `= shop/api-federated: federated Service of ${names.join(", ")}`;

describe("a drained cluster's members of federated Services", () => {
  testScenarios(`
# leave, and return
${federated}
${drained("west")}
~ federated shop/api-federated
! Drained shop/api: west is drained: it joins once the config no longer says so
${members("api@north", "local api")}
> east: drain of west: 0 unavailable, 1 degraded
> east: shop/api-federated: degraded, still served by east, north
config: { drained: null }
~ federated shop/api-federated
${members("api@north", "api@west", "local api")}
# leave while the cluster is unreachable, and stay out
${federated}
west: unreachable; ${drained("west")}
~ federated shop/api-federated
${members("api@north", "local api")}
again
none
# leave the cluster's own federated Services
${federated}
${drained("east")}
~ federated shop/api-federated
! Drained shop/api
${members("api@west", "api@north")}
# never join
west: shop/api(member); east: shop/api(member); ${drained("west")}
+ federated shop/api-federated
! Drained shop/api
${members("local api")}
# stay if they are the last ones, and the run fails
west: shop/api(member)
+ federated shop/api-federated
${drained("west")}
? east: west can't be drained for shop/api-federated, which would be unavailable: requests still go there until another cluster serves it
${members("api@west")}
# stay if they are the last ones of a cluster that is unreachable
west: shop/api(member)
+ federated shop/api-federated
west: unreachable; ${drained("west")}
? east: west can't be drained for shop/api-federated, which would be unavailable
${members("api@west")}
# stay if only pods that aren't ready would be left
west: shop/api(member); east: shop/api(member listed)
+ federated shop/api-federated
${drained("west")}
? east: west can't be drained for shop/api-federated, which would be unavailable, since no pod is ready in east
# go with their exports like others
west: shop/api(member); north: shop/api(member)
+ federated shop/api-federated
west: nothing; ${drained("west")}
~ federated shop/api-federated
# stay where another stack has marked them too, which then are no last ones
west: shop/api(member); east: shop/api(fed=api@west by=acme/mesh/dev#west by=acme/other/prod#west)
${drained("west")}
! Drained shop/api
/ federated shop/api-federated: nobody, released
# go with their exports, also as the last ones
west: shop/api(member)
+ federated shop/api-federated
west: nothing; ${drained("west")}
- federated shop/api-federated
# leave although nothing else is decided about them
${federated}
east: shop/(going); ${drained("west")}
~ federated shop/api-federated
! Drained shop/api
! TerminatingNamespace shop/api
! TerminatingNamespace shop/api
${members("api@north", "local api")}
# leave in any number
west: ${many("member")}; east: ${many("member")}; link west: { maxDeletions: 0 }
${many("").replaceAll(/\S+/g, "+ federated $&-federated").replaceAll(" +", "\n+")}
${drained("west")}
${many("").replaceAll(/\S+/g, "~ federated $&-federated").replaceAll(" ~", "\n~")}
${many("").replaceAll(/\S+/g, "! Drained $&").replaceAll(" !", "\n!")}
`);
});

function many(word: string): string {
  const words = word === "" ? "" : `(${word})`;
  return Array.from({ length: 12 }, (_, index) => `demo/s${index}${words}`).join(" ");
}
