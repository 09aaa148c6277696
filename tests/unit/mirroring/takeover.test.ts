import { deepEqual, equal, match } from "node:assert/strict";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { putServices, scale, serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { label } from "../../../engine/model/vocabulary.ts";
import { confirmedBy } from "../fixtures/marks.ts";
import { cluster, exported, exporting, flat, headless, service } from "../fixtures/objects.ts";
import { testScenarios } from "../fixtures/scenario.ts";

const names = "{service}-remote";
const to = (target: string, more = {}) => ({
  source: "east",
  target,
  headless: true,
  names,
  ...more,
});

/** Mirrors Services of one cluster into east. */
async function mirroring(target: string, other: string, services = [exported("shop/web")]) {
  const east = serverWith(
    cluster("east", { namespaces: ["shop"], services: [service("shop/web")] }),
  );
  const west = serverWith(exporting(target, services));
  const mesh = Mesh.of([east, west, serverWith(exporting(other, []))]);
  mesh.link(to(target), to(other));
  if (services.some(({ metadata: { name } }) => name === "db")) scale(west, "db", 2);
  equal((await mesh.up()).failure, undefined);
  return { mesh, east, west, north: mesh.server(other) };
}

/** Returns for each mirror its cluster and its UID. */
const mirrorsIn = (east: ApiServer) =>
  Object.fromEntries(
    [...east.all("services")].flatMap(([key, { metadata }]) => {
      const of = metadata.labels?.[label.cluster];
      return of === undefined ? [] : [[key, [of, metadata.uid]] as const];
    }),
  );
const clustersOf = (east: ApiServer) =>
  Object.fromEntries(Object.entries(mirrorsIn(east)).map(([key, [of]]) => [key, of]));
const uidsOf = (east: ApiServer) =>
  Object.fromEntries(Object.entries(mirrorsIn(east)).map(([key, [, uid]]) => [key, uid]));

const move = (from: ApiServer, into: ApiServer, moved = exported("shop/web")) => {
  from.delete("services", `${moved.metadata.namespace}/${moved.metadata.name}`);
  putServices(into, moved);
};

describe("a name that one link frees and another claims", () => {
  it("keeps its Service, which is relabeled in the same run", async () => {
    const { mesh, east, west, north } = await mirroring("west", "north");
    const before = uidsOf(east);
    move(west, north);
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual(clustersOf(east), { "shop/web-remote": "north" });
    deepEqual(uidsOf(east), before);
    const of = east.get("endpoints", "shop/web-remote")?.metadata.labels?.[label.cluster];
    equal(of, "north");
    deepEqual(
      (await mesh.preview()).steps.map(({ changes }) => changes),
      [false],
    );
  });

  it("goes with a headless Service and its pods, and those that are left out are deleted", async () => {
    const { mesh, east, west, north } = await mirroring("west", "north", [headless("shop/db")]);
    const before = uidsOf(east);
    deepEqual(Object.keys(before), ["shop/db-0-remote", "shop/db-1-remote", "shop/db-remote"]);
    move(west, north, headless("shop/db"));
    scale(north, "db", 1);
    deepEqual((await mesh.up()).failure, undefined);
    const { "shop/db-1-remote": _, ...left } = before;
    deepEqual(uidsOf(east), left);
    deepEqual(clustersOf(east), { "shop/db-0-remote": "north", "shop/db-remote": "north" });
  });

  testScenarios(`
# isn't taken over with a mirror that nobody has marked, which may be a tenant's
west: shop/web; link west: { names: "${names}" }; north: nothing; link north: { names: "${names}" }
+ gateway shop/web-remote
edit shop/web-remote: unmarked
west: nothing; north: shop/web
- gateway shop/web-remote
! NotOurs shop/web
# isn't taken over with a pod's mirror that a headless mirror names, which goes by itself
west: shop/db(headless db-0); link west: { names: "${names}" }; north: nothing; link north: { names: "${names}" }
+ headless shop/db-remote, endpoint shop/db-0-remote
west: nothing; north: shop/db-0
- headless shop/db-remote, endpoint shop/db-0-remote
! NotOurs shop/db-0
again
+ gateway shop/db-0-remote
`);

  it("changes its kind with the Service that takes it", async () => {
    const { mesh, east, west, north } = await mirroring("west", "north", [headless("shop/db")]);
    move(west, north, exported("shop/db"));
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual(clustersOf(east), { "shop/db-remote": "north" });
    move(north, west, flat("shop/db"));
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual(clustersOf(east), { "shop/db-remote": "west" });
    deepEqual([...east.all("endpoints").keys()], []);
  });

  it("goes from web-eu of west to web of eu-west", async () => {
    const plain = (target: string) => ({ source: "east", target });
    const { mesh, east, west, north } = await mirroring("west", "eu-west", []);
    putServices(west, exported("shop/web-eu"));
    mesh.link(plain("west"));
    equal((await mesh.up()).failure, undefined);
    const before = uidsOf(east);
    west.delete("services", "shop/web-eu");
    putServices(north, exported("shop/web"));
    mesh.link(plain("west"), plain("eu-west"));
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual([clustersOf(east), uidsOf(east)], [{ "shop/web-eu-west": "eu-west" }, before]);
  });

  it("goes to a target under its new name", async () => {
    const { mesh, east, west } = await mirroring("west", "north");
    const before = uidsOf(east);
    mesh.servers.set("far", west);
    mesh.config = { ...mesh.config, clusters: { east: {}, north: {}, far: {} } };
    mesh.link(to("far"), to("north"));
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual([clustersOf(east), uidsOf(east)], [{ "shop/web-remote": "far" }, before]);
  });

  for (const [what, hinder, because] of [
    [
      "maxDeletions of the link that loses it",
      ({ mesh }: { mesh: Mesh }) => {
        mesh.link(to("west", { maxDeletions: 0 }), to("north"));
      },
      /maxDeletions \(0\)/,
    ],
    [
      "an unreachable target that may want it",
      ({ west }: { west: ApiServer }) => {
        west.refuse = () => "unreachable";
      },
      undefined,
    ],
    [
      "the mark of another stack",
      ({ east }: { east: ApiServer }) => {
        const live = east.get("services", "shop/web-remote");
        const { managedFields } = confirmedBy(
          "acme/mesh/other",
          live as object as Service,
        ).metadata;
        east.edit("services", "shop/web-remote", { metadata: { managedFields } });
      },
      undefined,
    ],
    [
      "a refused write",
      ({ east }: { east: ApiServer }) => {
        east.refuse = (request) =>
          request === "update services shop/web-remote" ? "forbidden" : undefined;
      },
      /update Service shop\/web-remote/,
    ],
  ] as const)
    it(`stays because of ${what}`, async () => {
      const scene = await mirroring("west", "north");
      const { mesh, east, west, north } = scene;
      const before = mirrorsIn(east);
      move(west, north);
      hinder(scene);
      for (let run = 0; run < 2; run++) {
        const { failure = "" } = await mesh.up();
        if (because !== undefined) match(failure, because);
        deepEqual(mirrorsIn(east), before);
      }
    });

  it("says that the mirror is this stack's own while it stays", async () => {
    const { mesh, west, north } = await mirroring("west", "north");
    move(west, north);
    mesh.link(to("west", { maxDeletions: 0 }), to("north"));
    const { lines } = await mesh.preview();
    match(
      lines.join("\n"),
      /NotOurs\): shop\/web-remote on east is still this stack's mirror of cluster west/,
    );
  });

  it("stays while an HTTPRoute sends it requests that are not for the other cluster", async () => {
    const { mesh, east, west, north } = await mirroring("west", "north");
    const failover = (clusters: readonly string[]) => {
      const own = { east: { failover: { "shop/web": clusters } }, west: {}, north: {} };
      mesh.config = { ...mesh.config, clusters: own };
    };
    failover(["local", "west"]);
    equal((await mesh.up()).failure, undefined);
    move(west, north);
    east.refuse = (request) => (request.startsWith("delete httproutes") ? "forbidden" : undefined);
    match((await mesh.up()).failure ?? "", /HTTPRoute shop\/web-failover-80 still sends requests/);
    deepEqual(clustersOf(east), { "shop/web-remote": "west" });
    failover(["local", "north"]);
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual(clustersOf(east), { "shop/web-remote": "north" });
  });
});
