import { deepEqual, equal, match, ok } from "node:assert/strict";

import { resources } from "../../../engine/kubernetes/objects/resources.ts";
import type { WatchEvent } from "../../../cli/watch/events.ts";
import { until } from "../../bed/bed.ts";
import { type Config, newStack, type PulumiStack } from "../../bed/stack.ts";
import { type RunningWatch, settled, startWatch } from "../../bed/running-watch.ts";
import { repeated } from "../../reliability/effort.ts";
import { seed } from "../../seed.ts";
import { exported, exportedService, service, unexport } from "../mirroring/objects.ts";
import {
  bedWithGateway,
  create,
  createNamespaces,
  each,
  patch,
  relabel,
  remove,
  type SharedBed,
} from "../mirroring/shared-bed.ts";
import { victims, WatchedRuns } from "../watched-runs.ts";

const namespace = "watched";
/** Seconds that one step may take on a busy machine. */
const patience = 300;
/** `npm run soak -- --times 100 tests/e2e/mesh/watch.test.ts` kills a hundred times. */
const kills = repeated(1);

const moments = ["once it runs", "once it holds the lock", "once the provider is there"] as const;

/** Each test continues from the one before. */
describe("linkerd-clusters watch", function () {
  this.timeout("20m");

  let shared: SharedBed;
  let stack: PulumiStack;
  let config: { readonly clusters: object; readonly links: readonly object[] } & Config;
  let runs: WatchedRuns;
  let watch: RunningWatch;

  before(async () => {
    shared = await bedWithGateway(namespace);
    await createNamespaces(shared.kube.north, [namespace]);
    await exportOf("first", "second", "third");
    const links = [
      { source: "east", target: "west", maxDeletions: 2 },
      { source: "north", target: "west", maxDeletions: 100 },
    ];
    config = { manage: "mirrors", clusters: { west: {}, east: {}, north: {} }, links };
    stack = await newStack(shared.bed, namespace, config);
    runs = new WatchedRuns(shared.bed.folder, namespace);
    watch = startWatch(shared.bed, stack);
  });
  afterEach(function () {
    if (this.currentTest?.state !== "failed") return;
    for (const each of watch.events.slice(-30)) console.log(JSON.stringify(each));
  });
  after(async () => {
    if (!watch.isEnded()) process.kill(watch.pid, "SIGKILL");
    await watch.ended;
  });

  it("creates what is missing when it starts", async () => {
    await mirrored("first");
    await settled(watch, patience);
  });

  it("mirrors new exports, and recreates a mirror that somebody deletes", async () => {
    await exportOf("fourth");
    await remove(shared.kube.east, "Service", `${namespace}/first-west`);
    await mirrored("fourth");
    await mirrored("first");
  });

  it("keeps the mirror of a Service that is deleted and created again, alone and between other exports", async () => {
    const at = { namespace, name: "second-west" };
    const uid = async () =>
      (await shared.kube.east.find(resources.services, at))?.metadata.uid ?? "no mirror";
    const before = await uid();
    const replace = async () => {
      await remove(shared.kube.west, "Service", `${namespace}/second`);
      await exportOf("second");
    };
    await replace();
    await settled(watch, patience);
    await Promise.all([exportOf("beside"), replace(), exportOf("behind")]);
    await mirrored("beside");
    await mirrored("behind");
    await settled(watch, patience);
    equal(await uid(), before);
  });

  it("doesn't run because of its own writes, and leaves no history without a run", async () => {
    await settled(watch, patience);
    const before = ups();
    const from = watch.events.length;
    const metadata = { labels: { "by-hand": "kept" } };
    await patch(shared.kube.east, "Service", `${namespace}/first-west`, { metadata });
    await event((each) => each.event === "dryRun", from);
    await settled(watch, patience);
    equal(ups(), before);
    equal(await runs.history(), before);
  });

  it("serves other clusters while one is down, and that one once it is back", async () => {
    const { west } = shared.bed.clusters;
    await west.cut();
    await event((each) => each.event === "watchLost" && each.cluster === "west");
    await remove(shared.kube.east, "Service", `${namespace}/second-west`);
    // Nothing can be concluded about mirrors of an unreachable cluster.
    await event(
      ({ event, ...rest }) =>
        event === "dryRun" && JSON.stringify(rest).includes('"unreachable":{"west"'),
    );
    await west.restore();
    await mirrored("second");
    await settled(watch, patience);
  });

  it("respects the guards, continues elsewhere, and resumes once the cause is gone", async () => {
    const from = watch.events.length;
    const gone = ["first", "second", "third"];
    const { west } = shared.kube;
    await each(gone, (name) => relabel(west, `${namespace}/${name}`, unexport));
    const { why } = await event(isState("refused"), from);
    ok(
      why.some((sentence) => sentence.includes("maxDeletions")),
      why.join("; "),
    );
    for (const name of gone) {
      await mirrored(name);
      const at = { namespace, name: `${name}-west` };
      equal(await shared.kube.north.find(resources.services, at), undefined);
    }
    await each(gone, (name) => relabel(west, `${namespace}/${name}`, exported));
    await event(isState("settled"));
  });

  it("follows the config: a guard that is lifted, a mistake, a new link, and a cluster that is revoked", async () => {
    const from = watch.events.length;
    const gone = ["first", "second", "third"];
    const { west, east, north } = shared.kube;
    const find = (name: string) =>
      east.find(resources.services, { namespace, name: `${name}-west` });
    await each(gone, (name) => relabel(west, `${namespace}/${name}`, unexport));
    await event(isState("refused"), from);
    ok(await find("first"));
    const [first, ...others] = config.links;
    config = { ...config, links: [{ ...first, allowDeletions: true }, ...others] };
    const lifted = watch.events.length;
    await stack.configure(config);
    await until("deletions", [watch], async () => (await find("first")) === undefined || undefined);
    await event(isState("settled"), lifted);
    // A run that began before all three were gone may have failed, too.
    const mistaken = watch.events.length;
    await stack.configure({ ...config, links: "none" });
    const { why } = await event(isState("failing"), mistaken);
    match(why.join(), /links is "none"/);
    config = {
      ...config,
      links: [...config.links, { source: "west", target: "north", gateway: false }],
    };
    await stack.configure(config);
    await event(
      (each) => each.event === "clusters" && each.kinds["west"]?.includes("links") === true,
    );
    const labels = { "mirror.linkerd.io/exported": "remote-discovery" };
    await create(north, [service(`${namespace}/other`, { labels })]);
    await until("the new link's mirror", [watch], () =>
      west.find(resources.services, { namespace, name: "other-north" }),
    );
    await settled(watch, patience);
    config = { ...config, clusters: { ...config.clusters, north: { revoked: true } } };
    await stack.configure(config);
    await event((each) => each.event === "clusters" && !("north" in each.kinds));
    await settled(watch, patience);
    await each(gone, (name) => relabel(west, `${namespace}/${name}`, exported));
    await each(gone, mirrored);
  });

  for (let round = 0; round < kills; round += 1) {
    // The seed decides which combinations a sample tests.
    const whom = victims[(seed + round) % victims.length] ?? "the watch";
    const when = moments[(seed + round * 5) % moments.length] ?? "once it runs";
    it(`recovers when somebody kills ${whom} ${when} (round ${round + 1})`, async () => {
      await exportOf(`killed-${round}`);
      await event((each) => each.event === "runBegan" && each.command === "up");
      await until(when, [watch], async () => (await isReached(when)) || undefined, patience);
      await runs.kill(whom, watch);
      if (whom === "the watch" || whom === "all of them") {
        equal(await watch.ended, "SIGKILL");
        watch = startWatch(shared.bed, stack);
      }
      await mirrored(`killed-${round}`);
      await settled(watch, patience);
      deepEqual(await runs.locks(), []);
      const isOver = async () => (await runs.started()).length === 0 || undefined;
      await until("the end of all that was started", [watch], isOver);
    });
  }

  it("ends a running update on SIGTERM, and leaves no lock", async () => {
    await exportOf("fifth");
    await event((each) => each.event === "runBegan" && each.command === "up");
    // Pulumi obeys a signal only some time after it has taken the lock. Before that, the next watch removes the lock.
    await until("its provider", [watch], async () => (await runs.hasProvider()) || undefined);
    ok((await runs.locks()).length > 0);
    process.kill(watch.pid, "SIGTERM");
    equal(await watch.ended, 0);
    deepEqual(await runs.locks(), []);
  });

  async function exportOf(...names: readonly string[]): Promise<void> {
    const services = names.flatMap((name) => exportedService(`${namespace}/${name}`));
    await create(shared.kube.west, services);
  }

  async function mirrored(name: string): Promise<void> {
    const at = { namespace, name: `${name}-west` };
    const begun = performance.now();
    await until(
      `the mirror of ${name}`,
      [watch],
      () => shared.kube.east.find(resources.services, at),
      patience,
    );
    const took = ((performance.now() - begun) / 1000).toFixed(1);
    if (Number(took) > 0) console.log(`      ${name} was mirrored after ${took} s`);
  }

  /** Waits for the first such event since `from`. */
  function event<E extends WatchEvent>(
    isIt: ((each: WatchEvent) => each is E) | ((each: WatchEvent) => boolean),
    from = watch.events.length,
  ): Promise<E> {
    return until(
      "an event",
      [watch],
      () => Promise.resolve(watch.events.slice(from).find((each): each is E => isIt(each))),
      patience,
    );
  }

  function ups(): number {
    return watch.events.filter((each) => each.event === "runBegan" && each.command === "up").length;
  }

  async function isReached(when: (typeof moments)[number]): Promise<boolean> {
    if (when === "once it holds the lock") return (await runs.locks()).length > 0;
    return when === "once it runs" ? (await runs.started()).length > 0 : runs.hasProvider();
  }
});

function isState(state: string) {
  return (each: WatchEvent): each is WatchEvent & { readonly event: "state" } =>
    each.event === "state" && each.state === state;
}
