import assert from "node:assert/strict";

import { until } from "../bed/bed.ts";
import { type RunningWatch, settled, startWatch } from "../bed/running-watch.ts";
import { newStack, type PulumiStack } from "../bed/stack.ts";
import * as clusters from "../e2e/access-clusters.ts";
import { accepting, authorizationPolicies, gateOf, server } from "./accepted-routes.ts";
import { configOf, exported, meshConfig, realBed } from "./real-mesh.ts";
import { skipNote } from "./real-plugins.ts";

const patience = 300;
const shop = (name: string) => clusters.inNamespace("shop", `services/${name}`);
const unlabelled = { metadata: { labels: { "mirror.linkerd.io/exported": null } } };

/** No proxy runs here, and each test continues from the one before. */
describe(`a closed gateway under a watch, with real plugins and charts${skipNote}`, function () {
  this.timeout("20m");

  const real = realBed(["west", "east"]);
  let stack: PulumiStack;
  let watch: RunningWatch | undefined;

  before(async () => {
    const { west, east } = real.clusters;
    for (const cluster of [west, east]) await clusters.addNamespace(cluster, "shop");
    for (const name of ["web", "api"]) await clusters.addService(west, "shop", name, exported);
    const closed = { ...configOf(west), gatewayAccess: "exported" };
    const links = [{ source: "east", target: "west", allowDeletions: true }];
    const own = { clusters: { west: closed, east: configOf(east) }, links };
    stack = await newStack(real.bed, "closed", meshConfig(real.clusters, own));
    await accepting(west, () => stack.pulumi("up", "--yes", "--skip-preview"));
    assert.deepEqual(await gateOf(west), [true, ["api", "web"]]);
  });
  afterEach(function () {
    if (this.currentTest?.state !== "failed") return;
    for (const each of watch?.events.slice(-30) ?? []) console.log(JSON.stringify(each));
  });
  after(async () => {
    if (watch?.isEnded() === false) process.kill(watch.pid, "SIGKILL");
    await watch?.ended;
  });

  it("takes access when a Service is exported no longer", async () => {
    const { west } = real.clusters;
    watch = startWatch(real.bed, stack);
    await settledWatch();
    const begun = performance.now();
    await west.request("PATCH", shop("api"), unlabelled);
    await gateIs([true, ["web"]]);
    const took = ((performance.now() - begun) / 1000).toFixed(1);
    console.log(`      closed to it after ${took} s`);
    await settledWatch();
  });

  it("is closed at the next change if somebody has opened it", async () => {
    const { west } = real.clusters;
    const path = `${authorizationPolicies}/linkerd-gateway`;
    await west.request("PATCH", path, { spec: { targetRef: server } });
    // The mirror has this already.
    await west.request("PATCH", shop("web"), { metadata: { annotations: { "by-hand": "x" } } });
    await accepting(west, () => gateIs([true, ["web"]]));
  });

  it("is closed when the watch begins if somebody has opened it before", async () => {
    const { west } = real.clusters;
    if (watch !== undefined) process.kill(watch.pid, "SIGTERM");
    await watch?.ended;
    const path = `${authorizationPolicies}/linkerd-gateway`;
    await west.request("PATCH", path, { spec: { targetRef: server } });
    watch = startWatch(real.bed, stack);
    await accepting(west, () => gateIs([true, ["web"]]));
  });

  function settledWatch(): Promise<unknown> {
    if (watch === undefined) throw new Error("there is no watch");
    return settled(watch, patience);
  }

  function gateIs(wanted: Awaited<ReturnType<typeof gateOf>>): Promise<true> {
    const isReached = async () =>
      JSON.stringify(await gateOf(real.clusters.west)) === JSON.stringify(wanted) || undefined;
    return until(JSON.stringify(wanted), watch === undefined ? [] : [watch], isReached, patience);
  }
});
