import { deepEqual, equal, match } from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { LinkResource } from "../../../engine/kubernetes/objects/link-resource.ts";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import { managerOf } from "../../../engine/mirroring/model/marks.ts";
import type { Inputs } from "../../../engine/mirroring/model/state.ts";
import { carryOut } from "../../../engine/mirroring/carry-out.ts";
import { checkSource } from "../../../engine/mirroring/reconcile.ts";
import { KeysWantedInThisRun } from "../../../engine/mirroring/wanted-here.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { runOf, type Servers, SimulatedClusters } from "../../simulation/clusters.ts";
import { putEndpoints, putServices, serverWith } from "../../simulation/contents.ts";
import type { Plan } from "../../simulation/faults.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { managersOf, writesTo } from "../../simulation/outcome.ts";
import { argsFor, web } from "../fixtures/checked.ts";
import { confirmedBy, unmarked } from "../fixtures/marks.ts";
import {
  cluster,
  endpoints,
  exported,
  exporting,
  flat,
  gatewayService,
  headless,
  later,
  linkObject,
  member,
  now,
  pods,
} from "../fixtures/objects.ts";

const east = (...targets: string[]) =>
  serverWith(cluster("east", { namespaces: ["shop"] }), {
    links: targets.map((target) => linkObject(target)),
  });
const west = (...services: Service[]) => serverWith(exporting("west", services));
const north = () => serverWith(exporting("north", [flat("shop/api")]));

/** The names of Services in the namespace `shop`. */
const namesIn = (server: ApiServer) =>
  [...server.all("services").keys()].filter((key) => key.startsWith("shop/")).sort();

describe("a run", () => {
  it("writes Services before Endpoints, each once, with the mark of its stack", async () => {
    const source = east();
    const mesh = Mesh.of([source, west(web), north()]);
    equal((await mesh.up()).failure, undefined);
    deepEqual(writesTo(source), [
      "create services shop/web-west",
      "create services shop/api-north",
      "create endpoints shop/web-west",
    ]);
    const live = source.get("services", "shop/web-west");
    deepEqual(live && managersOf(live), [managerOf(mesh.stack)]);
  });

  const other = "acme/other/prod";
  for (const [which, edit, adoptFrom] of [
    ["nobody has marked", unmarked<Service>, []],
    ["it adopts", (live: Service) => confirmedBy(other, unmarked(live)), [other]],
  ] as const)
    it(`marks a mirror that ${which}, and changes nothing else`, async () => {
      const source = east();
      const mesh = Mesh.of([source, west(web)]);
      await mesh.up();
      const live = source.get("services", "shop/web-west");
      const { managedFields = [] } = edit(live as object as Service).metadata;
      source.edit("services", "shop/web-west", { metadata: { managedFields } });
      source.journal.length = 0;
      mesh.link({ source: "east", target: "west", adoptFrom });
      equal((await mesh.up()).failure, undefined);
      deepEqual(writesTo(source), ["update services shop/web-west"]);
      const after = source.get("services", "shop/web-west");
      deepEqual(after && managersOf(after), [managerOf(mesh.stack)]);
    });
});

describe("an update of a mirror", () => {
  it("keeps fields that are not this program's, although lists leave them out", async () => {
    const source = east();
    const mesh = Mesh.of([source, west(web)]);
    await mesh.up();
    const finalizers = ["example.com/hold"];
    source.edit("services", "shop/web-west", {
      metadata: { finalizers },
      spec: { sessionAffinity: "ClientIP", ports: [{ port: 1 }] },
    });
    equal((await mesh.up()).failure, undefined);
    const live = source.get("services", "shop/web-west");
    deepEqual(live?.metadata.finalizers, finalizers);
    const { sessionAffinity, ports } = live.spec as {
      readonly sessionAffinity?: string;
      readonly ports: readonly { readonly port: number }[];
    };
    deepEqual([sessionAffinity, ports.map(({ port }) => port)], ["ClientIP", [80]]);
  });
});

