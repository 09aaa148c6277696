import { deepEqual, match, notEqual } from "node:assert/strict";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { scale, serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { web } from "../fixtures/checked.ts";
import { cluster, exporting, headless, service } from "../fixtures/objects.ts";

const mirrorsIn = (east: ApiServer) =>
  [...east.all("services").keys()].filter((key) => key.startsWith("shop/")).sort();

describe("a run that renames mirrors and deletes those of former names", () => {
  const link = { source: "east", target: "west", headless: true, maxDeletions: 0 };
  const former = ["shop/db-0-west", "shop/db-west", "shop/web-west"];
  const present = ["shop/west-db", "shop/west-db-0", "shop/west-web"];

  /** Changes the names after a first run. */
  async function renaming(
    formerNames: "keep" | "delete",
  ): Promise<{ mesh: Mesh; east: ApiServer }> {
    const east = serverWith(cluster("east", { namespaces: ["shop"] }));
    const west = serverWith(exporting("west", [web, headless("shop/db")]));
    scale(west, "db", 1);
    const mesh = Mesh.of([east, west]);
    mesh.link(link);
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual(mirrorsIn(east), former);
    mesh.link({ ...link, names: "{target}-{service}", formerNames });
    return { mesh, east };
  }

  const isOf = (names: readonly string[]) => (request: string) =>
    names.some((name) => request.endsWith(` ${name}`));

  for (const [what, refused, left] of [
    ["Services", isOf(present), former],
    ["Endpoints", (request: string) => request.startsWith("create endpoints"), former],
    [
      "Endpoints of a pod's mirror",
      isOf(["endpoints shop/west-db-0"]),
      ["shop/db-0-west", "shop/db-west"],
    ],
  ] as const)
    it(`keeps them while ${what} of their successors are refused`, async () => {
      for (const formerNames of ["keep", "delete"] as const) {
        const { mesh, east } = await renaming(formerNames);
        east.refuse = (request) => (refused(request) ? "forbidden" : undefined);
        for (let run = 0; run < 3; run++) notEqual((await mesh.up()).failure, undefined);
        const kept = mirrorsIn(east).filter((key) => key.endsWith("-west"));
        deepEqual(kept, left);
        east.refuse = () => undefined;
        for (let run = 0; run < 2; run++) deepEqual((await mesh.up()).failure, undefined);
        deepEqual(mirrorsIn(east), present);
      }
    });

  it("keeps them while admission stores their successors as another type", async () => {
    const { mesh, east } = await renaming("delete");
    east.admission.push((verb, object) =>
      verb === "create" && object.kind === "Service"
        ? { ...object, spec: { ...(object.spec ?? {}), type: "NodePort" } }
        : object,
    );
    match(
      (await mesh.up()).failure ?? "",
      /^2 mirrors: mirror east\/shop\/db-west stays, because the mirror that replaces it is/,
    );
    deepEqual(mirrorsIn(east), [...former, ...present].sort());
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual(mirrorsIn(east), present);
  });
});

describe("a mirror that has to be deleted and created again", () => {
  const link = { source: "east", target: "west" };
  const clusterIPOf = (east: ApiServer) =>
    (east.get("services", "shop/db-west") as object as Service).spec.clusterIP;
  const mirrors = (east: ApiServer) =>
    ["services", "endpoints"].map((kind) => east.get(kind, "shop/db-west"));

  for (const [from, to] of [
    [{ headless: false }, { headless: true }],
    [{ headless: true }, { headless: false }],
  ] as const)
    for (const refused of [
      /^create services shop\/db-west$/,
      /^create endpoints shop\/db-west$/,
      ...(to.headless
        ? [/^create services shop\/db-0-west$/, /^create endpoints shop\/db-0-west$/]
        : []),
    ])
      it(`stays as it is while ${refused.source} is refused (${to.headless ? "to" : "from"} headless)`, async () => {
        const east = serverWith(cluster("east", { namespaces: ["shop"] }));
        const west = serverWith(exporting("west", [headless("shop/db")]));
        scale(west, "db", 1);
        const mesh = Mesh.of([east, west]);
        mesh.link({ ...link, ...from });
        deepEqual((await mesh.up()).failure, undefined);
        const before = mirrors(east);
        mesh.link({ ...link, ...to });
        east.refuse = (request) => (refused.test(request) ? "forbidden" : undefined);
        for (let run = 0; run < 2; run++) notEqual((await mesh.up()).failure, undefined);
        deepEqual(mirrors(east), before);
        east.refuse = () => undefined;
        for (let run = 0; run < 2; run++) deepEqual((await mesh.up()).failure, undefined);
        deepEqual(clusterIPOf(east) === "None", to.headless);
      });

  it("is replaced although a webhook with side effects can't be asked beforehand", async () => {
    const east = serverWith(cluster("east", { namespaces: ["shop"] }));
    const west = serverWith(exporting("west", [headless("shop/db")]));
    scale(west, "db", 1);
    const mesh = Mesh.of([east, west]);
    mesh.link(link);
    deepEqual((await mesh.up()).failure, undefined);
    const message = 'admission webhook "example.com" does not support dry run';
    let asked = 0;
    east.admission.push((_, object) =>
      object.metadata.name === "db-west" && ++asked <= 2 ? { status: 400, message } : object,
    );
    mesh.link({ ...link, headless: true });
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual([clusterIPOf(east), asked > 2], ["None", true]);
  });
});

describe("a mirror to which an HTTPRoute of this stack sends requests", () => {
  /** Un-exports `web` of west, which east fails over to. */
  async function leaving(): Promise<{ mesh: Mesh; east: ApiServer }> {
    const contents = { namespaces: ["shop"], services: [service("shop/web")] };
    const east = serverWith(cluster("east", contents));
    const west = serverWith(exporting("west", [web, headless("shop/db")]));
    scale(west, "db", 1);
    const clusters = { west: {}, east: { failover: { "shop/web": ["local", "west"] } } };
    const mesh = Mesh.of([east, west], { clusters });
    mesh.link({ source: "east", target: "west", headless: true });
    deepEqual((await mesh.up()).failure, undefined);
    deepEqual(mirrorsIn(east), ["shop/db-0-west", "shop/db-west", "shop/web", "shop/web-west"]);
    for (const key of ["shop/web", "shop/db"]) west.delete("services", key);
    return { mesh, east };
  }

  const userRoute = {
    metadata: { namespace: "shop", name: "own" },
    spec: { parentRefs: [{ group: "core", kind: "Service", name: "web", port: 80 }], rules: [] },
  };
  const refusing = (start: string) => (east: ApiServer) => {
    east.refuse = (request) => (request.startsWith(start) ? "forbidden" : undefined);
  };

  for (const [what, because, hinder, relieve] of [
    [
      "can't be changed",
      "HTTPRoute shop/web-failover-80 still sends requests there",
      refusing("delete httproutes"),
      undefined,
    ],
    ["can't be listed", "httproutes", refusing("list httproutes"), undefined],
    [
      "is left alone beside the user's own",
      "HTTPRoute shop/web-failover-80 still sends requests there",
      (east: ApiServer) => east.put("httproutes", userRoute),
      (east: ApiServer) => {
        east.delete("httproutes", "shop/own");
      },
    ],
  ] as const)
    it(`stays as long as the route ${what}, and the run fails`, async () => {
      const { mesh } = await leaving();
      const destroyed = mesh.copy();
      for (const [stack, run] of [
        [mesh, () => mesh.up()],
        [destroyed, () => destroyed.destroy()],
      ] as const) {
        const server = stack.server("east");
        hinder(server);
        if (stack === destroyed && relieve !== undefined) continue;
        for (let time = 0; time < 2; time++) match((await run()).failure ?? "", RegExp(because));
        deepEqual(mirrorsIn(server), ["shop/web", "shop/web-west"]);
        server.refuse = () => undefined;
        relieve?.(server);
        deepEqual((await run()).failure, undefined);
        deepEqual([mirrorsIn(server), [...server.all("httproutes").keys()]], [["shop/web"], []]);
      }
    });
});
