import { deepEqual, equal, match } from "node:assert/strict";
import type { Inputs } from "../../../engine/model/state.ts";
import { outputsOf } from "../../../engine/model/state.ts";
import { checkSource } from "../../../engine/mirroring/reconcile.ts";
import { removeAll } from "../../../engine/mirroring/removal.ts";
import { KeysWantedInThisRun } from "../../../engine/mirroring/keys-wanted.ts";
import type { ApiServer } from "../../simulation/api-server.ts";
import { runOf, type Servers, SimulatedClusters } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { Mesh } from "../../simulation/mesh.ts";
import { writesTo } from "../../simulation/outcome.ts";
import { argsFor, web } from "../fixtures/checked.ts";
import { clusterOf } from "../fixtures/scenario-text.ts";
import { cluster, controller, exporting, flat, member, now, service } from "../fixtures/objects.ts";

const bb = member("shop/bb");

/** Links from `west` and `north` into `east` after a run. */
async function mirrored(exports = [web]): Promise<{ mesh: Mesh; east: ApiServer }> {
  const east = serverWith(
    cluster("east", { namespaces: ["shop"], services: [service("shop/own")] }),
  );
  const west = serverWith(exporting("west", exports));
  const mesh = Mesh.of([east, west, serverWith(exporting("north", [flat("shop/api")]))]);
  equal((await mesh.up()).failure, undefined);
  east.journal.length = 0;
  return { mesh, east };
}

const namesIn = (east: ApiServer) =>
  [...east.all("services").keys()].filter((key) => key.startsWith("shop/")).sort();

describe("the deletion of a source's mirrors", () => {
  it("reads no target, and leaves everything else in the source", async () => {
    const { mesh, east } = await mirrored([web, bb]);
    for (const name of ["west", "north"]) mesh.server(name).refuse = () => "unreachable";
    east.put("services", service("shop/api"));
    const { failure, lines } = await mesh.destroy();
    deepEqual(
      [failure, lines],
      [
        undefined,
        [
          "east → north: -1 (- shop/api-north)",
          "east → west: -1 (- shop/web-west); shop/web loses its last backend",
          "east: federated Services -1 (- shop/bb-federated); shop/bb loses its last backend",
        ],
      ],
    );
    deepEqual([namesIn(east), [...east.all("endpoints").keys()]], [["shop/api", "shop/own"], []]);
  });

  it("includes mirrors of removed links that maxDeletions had kept", async () => {
    const { mesh, east } = await mirrored();
    mesh.link(
      { source: "east", target: "west", maxDeletions: 0 },
      { source: "east", target: "north" },
    );
    await mesh.up();
    mesh.link({ source: "east", target: "north" });
    match((await mesh.up()).failure ?? "", /maxDeletions/);
    equal((await mesh.destroy()).failure, undefined);
    deepEqual(namesIn(east), ["shop/own"]);
  });

  it("leaves the mirrors of a link that Linkerd's controller mirrors", async () => {
    const { mesh, east } = await mirrored();
    east.put("deployments", controller("west", 1));
    const { failure, lines } = await mesh.destroy();
    deepEqual([failure, namesIn(east)], [undefined, ["shop/own", "shop/web-west"]]);
    deepEqual(lines, [
      "east → west: its mirrors stay, because Deployment east/linkerd-multicluster/controller-west mirrors it now",
      "east → north: -1 (- shop/api-north); shop/api loses its last backend",
    ]);
  });

  for (const { what, exports } of [
    { what: "mirrors", exports: [web] },
    { what: "members of federated Services", exports: [bb] },
  ])
    it(`writes nothing if it can't know whether a controller owns the ${what}`, async () => {
      const { mesh, east } = await mirrored(exports);
      east.refuse = (request) => (request === "list deployments" ? "forbidden" : undefined);
      match((await mesh.destroy()).failure ?? "", /cluster east refuses to list deployments/);
      deepEqual(writesTo(east), []);
    });

  it("lists no Deployments if no mirror is left", async () => {
    const { mesh, east } = await mirrored();
    for (const key of ["shop/web-west", "shop/api-north"]) east.delete("services", key);
    east.refuse = (request) => (request === "list deployments" ? "forbidden" : undefined);
    equal((await mesh.destroy()).failure, undefined);
  });

  it("writes nothing if the context leads to another cluster", async () => {
    const { mesh, east } = await mirrored();
    east.put("namespaces", { metadata: { name: "kube-system", uid: "another" } });
    const { failure = "" } = await mesh.destroy();
    match(failure, /context east of cluster east leads to another cluster than before/);
    deepEqual(writesTo(east), []);
  });

  it("says how to give up a source that is gone", async () => {
    const { mesh, east } = await mirrored();
    east.refuse = () => "unreachable";
    match(
      (await mesh.destroy()).failure ?? "",
      /cluster east can't be reached .*; if it is gone for good, run pulumi up with linkerd-multicluster:clusters\.east\.revoked set to true/,
    );
  });
});