describe("a run whose clusters change between its plan and its writes", () => {
  /** The end of a run in the middle of which this happens to `east` or `west`. */
  async function changing(name: "east" | "west", change: (server: ApiServer) => void) {
    const mesh = Mesh.of([east(), west(web), north()], {
      links: [
        { source: "east", target: "west", maxDeletions: 0 },
        { source: "east", target: "north" },
      ],
    });
    await mesh.up();
    putServices(mesh.server("north"), exported("shop/db"));
    const { failure = "" } = await mesh.upWith(() => {
      change(mesh.server(name));
      return Promise.resolve();
    });
    return { failure, left: namesIn(mesh.server("east")) };
  }
  const anotherCluster = (server: ApiServer) =>
    void server.put("namespaces", { metadata: { name: "kube-system", uid: "another" } });

  it("leaves a link alone whose context leads to another cluster by then, and does the others", async () => {
    const { failure, left } = await changing("west", anotherCluster);
    match(failure, /^context west of cluster west leads to another cluster than before/);
    deepEqual(left, ["shop/api-north", "shop/db-north", "shop/web-west"]);
  });

  it("does nothing where the context of the source leads to another cluster by then", async () => {
    const { failure, left } = await changing("east", anotherCluster);
    match(failure, /context east of cluster east leads to another cluster than before/);
    deepEqual(left, ["shop/api-north", "shop/web-west"]);
  });

  it("leaves a link alone that would delete too much by then, and does the others", async () => {
    const { failure, left } = await changing("west", (server) => {
      server.delete("services", "shop/web");
    });
    match(failure, /^link east → west would delete 1 of its 1 mirror on east/);
    deepEqual(left, ["shop/api-north", "shop/db-north", "shop/web-west"]);
  });
});

/** Carries out a plan in a process that has read nothing yet. */
function carriedOut(
  servers: Servers,
  inputs: Inputs,
  wanted = new KeysWantedInThisRun(),
  at = now,
) {
  return carryOut(new SimulatedClusters(servers), wanted, inputs, () => undefined, at);
}

const checked = async (servers: Servers, args = argsFor(["west"]), before: Partial<Inputs> = {}) =>
  (await checkSource(new SimulatedClusters(servers), before, args, now)).checked.inputs;

describe("the plan of a run", () => {
  it("is kept for a missing pod that the check has kept, however late the writes are", async () => {
    const listing = (...names: string[]) =>
      serverWith(
        exporting("west", [headless("shop/db")], {
          endpoints: [endpoints("shop/db", [pods(names)])],
        }),
      );
    const args = argsFor([{ target: "west", headless: true }]);
    const source = east();
    const before = await runOf({ east: source, west: listing("db-0", "db-1") }, args, now);
    const servers = { east: source, west: listing("db-0") };
    await carriedOut(
      servers,
      await checked(servers, args, before),
      new KeysWantedInThisRun(),
      later,
    );
    equal(namesIn(source).includes("shop/db-1-west"), true);
  });

  it("deletes no mirror of a removed link that the same cluster has under another name", async () => {
    const servers = { east: east(), west: west(web), north: north() };
    const before = await runOf(servers, argsFor(["west", "north"]), now);
    const { outcome } = await checkSource(
      new SimulatedClusters(servers),
      before,
      argsFor(["west"]),
      now,
    );
    if (outcome.outcome !== "planned") throw new Error(outcome.outcome);
    const wanted = new KeysWantedInThisRun();
    wanted.add(outcome);
    const inputs = await checked(servers, argsFor(["north"]), before);
    deepEqual(await carriedOut(servers, inputs, wanted), []);
    deepEqual(namesIn(servers.east), ["shop/api-north", "shop/web-west"]);
  });
});

