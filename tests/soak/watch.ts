/**
 * `npm run soak -- watch --minutes N` makes random changes and faults under `linkerd-clusters watch`. In the end, the
 * source must have what a fresh `up` creates. This takes too long for the suite.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

import { resources } from "../../engine/kubernetes/objects/resources.ts";
import { annotation } from "../../engine/model/vocabulary.ts";
import { until } from "../bed/bed.ts";
import { percentile } from "../../scripts/bench/figure.ts";
import { newStack, type PulumiStack } from "../bed/stack.ts";
import { type RunningWatch, settled, startWatch } from "../bed/running-watch.ts";
import { exportedService } from "../e2e/mirroring/objects.ts";
import {
  bedWithGateway,
  create,
  createNamespaces,
  installGateway,
  type SharedBed,
} from "../e2e/mirroring/shared-bed.ts";
import { WatchedRuns } from "../e2e/watched-runs.ts";
import { seed } from "../seed.ts";
import { Chance } from "./chance.ts";
import { change } from "./changes.ts";

const namespace = "soaked";
const minutes = Number(process.env["MINUTES"] ?? "60");
/** The memory of the watch is measured after this share of the time. */
const warmUp = 0.4;
/** Seconds. */
const patience = 600;

const config = {
  manage: "mirrors",
  clusters: { west: {}, east: {}, north: {} },
  links: [
    { source: "east", target: "west", headless: true },
    { source: "east", target: "north", headless: true },
  ],
  // Other tests cover the guards. A mirror of a missing pod is deleted at once, because a fresh run
  // would not know of it.
  linkDefaults: { allowDeletions: true, readiness: "follow" },
};

