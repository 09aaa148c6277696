import { deepEqual, equal, match } from "node:assert/strict";
import { omitUndefined } from "../../../../engine/base/omit-undefined.ts";
import type { Inputs } from "../../../../engine/model/state.ts";
import { checkSource } from "../../../../engine/mirroring/reconcile.ts";
import { dryRun, DryRunClusters, movedHostnames } from "../../../../cli/watch/dry-run.ts";
import { Probers } from "../../../../cli/watch/probers.ts";
import type { ApiServer } from "../../../simulation/api-server.ts";
import { runOf, SimulatedClusters } from "../../../simulation/clusters.ts";
import { putServices, serverWith } from "../../../simulation/contents.ts";
import { writesTo } from "../../../simulation/outcome.ts";
import { Gateway } from "../../admitting/gateway.ts";
import { argsFor } from "../../fixtures/checked.ts";
import {
  cluster,
  endpoints,
  exported,
  exporting,
  gatewayService,
  headless,
  later,
  now,
  pods,
} from "../../fixtures/objects.ts";

describe("a dry run", () => {
  let clusters: { west: ApiServer; readonly east: ApiServer };
  let inputs: Inputs;

  beforeEach(async () => {
    const services = ["a", "b", "c", "d"].map((name) => exported(`shop/${name}`));
    clusters = {
      west: serverWith(exporting("west", services)),
      east: serverWith(cluster("east", { namespaces: ["shop"] })),
    };
    await run();
  });

  /** Runs twice, since the first run reports what it has changed. */
  async function run(args = argsFor([{ target: "west", maxDeletions: 2 }])): Promise<void> {
    inputs = await runOf(clusters, args, now, await runOf(clusters, args, now));
    clusters.east.journal.length = 0;
  }

  async function seen(at?: Date) {
    const world = new SimulatedClusters(clusters);
    const seenAs = Object.assign(new DryRunClusters(), { client: world.client.bind(world) });
    const watched = [{ planned: inputs, before: inputs }];
    const { sources, dueIn } = await dryRun(watched, seenAs, [], at);
    deepEqual(writesTo(clusters.east), []);
    const [source] = sources;
    if (source === undefined) throw new Error("the dry run tells nothing of east");
    return { ...source, dueIn, hostnames: seenAs.hostnames, probers: seenAs.probers };
  }

  it("finds nothing to do after a run, and counts a new export", async () => {
    const inOrder = {
      source: "east",
      status: "inSync",
      refusals: [],
      unreachable: {},
      parts: { west: { mirrors: 4, notMirrored: 0 } },
      dueIn: undefined,
      gateways: {},
      probers: [],
      hostnames: new Map(),
    };
    deepEqual(await seen(), inOrder);
    clusters.west.put("services", exported("shop/new", {}, { clusterIP: "None" }));
    const parts = { west: { mirrors: 5, notMirrored: 0 } };
    deepEqual(await seen(), { ...inOrder, status: "changed", parts });
  });

  it("finds a closed gateway that a run would change, although no mirror does", async () => {
    const gateway = new Gateway(exported("shop/web"));
    await gateway.up();
    const changes = async () => {
      const world = new SimulatedClusters({ west: gateway.server });
      const seenAs = Object.assign(new DryRunClusters(), { client: world.client.bind(world) });
      return (await dryRun([], seenAs, [await gateway.check("take")])).changesGates;
    };
    equal(await changes(), false);
    gateway.export(exported("shop/web"), exported("shop/new"));
    equal(await changes(), true);
    await gateway.up();
    equal(await changes(), false);
    gateway.server.refuse = () => "unreachable";
    equal(await changes(), false);
  });

  it("reports what a guard refuses", async () => {
    for (const name of ["a", "b", "c"]) clusters.west.delete("services", `shop/${name}`);
    const { status, refusals, unreachable } = await seen();
    deepEqual({ status, unreachable }, { status: "refused", unreachable: {} });
    match(refusals.join(), /maxDeletions/);
  });

  it("says when the mirror of a missing pod is due for deletion", async () => {
    const listing = (...hosts: string[]) =>
      serverWith(
        exporting("west", [headless("shop/db")], {
          endpoints: [endpoints("shop/db", [pods(hosts)])],
        }),
      );
    const args = argsFor([{ target: "west", headless: true, maxDeletions: 9 }]);
    const found = async (at: Date) => {
      const { status, dueIn } = await seen(at);
      return [status, dueIn];
    };
    clusters.west = listing("db-0", "db-1");
    await run(args);
    clusters.west = listing("db-0");
    deepEqual(await found(now), ["inSync", 295_000]);
    deepEqual(await found(later), ["changed", undefined]);
    // A deletion that is not possible now must not be due again and again.
    clusters.west.refuse = () => "unreachable";
    equal((await seen(later)).dueIn, undefined);
  });

  it("reports an unreadable kubeconfig as a refusal", async () => {
    const nowhere = { context: "nowhere", kubeconfig: "/nowhere" };
    const args = argsFor(["west"], { clusters: { east: nowhere, west: nowhere } });
    const state = { ...args, mirrors: {}, revision: 1 };
    const [source] = (await dryRun([{ planned: state, before: state }], new DryRunClusters()))
      .sources;
    equal(source?.status, "refused");
    match(source.refusals.join(), /\/nowhere/);
  });

  it("reports an unreachable cluster, which one run has to record", async () => {
    clusters.west.refuse = () => "unreachable";
    const { unreachable, status } = await seen();
    deepEqual([Object.keys(unreachable), status], [["west"], "changed"]);
    await run();
    equal((await seen()).status, "inSync");
  });

  it("returns the hostnames of gateways with their addresses", async () => {
    const at = { namespace: "g", name: "g", addresses: ["localhost"] };
    const gateway = { ...at, port: 4143, identity: "i" };
    const args = argsFor([{ target: "west", gateway }]);
    ({ inputs } = (await checkSource(new SimulatedClusters(clusters), {}, args, now)).checked);
    const { hostnames } = await seen();
    deepEqual([...hostnames.keys()], ["localhost"]);
    match(hostnames.get("localhost")?.join() ?? "", /127\.0\.0\.1|::1/);
  });

  it("notes what probers say, and it is noticed once if one says something else", async () => {
    const namespace = "linkerd-multicluster";
    const { metadata, spec, status } = gatewayService("west");
    const annotations = {
      ...metadata.annotations,
      "mirror.linkerd.io/probe-path": "/ready",
      "mirror.linkerd.io/probe-period": "3",
    };
    const ports = [...(spec.ports ?? []), { name: "mc-probe", port: 4191 }];
    putServices(clusters.west, {
      metadata: { ...metadata, annotations },
      spec: { ...spec, ports },
      ...omitUndefined({ status }),
    });
    const args = argsFor([{ target: "west", prober: "bed.local/watch:1" }], {
      statusIn: namespace,
    });
    ({ inputs } = (await checkSource(new SimulatedClusters(clusters), {}, args, now)).checked);
    const says = (verdict: string) =>
      clusters.east.put("leases", {
        metadata: {
          namespace,
          name: "service-mirror-write-west",
          annotations: { "linkerd-multicluster/gateway": verdict },
        },
        spec: { renewTime: new Date().toISOString() },
      });
    says("alive, 5 ms");
    const { probers: known, gateways } = await seen();
    deepEqual(gateways, { west: { alive: true, milliseconds: 5 } });
    const probers = new Probers();
    probers.update(known, new SimulatedClusters(clusters));
    const changed = async () => (await probers.changed()).map(({ isDown }) => isDown);
    deepEqual(await changed(), []);
    says("down, HTTP status 503");
    deepEqual([await changed(), await changed()], [[true], []]);
    clusters.east.refuse = () => "unreachable";
    deepEqual(await changed(), []);
    clusters.east.refuse = () => undefined;
    says("alive, 7 ms");
    deepEqual(await changed(), [false]);
    // It asks the gateway's last address, also while nobody knows the present one.
    clusters.west.delete("services", `${namespace}/linkerd-gateway`);
    says("down, timeout");
    probers.update((await seen()).probers, new SimulatedClusters(clusters));
    deepEqual(await changed(), []);
    says("alive, 7 ms");
    deepEqual(await changed(), [false]);
    says("down, HTTP status 503");
    deepEqual(await changed(), [true]);
    clusters.east.delete("leases", `${namespace}/service-mirror-write-west`);
    deepEqual(await changed(), [false]);
  });

  it("asks no prober of a flat link, which has no gateway to tell of", async () => {
    const flat = { target: "west", prober: "bed.local/watch:1", gateway: false } as const;
    const args = argsFor([flat], { statusIn: "linkerd-multicluster" });
    ({ inputs } = (await checkSource(new SimulatedClusters(clusters), {}, args, now)).checked);
    deepEqual((await seen()).probers, []);
  });
});

describe("a gateway's hostname", () => {
  const known = new Map([
    ["a.example", ["10.0.0.1", "10.0.0.2"]],
    ["b.example", []],
  ]);
  const missing = Object.assign(new Error("DNS has no address for it"), { code: "ENOTFOUND" });
  const moved = (answers: Readonly<Record<string, readonly string[]>>) =>
    movedHostnames(known, (name) =>
      answers[name] === undefined ? Promise.reject(missing) : Promise.resolve(answers[name]),
    );

  it("has moved if it resolves to another address, or for the first time", async () => {
    deepEqual(await moved({ "a.example": ["10.0.0.3"] }), ["a.example"]);
    deepEqual(await moved({ "b.example": ["10.0.0.4"] }), ["b.example"]);
  });

  it("has not moved if only the order differs, or it does not resolve, since DNS may be down", async () => {
    deepEqual(await moved({ "a.example": ["10.0.0.2", "10.0.0.1"] }), []);
    deepEqual(await moved({}), []);
  });
});