describe("a run that has just created a Link or a gateway", () => {
  const gateway = { addresses: ["192.0.2.10"], port: 4143, identity: "gateway.west" };
  const args = argsFor(["west"], {
    statusIn: "linkerd-multicluster",
    observedGateways: { west: gateway },
  });
  const withGateway = (...services: Service[]) =>
    serverWith(cluster("west", { services: [...services, web, flat("shop/api")] }));
  const inPlace = () => withGateway(gatewayService("west"));
  const moved = () => withGateway(gatewayService("west", "192.0.2.99"));
  const linked = () => east("west");
  const { links } = argsFor([{ target: "west", gateway: false }]);
  const noGateway = { ...args, links };

  for (const [rule, source, target, of, reads] of [
    ["reads nothing again where it has read both", linked, inPlace, args, []],
    ["reads the source again once where its Link is missing", east, inPlace, args, ["east"]],
    ["reads a target again whose gateway has another address", linked, moved, args, ["west"]],
    ["reads a target again whose gateway is missing", linked, withGateway, args, ["west"]],
    ["needs no gateway for a link without one", linked, withGateway, noGateway, []],
    [
      "needs no gateway that it has not observed",
      linked,
      withGateway,
      { ...args, observedGateways: {} },
      [],
    ],
  ] as const)
    it(rule, async () => {
      const servers = { east: source(), west: target() };
      const inputs = await checked(servers, of);
      const clusters = new SimulatedClusters(servers);
      const again: string[] = [];
      for (const [name, server] of Object.entries(servers)) {
        await clusters.snapshot(name, { context: name });
        server.refuse = (request) => {
          if (request === "list services") again.push(name);
          return undefined;
        };
      }
      await carryOut(clusters, new KeysWantedInThisRun(), inputs, () => undefined, now);
      deepEqual(again, reads);
    });
});

describe("the status of a Link", () => {
  const key = "linkerd-multicluster/west";
  const linkIn = (source: ApiServer) => source.get("links", key) as object as LinkResource;

  /** The exported Services in the status, with their reasons. */
  function statusIn(source: ApiServer): string[] {
    const { mirrorServices = [], federatedServices = [] } = linkIn(source).status ?? {};
    return [...mirrorServices, ...federatedServices].map(
      ({ remoteRef: { namespace, name }, conditions = [] }) =>
        `${namespace}/${name} ${conditions[0]?.reason ?? ""}`,
    );
  }

  it("names what has failed, whatever else has changed in the Link meanwhile", async () => {
    const source = east("west");
    const spec = { targetClusterName: "west", gatewayAddress: "192.0.2.99" };
    source.refuse = (request) => {
      if (request !== "create services shop/db-west") return undefined;
      source.edit("links", key, { spec });
      return "invalid";
    };
    const { failure = "" } = await Mesh.of([source, west(web, exported("shop/db"))]).up();
    match(failure, /create Service shop\/db-west/);
    deepEqual(statusIn(source), ["shop/db Error", "shop/web Mirrored"]);
    deepEqual(linkIn(source).spec, spec);
  });

  it("does not fail the run where it can't be written, and is written by the next one", async () => {
    const source = east("west");
    const mesh = Mesh.of([source, west(web)]);
    source.refuse = (request) => (request.startsWith("patch links") ? "invalid" : undefined);
    const { failure, lines } = await mesh.up();
    equal(failure, undefined);
    match(
      lines.join("\n"),
      /^east: the status of Link linkerd-multicluster\/west stays as it was/m,
    );
    deepEqual(namesIn(source), ["shop/web-west"]);
    source.refuse = () => undefined;
    await mesh.up();
    deepEqual(statusIn(source), ["shop/web Mirrored"]);
  });

  for (const [rule, manage, end, left] of [
    ["is emptied when its link leaves the config", "mirrors", "up", []],
    ["is emptied when the stack is destroyed", "mirrors", "destroy", []],
    ["stays when the same run deletes the Link", "links", "destroy", ["shop/web Mirrored"]],
  ] as const)
    it(rule, async () => {
      const source = east("west", "north");
      const mesh = Mesh.of([source, west(web), north()], { manage });
      await mesh.up();
      mesh.link({ source: "east", target: "north" });
      equal((await mesh[end]()).failure, undefined);
      deepEqual(statusIn(source), left);
    });
});