describe(`the watch under ${minutes} minutes of random changes and faults`, function () {
  this.timeout(0);

  const chance = new Chance(seed);
  const counts = new Map<string, number>();
  let shared: SharedBed;
  let stack: PulumiStack;
  let runs: WatchedRuns;
  let watch: RunningWatch;
  let away: "west" | "north" | "east" | undefined;
  const held: Awaited<ReturnType<typeof heldBy>>[] = [];

  before(async () => {
    shared = await bedWithGateway(namespace);
    await installGateway(shared.kube.north);
    await createNamespaces(shared.kube.west, [namespace]);
    await createNamespaces(shared.kube.north, [namespace]);
    const place = { shared, namespace, chance };
    for (let count = 0; count < 30; count += 1) await change(place, (name) => name !== "east");
    stack = await newStack(shared.bed, namespace, config);
    runs = new WatchedRuns(shared.bed.folder, namespace);
    watch = startWatch(shared.bed, stack);
    await settled(watch, patience, isConnected);
  });
  afterEach(function () {
    if (this.currentTest?.state !== "failed") return;
    for (const event of watch.events.slice(-40)) console.log(JSON.stringify(event));
  });
  after(async () => {
    if (!watch.isEnded()) process.kill(watch.pid, "SIGKILL");
    await watch.ended;
    console.log([...counts].map(([what, times]) => `${what}: ${times}`).join("\n"));
    console.log(`seed: ${seed}`);
  });

  it("keeps running", async () => {
    const place = { shared, namespace, chance };
    const begun = performance.now();
    const share = () => (performance.now() - begun) / (minutes * 60_000);
    while (share() < 1) {
      const luck = chance.next();
      if (away !== undefined && luck < 0.4) await restore();
      else if (away === undefined && luck < 0.08) await cut();
      else if (luck > 0.84) await runByHand();
      else counted(await change(place, (name) => name !== away));
      // Some changes come together, and others one by one.
      if (chance.next() < 0.3 && away === undefined) await settled(watch, patience, isConnected);
      else await sleep(chance.below(4_000));
      ok(!watch.isEnded(), "the watch has ended by itself");
      if (share() > warmUp) held.push(await heldBy(watch.pid));
    }
    await restore();
    // Once the last export has its mirror, the watch has seen everything before it.
    for (const target of ["west", "north"] as const) {
      await create(shared.kube[target], exportedService(`${namespace}/last`));
      const at = { namespace, name: `last-${target}` };
      await until(at.name, [watch], () => shared.kube.east.find(resources.services, at), patience);
    }
    await settled(watch, patience, isConnected);
  });

  it("makes what a fresh run makes, and leaves no lock, record or process", async () => {
    const soaked = await contents();
    ok(soaked.length > 0);
    process.kill(watch.pid, "SIGTERM");
    equal(await watch.ended, 0);
    deepEqual(await runs.locks(), []);
    deepEqual(await runs.records(), []);
    deepEqual(await runs.started(), []);
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await stack.pulumi("destroy", "--yes", "--skip-preview");
    deepEqual(await contents(), []);
    await stack.pulumi("up", "--yes", "--skip-preview");
    deepEqual(soaked, await contents());
  });

  it("holds no more memory and files in the end than after warming up", () => {
    const quarter = Math.ceil(held.length / 4);
    const [first, final] = [held.slice(0, quarter), held.slice(-quarter)];
    const middle = (part: typeof held, of: "memory" | "open") =>
      percentile(
        part.map((each) => each[of]),
        0.5,
      );
    console.log(
      `memory, median of the first and last quarter: ${middle(first, "memory").toFixed(0)}, ${middle(final, "memory").toFixed(0)} MB;`,
      `at most ${Math.max(...held.map(({ memory }) => memory)).toFixed(0)} MB`,
    );
    console.log(`open files: ${middle(first, "open")}, ${middle(final, "open")}`);
    ok(middle(final, "memory") < middle(first, "memory") * 1.25);
    ok(middle(final, "open") <= middle(first, "open") + 2);
  });

  function counted(what: string | undefined): void {
    if (what !== undefined) counts.set(what, (counts.get(what) ?? 0) + 1);
  }

  async function cut(): Promise<void> {
    away = chance.one(["west", "north", "east"]);
    const how = chance.one(["refused", "silent"] as const);
    await shared.bed.clusters[away].cut(how);
    counted(`a cluster cut off, ${how}`);
  }

  async function restore(): Promise<void> {
    if (away === undefined) return;
    await shared.bed.clusters[away].restore();
    away = undefined;
  }

  /** Runs an update that competes with the watch for the lock. */
  async function runByHand(): Promise<void> {
    const { code } = await stack.run(["up", "--yes", "--skip-preview"]);
    counted(code === 0 ? "an up by hand" : "an up by hand that failed");
  }

  /** Returns the mirrors without what the API server assigns, and with a Service's name in place of its address. */
  async function contents(): Promise<string[]> {
    const services = await shared.kube.east.list(resources.services, { namespace });
    const endpoints = await shared.kube.east.list(resources.endpoints, { namespace });
    const owners = new Map<unknown, string>(
      services.map(({ metadata, spec }) => [spec.clusterIP, metadata.name]),
    );
    owners.delete("None");
    const shown = [
      ...services.map(({ metadata: { name, labels, annotations }, spec: { type, ports } }) => {
        return { name, labels, annotations, type, ports };
      }),
      ...endpoints.map(({ metadata: { name, labels }, subsets }) => ({ name, labels, subsets })),
    ];
    return shown
      .map((each) =>
        // A new version alone causes no write.
        JSON.stringify(each, (key, value: unknown) =>
          key === annotation.remoteResourceVersion ? undefined : (owners.get(value) ?? value),
        ),
      )
      .sort();
  }

  /** Returns the resident memory in MB, and the number of open files, pipes and connections. */
  async function heldBy(pid: number) {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    const open = (await readdir(`/proc/${pid}/fd`)).length;
    return { memory: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024, open };
  }
});

/** Whether every lost watch is open again, except those of Links, which no cluster serves. */
function isConnected({ events }: RunningWatch): boolean {
  const isWatched = new Map<string, boolean>();
  for (const each of events)
    if ((each.event === "watching" || each.event === "watchLost") && each.kind !== "links")
      isWatched.set(`${each.cluster} ${each.kind}`, each.event === "watching");
  return [...isWatched.values()].every(Boolean);
}
