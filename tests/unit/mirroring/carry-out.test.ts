import { deepEqual, equal, match } from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import type { LinkResource } from "../../../engine/kubernetes/objects/link-resource.ts";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import type { Inputs } from "../../../engine/model/state.ts";
import { carryOut } from "../../../engine/mirroring/carry-out.ts";
import { checkSource } from "../../../engine/mirroring/reconcile.ts";
import { KeysWantedInThisRun } from "../../../engine/mirroring/keys-wanted.ts";
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
  const adopted = (live: Service) => confirmedBy(other, unmarked(live));
  for (const { owner, edit, adoptFrom } of [
    { owner: "nobody", edit: unmarked<Service>, adoptFrom: [] },
    { owner: "a stack that it adopts from", edit: adopted, adoptFrom: [other] },
  ])
    it(`adds only its mark to a correct mirror of ${owner}`, async () => {
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

describe("a drain of a cluster", () => {
  it("fails the run while a source can't be read that no run has drained yet, and only then", async () => {
    const source = east();
    const mesh = Mesh.of([source, west(web)]);
    await mesh.up();
    const away = () => {
      source.refuse = () => "unreachable";
    };
    away();
    equal((await mesh.up()).failure, undefined);
    mesh.config = { ...mesh.config, clusters: { east: {}, west: { drained: true } } };
    match((await mesh.up()).failure ?? "", /west can't be drained yet: what east sends there/);
    match((await mesh.up()).failure ?? "", /west can't be drained yet/);
    source.refuse = () => undefined;
    equal((await mesh.up()).failure, undefined);
    away();
    equal((await mesh.up()).failure, undefined);
  });
});

describe("an update of a mirror", () => {
  it("keeps fields of other programs, although lists leave them out", async () => {
    const source = east();
    const mesh = Mesh.of([source, west(web)]);
    await mesh.up();
    const finalizers = ["example.com/hold"];
    source.edit("services", "shop/web-west", {
      metadata: { finalizers },
      spec: { ipFamilyPolicy: "PreferDualStack", ports: [{ port: 1 }] },
    });
    equal((await mesh.up()).failure, undefined);
    const live = source.get("services", "shop/web-west");
    deepEqual(live?.metadata.finalizers, finalizers);
    const { ipFamilyPolicy, ports } = live.spec as {
      readonly ipFamilyPolicy?: string;
      readonly ports: readonly { readonly port: number }[];
    };
    deepEqual([ipFamilyPolicy, ports.map(({ port }) => port)], ["PreferDualStack", [80]]);
  });
});

describe("a run whose clusters change between its plan and its writes", () => {
  const anotherCluster = (server: ApiServer) =>
    void server.put("namespaces", { metadata: { name: "kube-system", uid: "another" } });
  const withoutWeb = (server: ApiServer) => {
    server.delete("services", "shop/web");
  };
  const onlyNorth = ["shop/api-north", "shop/db-north", "shop/web-west"];
  const nothing = ["shop/api-north", "shop/web-west"];

  for (const { rule, changed, change, error, left } of [
    {
      rule: "leaves a link alone if the target's context now leads to another cluster",
      changed: "west",
      change: anotherCluster,
      error: /^context west of cluster west leads to another cluster than before/,
      left: onlyNorth,
    },
    {
      rule: "leaves a link alone if it would now delete too many mirrors",
      changed: "west",
      change: withoutWeb,
      error: /maxDeletions/,
      left: onlyNorth,
    },
    {
      rule: "writes nothing if the source's context now leads to another cluster",
      changed: "east",
      change: anotherCluster,
      error: /context east of cluster east leads to another cluster than before/,
      left: nothing,
    },
  ])
    it(rule, async () => {
      const mesh = Mesh.of([east(), west(web), north()], {
        links: [
          { source: "east", target: "west", maxDeletions: 0 },
          { source: "east", target: "north" },
        ],
      });
      await mesh.up();
      putServices(mesh.server("north"), exported("shop/db"));
      const { failure = "" } = await mesh.upWith(() => {
        change(mesh.server(changed));
        return Promise.resolve();
      });
      match(failure, error);
      deepEqual(namesIn(mesh.server("east")), left);
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
  it("keeps the mirror of a missing pod if the check kept it, even if the writes come late", async () => {
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

  it("keeps mirrors of a removed link that the run also wants under another cluster name", async () => {
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

  for (const { rule, source = linked, target = inPlace, of = args, reads } of [
    { rule: "reads nothing again if it has read both", reads: [] },
    {
      rule: "reads the source again if the reading lacks the Link",
      source: () => east(),
      reads: ["east"],
    },
    {
      rule: "reads a target again if its gateway had another address",
      target: moved,
      reads: ["west"],
    },
    { rule: "reads a target again if it had no gateway", target: withGateway, reads: ["west"] },
    {
      rule: "reads nothing again for a link without a gateway",
      target: withGateway,
      of: noGateway,
      reads: [],
    },
    {
      rule: "reads nothing again for a gateway that the run hasn't observed",
      target: withGateway,
      of: { ...args, observedGateways: {} },
      reads: [],
    },
  ])
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

  it("lists failed mirrors, and keeps what others have changed in the Link meanwhile", async () => {
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

  it("doesn't fail the run if it can't be written, and is updated by the next run", async () => {
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

  for (const { rule, manage, end, left } of [
    { rule: "is emptied when its link is removed", manage: "mirrors", end: "up", left: [] },
    { rule: "is emptied on destroy", manage: "mirrors", end: "destroy", left: [] },
    {
      rule: "stays as it is when the same run deletes the Link",
      manage: "links",
      end: "destroy",
      left: ["shop/web Mirrored"],
    },
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

describe("a namespace that a run creates for mirrors", () => {
  const createNamespaces = { linkDefaults: { createNamespaces: true } };

  it("is labelled with its link", async () => {
    const source = east();
    await Mesh.of([source, west(exported("new/web"))], createNamespaces).up();
    const { labels = {} } = source.get("namespaces", "new")?.metadata ?? {};
    equal(labels["mirror.linkerd.io/cluster-name"], "west");
    equal(labels["mirror.linkerd.io/mirrored-service"], "true");
  });

  it("fails only the mirrors in it if it can't be created", async () => {
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
  /** The Endpoints of other mirrors that were being written at the same time, by mirror. */
  let meanwhile: Record<string, string[]>;
  let mesh: Mesh;

  const overlapping = (name: string): Plan => {
    const inFlight = new Set<string>();
    return ({ method, path, body }) => {
      if (name !== "east" || method === "GET" || !path.includes("/endpoints")) return undefined;
      const { metadata } = JSON.parse(body) as { readonly metadata: { readonly name: string } };
      // A write that doesn't wait for this request starts within a few turns.
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

  it("writes the Endpoints of a new headless mirror together with those of its endpoint mirrors", () => {
    deepEqual(meanwhile, {
      "db-0-west": ["db-1-west", "db-west"],
      "db-1-west": ["db-0-west", "db-west"],
      "db-west": ["db-0-west", "db-1-west"],
    });
  });

  it("writes the Endpoints of a headless mirror in use after those of a new endpoint mirror", async () => {
    putEndpoints(mesh.server("west"), endpoints("shop/db", [pods(["db-0", "db-1", "db-2"])]));
    await up();
    deepEqual(meanwhile, { "db-2-west": [], "db-west": [] });
  });

  it("deletes a headless mirror before its endpoint mirrors", async () => {
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
