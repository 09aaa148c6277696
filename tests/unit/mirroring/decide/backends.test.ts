import { deepEqual } from "node:assert/strict";
import type { ObjectKey, Service } from "../../../../engine/kubernetes/objects/objects.ts";
import type { HttpRoute } from "../../../../engine/kubernetes/objects/route-resource.ts";
import type { LinkSpec } from "../../../../engine/model/link.ts";
import { noRoutes, routeAfter } from "../../../../engine/model/route.ts";
import { ownerLabels } from "../../../../engine/model/owner.ts";
import { annotation, label } from "../../../../engine/model/vocabulary.ts";
import { argsFor, check, having, run, type Scenario } from "../../fixtures/checked.ts";
import { confirmed, ourManager } from "../../fixtures/marks.ts";
import { cluster, exported, exporting, service } from "../../fixtures/objects.ts";

const of = { [annotation.remoteName]: "web.shop.svc.cluster.local" };
const deletionTimestamp = "2026-11-28T00:00:00Z";

/** Returns a Service of a tenant that has this stack's mark and says that it is west's mirror of shop/web. */
function forged(key: ObjectKey, meta: Partial<Service["metadata"]> = {}): Service {
  const { labels = ownerLabels("west"), annotations = of, ...more } = meta;
  return confirmed(ourManager, service(key, { labels, annotations, ...more }));
}

const failover = { "shop/web": ["local", "west"] };
const linked = (link: Partial<LinkSpec> = {}, more: object = { failover }) =>
  argsFor([{ target: "west", ...link }], more);

function scenario(more: Partial<Scenario>): Scenario {
  return {
    args: linked(),
    clusters: {
      east: cluster("east", { namespaces: ["shop"], services: [service("shop/web")] }),
      west: exporting("west", [exported("shop/web")]),
    },
    routes: noRoutes,
    ...more,
  };
}

function withServices<T extends Scenario>(of: T, ...services: readonly Service[]): T {
  const { east } = of.clusters;
  if (typeof east !== "object") throw new Error("the source can't be read");
  const own = [...east.services.values(), ...services];
  const namespaces = ["shop", "evil", "far"];
  const endpoints = [...east.endpoints.values()];
  return having(of, { east: cluster("east", { services: own, namespaces, endpoints }) });
}

/** Returns the backends of all routes after the run, such as `shop/web evil/web-west`. */
async function backends(of: Scenario): Promise<string[]> {
  const { outcome } = await check(of);
  if (outcome.outcome !== "planned") throw new Error(outcome.outcome);
  return outcome.decided.failover.routes.map((route) => {
    return (routeAfter(route)?.spec?.rules ?? [])
      .flatMap(({ backendRefs = [] }) => backendRefs)
      .map(({ namespace = "", name = "" }) => `${namespace}/${name}`)
      .join(" ");
  });
}

const held = exporting("west", []);
const targets = {
  "is unreachable": "unreachable" as const,
  "exports no such Service": exporting("west", [exported("shop/api")]),
  "loses too many Services": held,
};

describe("the backends of a failover", () => {
  for (const [what, west] of Object.entries(targets))
    for (const [where, service] of Object.entries({
      "in another namespace": forged("evil/web-west"),
      "that a finalizer keeps": forged("evil/web-west", { deletionTimestamp }),
      "under another name": forged("shop/a-west"),
      "for remote discovery": forged("evil/web-west", {
        labels: { ...ownerLabels("west"), [label.remoteDiscovery]: "west" },
      }),
      "without a cluster": forged("evil/web-west", { labels: { [label.mirrored]: "true" } }),
      "that is federated": forged("evil/web-federated", {
        labels: { [label.mirrored]: "true" },
        annotations: { ...of, [annotation.remoteMembers]: "web@west" },
      }),
    }))
      it(`never include a forged mirror ${where}, if the target ${what}`, async () => {
        const args = linked({ maxDeletions: 0 });
        const api = having(scenario({ args }), { west: exporting("west", [exported("shop/api")]) });
        const { after } = await run(api);
        const { refused } = await run(having(after, { west }));
        deepEqual("west" in refused, west === held);
        deepEqual(await backends(withServices(having(after, { west }), service)), []);
      });

  it("keep what they have while the target is in doubt, and forged mirrors never come first", async () => {
    const args = linked({ maxDeletions: 0 });
    const { after } = await run(scenario({ args }));
    for (const west of [
      "unreachable" as const,
      held,
      exporting("west", [exported("shop/web")], {}),
    ]) {
      const of = withServices(having(after, { west }), forged("evil/a-west"));
      deepEqual(await backends(of), ["shop/web shop/web-west"]);
    }
  });

  for (const link of [{ names: "{target}-{service}" }, { mirrorNamespaces: { shop: "far" } }])
    it(`keep the former mirror until the target can be read: ${Object.keys(link).join()}`, async () => {
      const { after } = await run(scenario({}));
      const renamed = withServices({ ...after, args: linked(link) });
      const unread = having(renamed, { west: "unreachable" });
      deepEqual(await backends(unread), ["shop/web shop/web-west"]);
      deepEqual(await backends(renamed), [
        "names" in link ? "shop/web shop/west-web" : "shop/web far/web-west",
      ]);
    });

  for (const [what, mirrorNamespaces, expected] of [
    ["gain", {}, ["shop/web shop/web-west"]],
    ["never gain", { shop: "far" }, []],
  ] as const)
    it(`${what} an existing mirror of ${expected.length === 0 ? "another" : "the Service's own"} namespace while the target is in doubt`, async () => {
      const of = scenario({ args: linked({ mirrorNamespaces }, {}) });
      const { after } = await run(withServices(of));
      const args = linked({ mirrorNamespaces });
      deepEqual(await backends(having({ ...after, args }, { west: "unreachable" })), expected);
    });

  it("lose a mirror that is disproved, although a finalizer keeps it", async () => {
    const { routes } = (await run(scenario({}))).after;
    const { httpRoutes } = typeof routes === "object" ? routes : noRoutes;
    const hijacked = httpRoutes.map((route) => {
      const text = JSON.stringify(route).replace(
        '"namespace":"shop","name":"web-west"',
        '"namespace":"evil","name":"web-west"',
      );
      return JSON.parse(text) as HttpRoute;
    });
    const args = linked();
    const of = having(scenario({ args, routes: { ...noRoutes, httpRoutes: hijacked } }), {
      west: exporting("west", []),
    });
    const service = forged("evil/web-west", { deletionTimestamp });
    deepEqual(await backends(withServices(of, service)), [""]);
    const unread = having(withServices(of, service), { west: "unreachable" });
    deepEqual(await backends(unread), ["shop/web evil/web-west"]);
  });
});
