import { deepEqual, equal } from "node:assert/strict";
import { keyOf, type ObjectKey, type Service } from "../../../engine/kubernetes/objects.ts";
import { endpoints, headless, pods, service } from "../../unit/fixtures/objects.ts";
import { Runs, target, toWest } from "./runs.ts";

const args = toWest({ headless: true, readiness: "follow" });

/** `west` with headless Services that have these pods. */
function sets(all: Readonly<Record<ObjectKey, readonly string[]>>, ...services: Service[]) {
  const keys = Object.keys(all) as ObjectKey[];
  return target(
    "west",
    [...keys.map((key) => headless(key)), ...services],
    ...keys.map((key) => endpoints(key, [pods(all[key] ?? [])])),
  );
}

/** Where the pods of a headless mirror lead in the end, by their names. */
async function reached(runs: Runs, root: ObjectKey): Promise<Record<string, string[]>> {
  const { subsets = [] } = await runs.endpoints(root);
  const addresses = subsets.flatMap((subset) => subset.addresses ?? []);
  const { services } = await runs.east.snapshot();
  const here = [...services.values()].filter(({ metadata }) =>
    root.startsWith(`${metadata.namespace}/`),
  );
  const entries = addresses.map(async ({ ip, hostname = "" }) => {
    const behind = here.filter(({ spec }) => spec.clusterIP === ip);
    return [hostname, (await Promise.all(behind.map((one) => runs.leadsTo(keyOf(one))))).flat()];
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string[]>;
}

const gateway = ["192.0.2.10:4143"];

describe("bugs of Linkerd's controller: headless mirrors", () => {
  it("linkerd2#6090: every pod of a StatefulSet has a name that leads to the gateway", async () => {
    const runs = new Runs();
    await runs.up([sets({ "shop/db": ["db-0", "db-1"] })], args);
    deepEqual(await runs.mirrors(), ["shop/db-0-west", "shop/db-1-west", "shop/db-west"]);
    equal((await runs.service("shop/db-west")).spec.clusterIP, "None");
    deepEqual(await reached(runs, "shop/db-west"), { "db-0": gateway, "db-1": gateway });
  });

  for (const readiness of ["follow", "ignore"] as const) {
    it(`linkerd2#7858: further runs leave endpoint mirrors filled, though the target has no Endpoints by their names (readiness: ${readiness})`, async () => {
      const runs = new Runs();
      for (const targets of [[sets({ "shop/db": ["db-0"] })], [], []]) {
        await runs.up(targets, toWest({ headless: true, readiness }));
        deepEqual(await runs.leadsTo("shop/db-0-west"), gateway);
      }
    });
  }

  it("linkerd2#8474: an export label that comes later counts, wherever Kubernetes has copied it by then", async () => {
    const runs = new Runs();
    const spec = { clusterIP: "None" };
    const db = service("shop/db", {}, spec);
    const behind = endpoints("shop/db", [pods(["db-0"])]);
    await runs.up([target("west", [db], behind)], args);
    deepEqual(await runs.mirrors(), []);
    await runs.up([target("west", [headless("shop/db")], behind)], args);
    deepEqual(await runs.mirrors(), ["shop/db-0-west", "shop/db-west"]);
  });

  it("linkerd2#8755: what is no longer exported stays away when its pods change after that", async () => {
    const runs = new Runs();
    await runs.up([sets({ "shop/db": ["db-0"] })], args);
    const private_ = service("shop/db", {}, { clusterIP: "None" });
    // Its Endpoints still have the label.
    const labels = { "mirror.linkerd.io/exported": "true", "service.kubernetes.io/headless": "" };
    for (const names of [["db-0"], ["db-0", "db-1"], []]) {
      const behind = endpoints("shop/db", [pods(names)], { labels });
      await runs.up([target("west", [private_], behind)], args);
      const { endpoints: left } = await runs.east.snapshot();
      deepEqual([await runs.mirrors(), [...left.keys()]], [[], []]);
    }
  });

  it("linkerd2#12500: mirrors of pods, which have no Service of their name in the target, are no orphans", async () => {
    const runs = new Runs();
    const all = ["shop/db-0-west", "shop/db-west", "shop/web-west"];
    const web = service("shop/web", { labels: { "mirror.linkerd.io/exported": "true" } });
    await runs.up([sets({ "shop/db": ["db-0"] }, web)], args);
    deepEqual(await runs.mirrors(), all);
    // A process that is new knows nothing but what the clusters have.
    await runs.up([sets({ "shop/db": ["db-0"] })], args);
    deepEqual(await runs.mirrors(), all.slice(0, 2));
    await runs.up([sets({})], args);
    deepEqual(await runs.mirrors(), []);
  });

  const both = {
    "bank/db": ["db-0", "db-1"],
    "shop/db": ["db-0"],
  } as const;
  const inBank = ["bank/db-0-west", "bank/db-1-west", "bank/db-west"];

  it("linkerd2#15201: same-named headless Services of two namespaces keep their own pods' mirrors", async () => {
    const runs = new Runs();
    await runs.up([sets({ ...both, "shop/db": ["db-0", "db-1"] })], args);
    await runs.up([sets(both)], args);
    deepEqual(await runs.mirrors(), [...inBank, "shop/db-0-west", "shop/db-west"]);
    deepEqual(await reached(runs, "bank/db-west"), { "db-0": gateway, "db-1": gateway });
    deepEqual(await reached(runs, "shop/db-west"), { "db-0": gateway });
  });

  it("linkerd2#15201: and un-exporting one of them takes nothing of the other", async () => {
    const runs = new Runs();
    await runs.up([sets(both)], args);
    await runs.up([sets({ "bank/db": both["bank/db"] })], args);
    deepEqual(await runs.mirrors(), inBank);
    deepEqual(await reached(runs, "bank/db-west"), { "db-0": gateway, "db-1": gateway });
  });
});
