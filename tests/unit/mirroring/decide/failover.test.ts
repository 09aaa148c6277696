import { deepEqual, match } from "node:assert/strict";
import type { ObjectKey } from "../../../../engine/kubernetes/objects/objects.ts";
import type { HttpRoute } from "../../../../engine/kubernetes/objects/route-resource.ts";
import type { ClusterSnapshot } from "../../../../engine/model/snapshot.ts";
import { profileAsRoute } from "../../../../engine/reading/linkerd.ts";
import { noRoutes } from "../../../../engine/model/route.ts";
import { managerOf } from "../../../../engine/model/marks.ts";
import { alias, argsFor, run } from "../../fixtures/checked.ts";
import { decided, lines, order, own, routesAfter, scenario } from "../../fixtures/failover.ts";
import {
  cluster,
  endpoints,
  exported,
  exporting,
  flat,
  headless,
  http,
  pods,
  service,
} from "../../fixtures/objects.ts";

const parent = (namespace = "shop") => ({
  spec: { parentRefs: [{ kind: "Service", name: "web", namespace }] },
});
const named = (key: ObjectKey) => {
  const [namespace = "", name = ""] = key.split("/");
  return { metadata: { name, namespace } };
};

describe("failover of a Service", () => {
  it("is a route to its own pods, and with a thousandth of the weight to each next cluster's", async () => {
    const { routes, problems, inputs } = await decided(scenario());
    deepEqual(lines(routes), [
      "create shop/web-failover-80: web 1000000, web-west 1000, web-north 1",
    ]);
    deepEqual(problems, []);
    const [route] = routes;
    if (route?.verdict !== "create") throw new Error(route?.verdict);
    const { metadata, spec } = route.wanted;
    deepEqual(metadata.annotations, { "retry.linkerd.io/http": "599" });
    deepEqual(spec.rules?.[0]?.matches, [{ path: { type: "PathPrefix", value: "/" } }]);
    deepEqual(inputs.mirrors, {
      ...(inputs.mirrors as object),
      HTTPRoutes: {
        "shop/web-failover-80": "failover of web:80: web, then web-west, then web-north",
      },
    });
  });

  it("follows the order of the list, also without the source's own pods", async () => {
    for (const [list, backends] of [
      [["north", "west"], "web-north 1000000, web-west 1"],
      [["west"], "web-west 1"],
    ] as const) {
      const args = argsFor(["west", "north"], { failover: { "shop/web": list } });
      deepEqual(lines((await decided(scenario({ args }))).routes), [
        `create shop/web-failover-80: ${backends}`,
      ]);
    }
  });

  it("finds the mirror by its Service, whatever its name and namespace", async () => {
    const args = argsFor(
      [{ target: "west", names: "{target}-{service}", mirrorNamespaces: { shop: "far" } }],
      { failover: { "shop/web": ["local", "west"] } },
    );
    const of = scenario({ args });
    const east = cluster("east", { namespaces: ["shop", "far"], services: [own] });
    const { routes } = await decided({ ...of, clusters: { ...of.clusters, east } });
    const [route] = routes;
    deepEqual(route?.verdict === "create" && route.wanted.spec.rules?.[0]?.backendRefs?.[1], {
      group: "",
      kind: "Service",
      namespace: "far",
      name: "west-web",
      port: 80,
      weight: 1,
    });
  });

  it("has a route for each TCP port that a mirror has too, to the mirrors that have it", async () => {
    const ports = [http, { port: 81 }, { port: 53, protocol: "UDP" }];
    const own = service("shop/web", {}, { ports: [...ports, { port: 82 }] });
    const { routes } = await decided(
      scenario({
        clusters: {
          east: cluster("east", { namespaces: ["shop"], services: [own] }),
          west: exporting("west", [exported("shop/web", {}, { ports })]),
          north: exporting("north", [flat("shop/web")]),
        },
      }),
    );
    deepEqual(lines(routes), [
      "create shop/web-failover-80: web 1000000, web-west 1000, web-north 1",
      "create shop/web-failover-81: web 1000000, web-west 1",
    ]);
  });

  it("leaves the retries to the Service's own annotations", async () => {
    const annotations = { "retry.linkerd.io/http": "5xx" };
    const [route] = (await decided(scenario({}, [service("shop/web", { annotations })]))).routes;
    deepEqual(route?.verdict === "create" && route.wanted.metadata.annotations, {});
  });

  const exportsNone: Record<string, ClusterSnapshot> = {
    "no Service": exporting("west", []),
    "only other Services": exporting("west", [exported("shop/api"), exported("shop/web-2")]),
    "only a headless Service of the name": exporting("west", [headless("shop/web")], {
      endpoints: [endpoints("shop/web", [pods(["web-0"])])],
    }),
  };
  for (const [what, west] of Object.entries(exportsNone))
    it(`leaves out a cluster that exports ${what}`, async () => {
      const args = argsFor([{ target: "west", headless: true }, "north"], {
        failover: { "shop/web": order },
      });
      const of = (await run(scenario({ args }))).after;
      const clusters = { ...of.clusters, west };
      const { routes } = await decided({ ...of, clusters });
      deepEqual(lines(routes), ["create shop/web-failover-80: web 1000000, web-north 1"]);
    });

  it("reports a cluster that exports no such Service", async () => {
    const of = scenario();
    const west = exporting("west", []);
    const { problems, notes } = await decided({
      ...of,
      clusters: { ...of.clusters, west },
    });
    const sentence =
      "east has no mirror of it from west, so its requests don't fail over to west: export it there";
    deepEqual(problems, [{ key: "shop/web", sentence }]);
    deepEqual(
      notes.filter((note) => note.includes("don't fail over")),
      [`east: HTTPRoutes shop/web: ${sentence}`],
    );
  });

  it("reports a cluster that is revoked, which no export there would mend", async () => {
    const { after } = await run(scenario());
    const args = argsFor(["north"], { failover: { "shop/web": order }, revokedTargets: ["west"] });
    deepEqual((await decided({ ...after, args })).problems, [
      {
        key: "shop/web",
        sentence:
          "its requests don't fail over to west, which is revoked: take west out of its failover on east",
      },
    ]);
  });

  it("is not promised where nothing serves HTTPRoutes, unless this run may install them", async () => {
    const routes = { ...noRoutes, areServed: false };
    const { routes: none, problems, inputs } = await decided(scenario({ routes }));
    const sentence =
      "east does not serve httproutes.policy.linkerd.io in version v1beta3: install the chart linkerd-crds of Linkerd 2.18 or later there";
    deepEqual([none, problems], [[], [{ key: "shop/web", sentence }]]);
    deepEqual(inputs.refused, { east: sentence });
    const gateway = { addresses: ["192.0.2.10"], port: 4143, identity: "gateway.west" };
    const args = { ...scenario().args, observedGateways: { west: gateway } };
    deepEqual((await decided(scenario({ args, routes }))).routes.length, 1);
  });

  it("keeps the mirror of a cluster that can't be read", async () => {
    const first = await run(scenario());
    const routes = await routesAfter(scenario());
    const { west: _, ...others } = first.after.clusters;
    const clusters = { ...others, west: "unreachable" as const };
    deepEqual(lines((await decided({ ...first.after, routes, clusters })).routes), [
      "keep shop/web-failover-80: web 1000000, web-west 1000, web-north 1",
    ]);
  });

  it("is written once, and again after somebody has changed it", async () => {
    const routes = await routesAfter(scenario());
    const settled = await run(scenario());
    const again = await decided({ ...settled.after, routes });
    deepEqual([lines(again.routes)[0]?.split(" ")[0], again.hasWrites], ["keep", false]);
    const [route] = routes.httpRoutes;
    const edits: readonly Partial<HttpRoute>[] = [
      { spec: { ...route?.spec, rules: [] } },
      {
        metadata: {
          ...named("shop/web-failover-80").metadata,
          ...route?.metadata,
          annotations: {},
        },
      },
    ];
    for (const edit of edits) {
      const httpRoutes = routes.httpRoutes.map((each) => ({ ...each, ...edit }));
      const edited = await decided({ ...settled.after, routes: { ...noRoutes, httpRoutes } });
      deepEqual([lines(edited.routes)[0]?.split(" ")[0], edited.hasWrites], ["update", true]);
    }
  });

  it("is deleted in the next run after its key is removed", async () => {
    const routes = await routesAfter(scenario());
    const { after } = await run(scenario());
    const args = argsFor(["west", "north"]);
    const gone = await decided({ ...after, args, routes });
    deepEqual(lines(gone.routes), [
      "delete shop/web-failover-80: web 1000000, web-west 1000, web-north 1",
    ]);
    deepEqual([gone.inputs.failedOver, gone.hasWrites], [["shop/web"], true]);
    const nothing = await decided({ ...after, args, routes: noRoutes, before: gone.inputs });
    deepEqual([nothing.inputs.failedOver, nothing.hasWrites], [undefined, false]);
    // From then on, a run that may not list routes knows that there are none.
    const denied = await decided({ ...after, args, routes: "forbidden", before: nothing.inputs });
    deepEqual([denied.routes, denied.inputs.refused], [[], undefined]);
  });

  it("says what a diff of the lists can't show about a route", async () => {
    const routes = await routesAfter(scenario());
    const { after } = await run(scenario());
    const key = "shop/web-failover-80";
    const unlisted = { ...after.before, mirrors: {} };
    const args = argsFor(["west", "north"]);
    for (const [text, inputs] of [
      ["list: already there", { before: unlisted, routes }],
      ["recreate: it is missing", { routes: noRoutes }],
      ["delete: no Service fails over by it", { before: unlisted, routes, args }],
      ["unlist: already deleted, or no longer this stack's", { routes: noRoutes, args }],
    ] as const) {
      const found = await decided({ ...after, ...inputs });
      deepEqual(found.inputs.changes?.["HTTPRoutes"]?.[key], { action: text });
    }
  });

  for (const [what, changed] of [
    ["has lost its label", { labels: {} }],
    ["another stack has marked too", { managedFields: [{ manager: managerOf("o/p/other") }] }],
  ] as const)
    it(`keeps the mirrors that a route names which ${what}, and says so until it is gone`, async () => {
      const [made] = (await routesAfter(scenario())).httpRoutes;
      const { after } = await run(scenario());
      if (made === undefined) throw new Error("there is no route");
      const fields = "managedFields" in changed ? changed.managedFields : [];
      const managedFields = [...(made.metadata.managedFields ?? []), ...fields];
      const metadata = { ...made.metadata, ...changed, managedFields };
      const routes = { ...noRoutes, httpRoutes: [{ ...made, metadata }] };
      const args = argsFor(["west", "north"], { links: argsFor(["north"]).links });
      const gone = await decided({ ...after, args, routes });
      deepEqual(lines(gone.routes), [
        "handOver shop/web-failover-80: web 1000000, web-west 1000, web-north 1",
      ]);
      const { refused = {}, notMirrored = {}, failedOver } = gone.inputs;
      match(
        refused["east"] ?? "",
        /^1 mirror of east can't be deleted, because HTTPRoute shop\/web-failover-80 still sends requests there and is left alone: delete it \(shop\/web-west\)$/,
      );
      match(notMirrored["HTTPRoutes"]?.["shop/web-failover-80"] ?? "", /delete it if nothing else/);
      deepEqual(failedOver, ["shop/web"]);
      const rest = { ...after, args, routes: noRoutes, before: gone.inputs };
      const { inputs } = await decided(rest);
      deepEqual([inputs.refused, inputs.failedOver], [undefined, undefined]);
    });

  it("deletes the route of a port or of a Service that the source no longer has", async () => {
    const api = service("shop/api");
    const ports = [http, { port: 81 }];
    const west = exporting("west", [exported("shop/web", {}, { ports }), exported("shop/api")]);
    const args = argsFor(["west"], {
      failover: { "shop/web": ["local", "west"], "shop/api": ["local", "west"] },
    });
    const both = scenario({ args }, [service("shop/web", {}, { ports }), api]);
    const of = { ...both, clusters: { ...both.clusters, west } };
    const [routes, { after }] = [await routesAfter(of), await run(of)];
    const { east } = after.clusters;
    if (typeof east !== "object") throw new Error("the source can't be read");
    const services = new Map([...east.services, ["shop/web", own] as const]);
    services.delete("shop/api");
    const clusters = { ...after.clusters, east: { ...east, services } };
    deepEqual(lines((await decided({ ...after, clusters, routes })).routes), [
      "delete shop/api-failover-80: api 1000000, api-west 1",
      "keep shop/web-failover-80: web 1000000, web-west 1",
      "delete shop/web-failover-81: web 1000000, web-west 1",
    ]);
  });

  it("marks the route of a renamed stack again, and never one of another stack", async () => {
    const { after } = await run(scenario());
    const former = await routesAfter(scenario(), managerOf("acme/mesh/old"));
    const before = { ...after.before, stack: "acme/mesh/old" };
    deepEqual(
      lines((await decided({ ...after, before, routes: former })).routes)[0]?.split(" ")[0],
      "update",
    );
    const others = await decided({ ...after, routes: former });
    deepEqual(others.routes, []);
    const args = argsFor(["west", "north"]);
    deepEqual((await decided({ ...after, args, routes: former })).routes, []);
  });

  for (const [what, more] of [
    [
      "httproutes.policy.linkerd.io shop/mine",
      { httpRoutes: [{ ...named("shop/mine"), ...parent() }] },
    ],
    [
      "grpcroutes.gateway.networking.k8s.io shop/mine",
      {
        others: [
          { kind: "grpcroutes.gateway.networking.k8s.io", ...named("shop/mine"), ...parent() },
        ],
      },
    ],
    [
      "ServiceProfile shop/web.shop.svc.cluster.local",
      { others: [profileAsRoute(named("shop/web.shop.svc.cluster.local"))] },
    ],
  ] as const)
    it(`is left to a ${what.split(" ")[0] ?? ""} of the user's, and its route stays as it is`, async () => {
      const { after } = await run(scenario());
      const { routes, problems } = await decided({ ...after, routes: { ...noRoutes, ...more } });
      deepEqual(routes, []);
      deepEqual(problems, [
        {
          key: "shop/web",
          sentence: `${what} on east leads its requests already, and the routes would contradict each other: delete it, or remove shop/web from failover`,
        },
      ]);
      const { httpRoutes } = await routesAfter(scenario());
      const both = {
        ...noRoutes,
        ...more,
        httpRoutes: [...httpRoutes, ...("httpRoutes" in more ? more.httpRoutes : [])],
      };
      const kept = await decided({ ...after, routes: both });
      deepEqual(
        [lines(kept.routes).map((line) => line.split(":")[0]), kept.hasWrites],
        [["keep shop/web-failover-80"], false],
      );
      deepEqual(kept.inputs.mirrors, after.before.mirrors);
    });

  it("is not hindered by a route for clients of another namespace or for another Service", async () => {
    const httpRoutes = [
      { ...named("clients/mine"), ...parent() },
      { ...named("shop/other"), spec: { parentRefs: [{ kind: "Service", name: "api" }] } },
    ];
    const others = httpRoutes.map((route) => ({ ...route, kind: "grpcroutes" }));
    const profiles = [
      "shop/api.shop.svc.cluster.local",
      "clients/web.shop.svc.cluster.local",
    ] as const;
    const all = [...others, ...profiles.map((key) => profileAsRoute(named(key)))];
    deepEqual((await decided(scenario({ routes: { httpRoutes, others: all } }))).problems, []);
  });

  it("doesn't take the name of somebody else's route", async () => {
    const httpRoutes = [named("shop/web-failover-80")];
    const { routes, problems } = await decided(scenario({ routes: { ...noRoutes, httpRoutes } }));
    deepEqual(routes, []);
    deepEqual(
      problems.map(({ sentence }) => sentence),
      ["east already has a foreign HTTPRoute shop/web-failover-80: rename or delete it"],
    );
  });

  for (const [why, services] of [
    ["east has no Service shop/web: create it there, even without pods of its own", []],
    [
      "it has no ClusterIP on east, and Linkerd leads only requests for one",
      [headless("shop/web")],
    ],
    [
      "it has no ClusterIP on east, and Linkerd leads only requests for one",
      [service("shop/web", {}, alias)],
    ],
    [
      "it is a mirror on east, and only east's own Services fail over",
      [service("shop/web", { labels: { "mirror.linkerd.io/mirrored-service": "true" } })],
    ],
  ] as const)
    it(`needs a Service of the source's own: ${why}`, async () => {
      const { routes, problems } = await decided(scenario({}, services));
      deepEqual([routes, problems], [[], [{ key: "shop/web", sentence: why }]]);
    });

  it("keeps routes that can't be read, and fails the run if it lacks the right", async () => {
    const { after } = await run(scenario());
    for (const [failure, isRefused] of [
      ["server", false],
      ["forbidden", true],
    ] as const) {
      const { routes, inputs, notes } = await decided({ ...after, routes: failure });
      deepEqual(routes, []);
      deepEqual([inputs.failedOver, "east" in (inputs.refused ?? {})], [["shop/web"], isRefused]);
      deepEqual(inputs.mirrors, after.before.mirrors);
      deepEqual(notes.filter((note) => note.startsWith("east: HTTPRoutes stay")).length, 1);
    }
  });
});
