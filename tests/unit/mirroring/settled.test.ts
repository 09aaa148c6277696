import { deepEqual } from "node:assert/strict";
import { checkSource } from "../../../engine/mirroring/reconcile.ts";
import {
  foundVariable,
  type Losses,
  lossesOf,
  whenSettled,
} from "../../../engine/mirroring/settled.ts";
import { carryOut } from "../../../engine/mirroring/carry-out.ts";
import { KeysWantedInThisRun } from "../../../engine/mirroring/keys-wanted.ts";
import { type Before, entryOf, type MirrorsArgs } from "../../../engine/model/state.ts";
import type { Clusters } from "../../../engine/reading/clusters.ts";
import { SimulatedClusters, runOf } from "../../simulation/clusters.ts";
import { serverWith } from "../../simulation/contents.ts";
import { argsFor, web } from "../fixtures/checked.ts";
import { cluster, exported, exporting } from "../fixtures/objects.ts";

const args = argsFor(["west"]);
const now = () => new Date("2026-01-01T00:00:00Z");
const gone = "west shop/web-west";
const checkOf = (clusters: Clusters, before: Before, of: MirrorsArgs, settled?: Losses) =>
  whenSettled(clusters, of, () => checkSource(clusters, before, of, now()), [], settled);

describe("a run of a watch that finds an export gone", () => {
  for (const [what, settled, isBack, expected, waited] of [
    ["looks again after a second, and takes its mirror if it is still gone", {}, false, [gone], 1],
    ["keeps the mirror of one that was only replaced", {}, true, [], 1],
    [
      "takes the mirror at once if the watch has seen it gone for a second",
      [gone],
      false,
      [gone],
      0,
    ],
    ["takes it at once in a run that no watch has started", undefined, true, [gone], 0],
  ] as const)
    it(what, async () => {
      const servers = {
        east: serverWith(cluster("east", { namespaces: ["shop"] })),
        west: serverWith(exporting("west", [web])),
      };
      const before = await runOf(servers, args, now());
      const exported = servers.west.all("services").get("shop/web") ?? {};
      servers.west.delete("services", "shop/web");
      const clusters = new SimulatedClusters(servers);
      let seconds = 0;
      clusters.time.sleep = (milliseconds) => {
        seconds += milliseconds / 1_000;
        if (isBack) servers.west.put("services", exported);
        return Promise.resolve();
      };
      const known = settled && { east: Array.isArray(settled) ? settled : [] };
      const { outcome } = await checkOf(clusters, before, args, known);
      deepEqual([lossesOf(outcome), seconds], [expected, waited]);
    });

  it("reads again as long as a reading lacks something else, whatever a guard says of it", async () => {
    const [api, db] = [exported("shop/api"), exported("shop/db")];
    const servers = {
      east: serverWith(cluster("east", { namespaces: ["shop"] })),
      west: serverWith(exporting("west", [web, api, db])),
    };
    const { west } = servers;
    const strict = argsFor([{ target: "west", maxDeletions: 1 }]);
    const before = await runOf(servers, strict, now());
    const all = new Map(west.all("services"));
    const away = (...keys: readonly string[]) => {
      for (const [key, service] of all)
        if (!keys.includes(key)) west.put("services", service);
        else if (west.all("services").has(key)) west.delete("services", key);
    };
    away("shop/web", "shop/api");
    const later = [["shop/web", "shop/db"], ["shop/web"], ["shop/web"]];
    const clusters = new SimulatedClusters(servers);
    clusters.time.sleep = () => {
      away(...(later.shift() ?? []));
      return Promise.resolve();
    };
    const { outcome } = await checkOf(clusters, before, strict, {});
    deepEqual([lossesOf(outcome), later], [[gone], []]);
  });

  it("looks again also in an update that decides from another reading than its check", async () => {
    const servers = {
      east: serverWith(cluster("east", { namespaces: ["shop"] })),
      west: serverWith(exporting("west", [web])),
    };
    const { east, west } = servers;
    const before = await runOf(servers, args, now());
    const uid = () => east.get("services", "shop/web-west")?.metadata.uid;
    const mirror = uid();
    const clusters = new SimulatedClusters(servers);
    const { outcome, checked } = await checkOf(clusters, before, args, {});
    const exported = west.all("services").get("shop/web") ?? {};
    west.delete("services", "shop/web");
    await clusters.refetch("west", entryOf(args, "west"));
    clusters.time.sleep = () => {
      west.put("services", exported);
      return Promise.resolve();
    };
    process.env[foundVariable] = "/no/such/file";
    try {
      const run = { inputs: checked.inputs, outcome };
      const wanted = new KeysWantedInThisRun();
      await carryOut(clusters, wanted, checked.inputs, () => undefined, now(), run);
    } finally {
      Reflect.deleteProperty(process.env, foundVariable);
    }
    deepEqual([typeof mirror, uid()], ["string", mirror]);
  });

  it("asks nothing of a cluster that the watch finds away, and keeps its mirrors", async () => {
    const servers = {
      east: serverWith(cluster("east", { namespaces: ["shop"] })),
      west: serverWith(exporting("west", [web])),
    };
    const { east, west } = servers;
    const before = await runOf(servers, args, now());
    west.delete("services", "shop/web");
    west.refuse = (line) => {
      throw new Error(`west was asked to ${line}`);
    };
    const clusters = new SimulatedClusters(servers, { west: "west doesn't answer" });
    const { outcome, checked } = await checkOf(clusters, before, args, {});
    const { inputs } = checked;
    const wanted = new KeysWantedInThisRun();
    const run = { inputs, outcome };
    await carryOut(clusters, wanted, inputs, () => undefined, now(), run);
    deepEqual(
      [inputs.unreachable, typeof east.get("services", "shop/web-west")],
      [["west"], "object"],
    );
  });
});
