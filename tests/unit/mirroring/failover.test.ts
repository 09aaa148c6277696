import { deepEqual, equal, match } from "node:assert/strict";
import { managerOf } from "../../../engine/model/marks.ts";
import type { HttpRoute } from "../../../engine/kubernetes/objects/route-resource.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { runOf } from "../../simulation/clusters.ts";
import { putServices, serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { managersOf, writesTo } from "../../simulation/outcome.ts";
import { argsFor, web } from "../fixtures/checked.ts";
import { clusterOf } from "../fixtures/scenario-text.ts";
import { cluster, exported, exporting, flat, now, service } from "../fixtures/objects.ts";

const route = "shop/web-failover-80";
const failingOver = (...order: readonly string[]) => ({
  west: {},
  north: {},
  east: { failover: { "shop/web": order } },
});

const notFailingOver = { west: {}, north: {}, east: {} };

/** Runs a stack in which `web` of east fails over to west, through a gateway, and then to north. */
async function failing(): Promise<{ mesh: Mesh; east: ApiServer }> {
  const own = [service("shop/web")];
  const east = serverWith(cluster("east", { namespaces: ["shop"], services: own }));
  const others = [exporting("west", [web]), exporting("north", [flat("shop/web")])];
  const clusters = failingOver("local", "west", "north");
  const mesh = Mesh.of([east, ...others.map((each) => serverWith(each))], { clusters });
  equal((await mesh.up()).failure, undefined);
  return { mesh, east };
}

const writesOf = async (east: ApiServer, run: () => Promise<unknown>) => {
  east.journal.length = 0;
  await run();
  return writesTo(east);
};

describe("a run with a Service that fails over", () => {
  it("creates its HTTPRoute after the mirrors, with the stack's mark, and only once", async () => {
    const { mesh, east } = await failing();
    deepEqual(writesTo(east).at(-1), `create httproutes ${route}`);
    const live = east.get("httproutes", route);
    deepEqual(live && managersOf(live), [managerOf(mesh.stack)]);
    const { steps, lines } = await mesh.preview();
    deepEqual([steps.map(({ changes }) => changes), lines], [[false], []]);
    deepEqual(await writesOf(east, () => mesh.up()), []);
  });

  it("removes a mirror from the HTTPRoute before it deletes the mirror", async () => {
    const { mesh, east } = await failing();
    mesh.server("west").delete("services", "shop/web");
    deepEqual(await writesOf(east, () => mesh.up()), [
      `update httproutes ${route}`,
      "delete services shop/web-west",
    ]);
  });

  it("leaves the HTTPRoute alone if one of its mirrors could not be written", async () => {
    const { mesh, east } = await failing();
    await writesOf(east, async () => {
      east.delete("services", "shop/web-north");
      mesh.config = { ...mesh.config, clusters: failingOver("local", "north") };
      east.refuse = (request) => (request.startsWith("create services") ? "forbidden" : undefined);
      const { failure = "" } = await mesh.up();
      match(failure, /its mirror shop\/web-north could not be written/);
    });
    deepEqual(writesTo(east), []);
  });

  it("deletes the HTTPRoute when its failover key is removed, and on destroy", async () => {
    const { mesh, east } = await failing();
    const destroyed = mesh.copy();
    mesh.config = { ...mesh.config, clusters: notFailingOver };
    deepEqual(await writesOf(east, () => mesh.up()), [`delete httproutes ${route}`]);
    equal((await destroyed.destroy()).failure, undefined);
    deepEqual([...destroyed.server("east").all("httproutes").keys()], []);
  });

  for (const [what, forget] of [
    ["failed in part", () => undefined],
    [
      "was killed",
      (mesh: Mesh) => {
        mesh.engine.restore(new Map());
      },
    ],
  ] as const)
    it(`deletes the HTTPRoute of a run that ${what}, although no state tells of it`, async () => {
      const { mesh, east } = await failing();
      mesh.config = { ...mesh.config, clusters: notFailingOver };
      await mesh.up();
      await mesh.up();
      putServices(mesh.server("west"), exported("shop/api"));
      east.refuse = (request) =>
        request === "create services shop/api-west" ? "forbidden" : undefined;
      mesh.config = { ...mesh.config, clusters: failingOver("local", "west", "north") };
      match((await mesh.up()).failure ?? "", /shop\/api-west/);
      deepEqual([...east.all("httproutes").keys()], [route]);
      forget(mesh);
      east.refuse = () => undefined;
      mesh.config = { ...mesh.config, clusters: notFailingOver };
      const destroyed = mesh.copy();
      equal((await mesh.up()).failure, undefined);
      deepEqual([...east.all("httproutes").keys()], []);
      if (what === "was killed") return;
      equal((await destroyed.destroy()).failure, undefined);
      deepEqual([...destroyed.server("east").all("httproutes").keys()], []);
    });

  it("needs no right to list HTTPRoutes in a stack whose Services never failed over", async () => {
    const { mesh, east } = await failing();
    const never = mesh.copy();
    const forbid = (request: string) => (request === "list httproutes" ? "forbidden" : undefined);
    never.engine.restore(new Map());
    never.config = { ...mesh.config, clusters: notFailingOver };
    never.server("east").refuse = forbid;
    const { failure, lines } = await never.up();
    deepEqual([failure, lines.filter((line) => line.includes("HTTPRoutes"))], [undefined, []]);
    equal((await never.destroy()).failure, undefined);
    east.refuse = forbid;
    mesh.config = never.config;
    match((await mesh.up()).failure ?? "", /to list httproutes/);
  });

  it("fails while a finalizer keeps an HTTPRoute that is to go, without another write", async () => {
    const { mesh, east } = await failing();
    east.edit("httproutes", route, { metadata: { finalizers: ["example.com/keep"] } });
    mesh.config = { ...mesh.config, clusters: notFailingOver };
    match((await mesh.up()).failure ?? "", /is being deleted, but a finalizer keeps it/);
    deepEqual(await writesOf(east, () => mesh.up()), []);
    match((await mesh.destroy()).failure ?? "", /is being deleted, but a finalizer keeps it/);
    deepEqual(
      ["shop/web-west", "shop/web-north"].map((key) => east.get("services", key) !== undefined),
      [true, true],
    );
    east.edit("httproutes", route, { metadata: { finalizers: [] } });
    equal((await mesh.up()).failure, undefined);
  });

  for (const [what, clusters] of [
    ["its Service fails over", failingOver("local", "west", "north")],
    ["its Service no longer fails over", notFailingOver],
  ] as const)
    it(`keeps a mirror that a route without its label names, while ${what}, and on destroy`, async () => {
      const { mesh, east } = await failing();
      east.edit("httproutes", route, { metadata: { labels: null } });
      mesh.config = { ...mesh.config, clusters };
      mesh.server("west").delete("services", "shop/web");
      const sentence =
        /HTTPRoute shop\/web-failover-80 still sends requests there and is left alone/;
      match((await mesh.up()).failure ?? "", sentence);
      match((await mesh.destroy()).failure ?? "", sentence);
      equal(east.get("services", "shop/web-west") !== undefined, true);
      east.delete("httproutes", route);
      equal((await mesh.destroy()).failure, undefined);
      equal(east.get("services", "shop/web-west"), undefined);
    });

  it("isn't failed by a forged HTTPRoute that a finalizer keeps", async () => {
    const { mesh, east } = await failing();
    const live = east.get("httproutes", route);
    const metadata = { ...live?.metadata, namespace: "evil", finalizers: ["example.com/keep"] };
    east.put("httproutes", { ...live, metadata }, managerOf(mesh.stack));
    equal((await mesh.up()).failure, undefined);
    deepEqual(await writesOf(east, () => mesh.up()), []);
  });

  it("fails on destroy if HTTPRoutes can't be read", async () => {
    const { mesh, east } = await failing();
    east.refuse = (request) => (request === "list httproutes" ? "forbidden" : undefined);
    match((await mesh.destroy()).failure ?? "", /httproutes/);
    east.refuse = () => undefined;
    equal((await mesh.destroy()).failure, undefined);
    deepEqual([...east.all("httproutes").keys()], []);
  });

  it("renews the mark of the HTTPRoute when the stack is renamed", async () => {
    const { mesh, east } = await failing();
    mesh.stack = "organization/mesh/renamed";
    await mesh.up();
    const live = east.get("httproutes", route);
    deepEqual(live && managersOf(live), [managerOf(mesh.stack)]);
    mesh.config = { ...mesh.config, clusters: notFailingOver };
    await mesh.up();
    deepEqual([...east.all("httproutes").keys()], []);
  });
});

describe("a run with a Service that fails over to a cluster with a prober", () => {
  const extension = "linkerd-multicluster";
  const gateway = { namespace: extension, name: "linkerd-gateway", addresses: ["192.0.2.7"] };
  const probed = { target: "west", prober: "x", gateway: { ...gateway, port: 1, identity: "gw" } };
  const words =
    "plain :mc-probe @mirror.linkerd.io/probe-path=/ready @mirror.linkerd.io/probe-period=3";

  interface Then {
    /** The seconds since the prober said it. */
    readonly since?: number;
    readonly lose?: (west: ApiServer) => unknown;
  }

  /** Returns the backends of the route once the prober says this, after a run in which it found the gateway alive. */
  async function backends(
    verdict: string,
    order: readonly string[],
    { since = 0, lose }: Then = {},
  ): Promise<unknown> {
    const own = [service("shop/web")];
    const east = serverWith(cluster("east", { namespaces: ["shop", extension], services: own }));
    const west = `${extension}/ ${extension}/linkerd-gateway(${words}) shop/web`;
    const servers = {
      east,
      west: serverWith(clusterOf("west", west)),
      north: serverWith(exporting("north", [flat("shop/web")])),
    };
    const says = (annotation: string, ago: number) =>
      east.put("leases", {
        metadata: {
          namespace: extension,
          name: "service-mirror-write-west",
          annotations: { "linkerd-multicluster/gateway": annotation },
        },
        spec: { renewTime: new Date(Date.now() - ago * 1000).toISOString() },
      });
    const failover = { "shop/web": order };
    const args = argsFor([probed, "north"], { statusIn: extension, failover });
    says("alive, 8 ms", 0);
    const before = await runOf(servers, args, now);
    says(verdict, since);
    lose?.(servers.west);
    await runOf(servers, args, now, before);
    const live = east.get("httproutes", route) as HttpRoute | undefined;
    return live?.spec?.rules?.[0]?.backendRefs?.map(({ name }) => name);
  }

  const all = ["local", "west", "north"];
  for (const [what, verdict, since, left] of [
    [
      "sends requests there while the prober finds it alive",
      "alive, 8 ms",
      0,
      ["web", "web-west", "web-north"],
    ],
    [
      "leaves it out while the prober finds it down",
      "down, HTTP status 503",
      0,
      ["web", "web-north"],
    ],
    [
      "doesn't believe a prober that is silent",
      "down, HTTP status 503",
      100,
      ["web", "web-west", "web-north"],
    ],
    ["doesn't believe what no prober says", "dead", 0, ["web", "web-west", "web-north"]],
  ] as const)
    it(what, async () => {
      deepEqual(await backends(verdict, all, { since }), left);
    });

  const losses: Readonly<Record<string, (west: ApiServer) => unknown>> = {
    "its gateway's Service is gone": (west) => {
      west.delete("services", `${extension}/linkerd-gateway`);
    },
    "its API server is down": (west) => (west.refuse = () => "unreachable"),
  };
  for (const [what, lose] of Object.entries(losses))
    it(`leaves it out while the prober finds it down, also if ${what}`, async () => {
      deepEqual(await backends("down, HTTP status 503", all, { lose }), ["web", "web-north"]);
    });

  it("keeps it if nothing else serves the requests", async () => {
    deepEqual(await backends("down, HTTP status 503", ["west"]), ["web-west"]);
  });
});