describe("the deletion of mirrors in a run that may want them under another cluster name", () => {
  const args = argsFor(["west"]);

  async function settled(): Promise<{ servers: Servers & { east: ApiServer }; inputs: Inputs }> {
    const east = serverWith(cluster("east", { namespaces: ["shop"] }));
    const servers = { east, west: serverWith(exporting("west", [web, bb])) };
    return { servers, inputs: await runOf(servers, args, now) };
  }

  async function remove(
    wanted: KeysWantedInThisRun,
    { servers, inputs }: Awaited<ReturnType<typeof settled>>,
  ) {
    const notes: string[] = [];
    const clusters = new SimulatedClusters(servers);
    const say = (line: string) => void notes.push(line);
    const failures = await removeAll(clusters, wanted, outputsOf(inputs), say, now).catch(
      (error: unknown) => [String(error)],
    );
    return { failures, notes, left: namesIn(servers.east) };
  }

  it("includes the probe of a gateway, which no list of mirrors with the label's value has", async () => {
    const extension = "linkerd-multicluster";
    const gateway = { namespace: extension, name: "linkerd-gateway", addresses: ["192.0.2.7"] };
    const link = { target: "west", prober: "x", gateway: { ...gateway, port: 1, identity: "gw" } };
    const words =
      "plain :mc-probe @mirror.linkerd.io/probe-path=/ready @mirror.linkerd.io/probe-period=3";
    const west = clusterOf("west", `${extension}/ ${extension}/linkerd-gateway(${words})`);
    const east = serverWith(cluster("east", { namespaces: [extension] }));
    const servers = { east, west: serverWith(west) };
    const inputs = await runOf(servers, argsFor([link], { statusIn: extension }), now);
    const probes = () => [...east.all("services").keys()].filter((key) => /ping/.test(key));
    deepEqual(probes(), ["linkerd-multicluster/ping-west"]);
    const { failures } = await remove(new KeysWantedInThisRun(), { servers, inputs });
    deepEqual([failures, probes()], [[], []]);
  });

  it("waits while another source of the run can't be read", async () => {
    const before = await settled();
    const unknown = new KeysWantedInThisRun();
    unknown.addUnread(undefined);
    const { failures, left } = await remove(unknown, before);
    match(failures.join(), /may be the same cluster under another name/);
    deepEqual(left, ["shop/bb-federated", "shop/web-west"]);
    const elsewhere = new KeysWantedInThisRun();
    elsewhere.addUnread("the identity of another cluster");
    const { notes, ...rest } = await remove(elsewhere, before);
    deepEqual([rest, notes.length], [{ failures: [], left: [] }, 2]);
  });

  it("keeps mirrors that another resource of the run wants", async () => {
    const before = await settled();
    const clusters = new SimulatedClusters(before.servers);
    const { outcome } = await checkSource(clusters, before.inputs, args, now);
    if (outcome.outcome !== "planned") throw new Error(outcome.outcome);
    const wanted = new KeysWantedInThisRun();
    wanted.add(outcome);
    deepEqual(await remove(wanted, before), {
      failures: [],
      notes: [
        "east → west: 1 mirror left, because this run has the same cluster under another name",
      ],
      left: ["shop/bb-federated", "shop/web-west"],
    });
  });
});