describe("a namespace of mirrors", () => {
  const createNamespaces = { linkDefaults: { createNamespaces: true } };

  it("says for which link it was created", async () => {
    const source = east();
    await Mesh.of([source, west(exported("new/web"))], createNamespaces).up();
    const { labels = {} } = source.get("namespaces", "new")?.metadata ?? {};
    equal(labels["mirror.linkerd.io/cluster-name"], "west");
    equal(labels["mirror.linkerd.io/mirrored-service"], "true");
  });

  it("that can't be created is the failure of each mirror in it, and of no other", async () => {
    const source = east("west");
    source.refuse = (request) => (request === "create namespaces new" ? "invalid" : undefined);
    const members = west(member("new/bb"), member("new/cc"), member("shop/bb"));
    const { failure = "" } = await Mesh.of([source, members], createNamespaces).up();
    match(
      failure,
      /^2 mirrors: cluster east rejects .* create Namespace new .*\(new\/bb-federated, new\/cc-federated\)$/m,
    );
    deepEqual(namesIn(source), ["shop/bb-federated"]);
    const link = source.get("links", "linkerd-multicluster/west") as object as LinkResource;
    deepEqual(
      link.status?.federatedServices?.map(({ conditions = [] }) => conditions[0]?.reason),
      ["Error", "Error", "Mirrored"],
    );
  });
});

describe("the order of writes", () => {
  /** The Endpoints that were being written when those of a mirror were. */
  let meanwhile: Record<string, string[]>;
  let mesh: Mesh;

  const overlapping = (name: string): Plan => {
    const inFlight = new Set<string>();
    return ({ method, path, body }) => {
      if (name !== "east" || method === "GET" || !path.includes("/endpoints")) return undefined;
      const { metadata } = JSON.parse(body) as { readonly metadata: { readonly name: string } };
      // Whatever does not wait for this request has begun after a few turns.
      const turns = async () => {
        for (let rounds = 0; rounds < 5; rounds++) await turn();
      };
      const delay = async () => {
        inFlight.add(metadata.name);
        await turns();
        meanwhile[metadata.name] = [...inFlight].filter((one) => one !== metadata.name).sort();
        await turns();
        inFlight.delete(metadata.name);
      };
      return { delay };
    };
  };
  const up = async () => {
    meanwhile = {};
    equal((await mesh.up(overlapping)).failure, undefined);
  };

  beforeEach(async () => {
    const db = [headless("shop/db")];
    const target = serverWith(
      exporting("west", db, { endpoints: [endpoints("shop/db", [pods(["db-0", "db-1"])])] }),
    );
    mesh = Mesh.of([east(), target], { linkDefaults: { headless: true } });
    await up();
  });

  it("writes the Endpoints of a new headless mirror beside those of its pods' mirrors", () => {
    deepEqual(meanwhile, {
      "db-0-west": ["db-1-west", "db-west"],
      "db-1-west": ["db-0-west", "db-west"],
      "db-west": ["db-0-west", "db-1-west"],
    });
  });

  it("writes those of a headless mirror in use after those of a new pod's mirror", async () => {
    putEndpoints(mesh.server("west"), endpoints("shop/db", [pods(["db-0", "db-1", "db-2"])]));
    await up();
    deepEqual(meanwhile, { "db-2-west": [], "db-west": [] });
  });

  it("deletes a headless mirror before its pods' mirrors, to which it leads", async () => {
    const source = mesh.server("east");
    source.journal.length = 0;
    await mesh.destroy();
    deepEqual(
      writesTo(source).filter((write) => write.includes("services")),
      [
        "delete services shop/db-west",
        "delete services shop/db-0-west",
        "delete services shop/db-1-west",
      ],
    );
  });
});
