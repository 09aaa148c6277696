import { deepEqual, equal, ok } from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { processTable, runVariable } from "../../automation/process-table.ts";
import { resources } from "../../engine/kubernetes/resources.ts";
import type { WatchEvent } from "../../engine/watch/events.ts";
import { until } from "../../testbed/bed.ts";
import { newStack, type PulumiStack } from "../../testbed/stack.ts";
import { isSettled, type RunningWatch, startWatch } from "../../testbed/watch.ts";
import { repeated, seed } from "../reliability/effort.ts";
import { patchService, relabel, removeService, unexport } from "./mirroring/changes.ts";
import { worldWithGateway } from "./mirroring/gateway.ts";
import { exported, exportedService } from "./mirroring/objects.ts";
import { create, each, type World } from "./mirroring/world.ts";

const namespace = "watched";
/** Seconds that one thing may take on a machine that has nothing to spare. */
const patience = 300;
/** A hundred times by `SOAK=33 npm test -- tests/e2e/watch.test.ts`. */
const kills = repeated(3);

const victims = ["the watch", "the CLI", "the provider", "all of them"] as const;
const moments = ["once it runs", "once it holds the lock", "once the provider is there"] as const;

/** Each test goes on from the one before. */
describe("npm run watch", function () {
  this.timeout("15m");

  let world: World;
  let stack: PulumiStack;
  let watch: RunningWatch;

  before(async function () {
    this.timeout("20m");
    world = await worldWithGateway(namespace);
    await exportOf("first", "second", "third");
    const links = [{ source: "east", target: "west", maxDeletions: 2 }];
    const config = { manage: "mirrors", clusters: { west: {}, east: {} }, links };
    stack = await newStack(world.bed, namespace, config);
    watch = startWatch(world.bed, stack);
  });
  afterEach(function () {
    if (this.currentTest?.state !== "failed") return;
    console.log(
      watch.events
        .slice(-30)
        .map((each) => JSON.stringify(each))
        .join("\n"),
    );
  });
  after(async () => {
    if (!watch.isEnded()) process.kill(watch.pid, "SIGKILL");
    await watch.ended;
  });

  it("makes what is missing when it starts", async () => {
    await mirrored("first");
    await settled();
  });

  it("mirrors what is exported", async () => {
    await exportOf("fourth");
    await mirrored("fourth");
  });

  it("brings back a mirror that somebody deletes", async () => {
    await settled();
    await removeService(world.kube.east, `${namespace}/first-west`);
    await mirrored("first");
  });

  it("does not run for what it has written itself, and leaves no history where it did not run", async () => {
    await settled();
    const before = runs("up");
    const looks = watch.events.length;
    // Of a mirror, and none of what is mirrored.
    const spec = { sessionAffinity: "ClientIP" };
    await patchService(world.kube.east, `${namespace}/first-west`, { spec });
    await event((each) => each.event === "looked", looks);
    await settled();
    equal(runs("up"), before);
    equal(await historyEntries(), before);
  });

  it("goes on where a cluster has been away, and meanwhile with the others", async () => {
    const { west } = world.bed.clusters;
    await west.cut();
    await event((each) => each.event === "watchLost" && each.cluster === "west");
    await removeService(world.kube.east, `${namespace}/second-west`);
    // Nothing can be concluded about a mirror of a cluster that is away.
    await event(
      ({ event, ...rest }) => event === "looked" && JSON.stringify(rest).includes('"away":{"west"'),
    );
    await west.restore();
    await mirrored("second");
    await settled();
  });

  it("forces nothing that the guards refuse, and goes on once the cause is gone", async () => {
    const before = runs("up");
    const gone = ["first", "second", "third"];
    const { west } = world.kube;
    await each(gone, (name) => relabel(west, `${namespace}/${name}`, unexport));
    const { why } = await event(isState("refused"));
    ok(
      why.some((sentence) => sentence.includes("maxDeletions")),
      why.join("; "),
    );
    equal(runs("up"), before);
    for (const name of gone) await mirrored(name);
    await each(gone, (name) => relabel(west, `${namespace}/${name}`, exported));
    await event(isState("settled"));
  });

  it("ends a run that is under way when it is terminated, and leaves no lock", async () => {
    await exportOf("fifth");
    await event((each) => each.event === "runBegan" && each.command === "up");
    process.kill(watch.pid, "SIGTERM");
    equal(await watch.ended, 0);
    deepEqual(await locks(), []);
  });

  for (let round = 0; round < kills; round += 1) {
    // All of them come up in a sample of the combinations, which differs from seed to seed.
    const whom = victims[(seed + round) % victims.length];
    const when = moments[(seed + round * 5) % moments.length];
    it(`makes up for it when somebody kills ${String(whom)} ${String(when)} (round ${round + 1})`, async () => {
      if (watch.isEnded()) watch = startWatch(world.bed, stack);
      await settled();
      await exportOf(`killed-${round}`);
      await event((each) => each.event === "runBegan" && each.command === "up");
      await until(String(when), [], async () => (await isReached(when)) || undefined, patience);
      for (const pid of await pidsOf(whom)) processTable.kill(pid);
      if (whom === "the watch" || whom === "all of them") {
        equal(await watch.ended, "SIGKILL");
        watch = startWatch(world.bed, stack);
      }
      await mirrored(`killed-${round}`);
      await settled();
      deepEqual(await locks(), []);
      await until("the end of all that was started", [], async () =>
        (await started()).length === 0 ? true : undefined,
      );
    });
  }

  it("leaves nothing to do for a run by hand", async () => {
    if (watch.isEnded()) watch = startWatch(world.bed, stack);
    await settled();
    process.kill(watch.pid, "SIGTERM");
    equal(await watch.ended, 0);
    await stack.pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  });

  async function exportOf(...names: readonly string[]): Promise<void> {
    const services = names.flatMap((name) => exportedService(`${namespace}/${name}`));
    await create(world.kube.west, services);
  }

  async function mirrored(name: string): Promise<void> {
    const at = { namespace, name: `${name}-west` };
    const begun = performance.now();
    await until(
      `the mirror of ${name}`,
      [],
      () => world.kube.east.find(resources.services, at),
      patience,
    );
    const took = ((performance.now() - begun) / 1000).toFixed(1);
    if (Number(took) > 0) console.log(`      ${name} was mirrored after ${took} s`);
  }

  /** The next event of the kind that is there, or comes. */
  function event<E extends WatchEvent>(
    isIt: ((each: WatchEvent) => each is E) | ((each: WatchEvent) => boolean),
    from = watch.events.length,
  ): Promise<E> {
    return until(
      "an event",
      [],
      () => Promise.resolve(watch.events.slice(from).find((each): each is E => isIt(each))),
      patience,
    );
  }

  /** Whatever has been told was looked at, and nothing is left to do. */
  async function settled(): Promise<void> {
    await until("the watch to settle", [], () => Promise.resolve(isSettled(watch)), patience);
  }

  function runs(command: "up" | "preview"): number {
    return watch.events.filter((each) => each.event === "runBegan" && each.command === command)
      .length;
  }

  async function historyEntries(): Promise<number> {
    const folder = join(world.bed.folder, "pulumi-state", ".pulumi", "history");
    const files = await readdir(folder, { recursive: true });
    return files.filter((file) => file.includes(namespace) && /\.history\.json$/.test(file)).length;
  }

  async function locks(): Promise<string[]> {
    const folder = join(world.bed.folder, "pulumi-state", ".pulumi", "locks");
    const files = await readdir(folder, { recursive: true }).catch(() => []);
    return files.filter((file) => file.includes(namespace) && file.endsWith(".json"));
  }

  async function isReached(when: (typeof moments)[number] | undefined): Promise<boolean> {
    if (when === "once it holds the lock") return (await locks()).length > 0;
    if (when === "once it runs") return true;
    return (await started()).some(({ line }) => line.includes("cmd/dynamic-provider"));
  }

  async function pidsOf(whom: (typeof victims)[number] | undefined): Promise<number[]> {
    const all = await started();
    const those = (isIt: (line: string) => boolean) =>
      all.flatMap(({ pid, line }) => (isIt(line) ? [pid] : []));
    switch (whom) {
      case "the watch":
        return [watch.pid];
      case "the CLI":
        return those((line) => line.startsWith("pulumi up "));
      case "the provider":
        return those((line) => line.includes("cmd/dynamic-provider"));
      default:
        return [watch.pid, ...those(() => true)];
    }
  }

  /** Everything that the runs of this watch have started and that has not ended, by its command. */
  async function started(): Promise<{ readonly pid: number; readonly line: string }[]> {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(
      pids.map(async (pid) => {
        const read = (file: string) => readFile(join("/proc", pid, file), "utf8").catch(() => "");
        const environment = await read("environ");
        const isOurs =
          environment.includes(`\0${runVariable}=`) && environment.includes(world.bed.folder);
        if (!isOurs || processTable.identity(Number(pid)) === undefined) return [];
        return [{ pid: Number(pid), line: (await read("cmdline")).replaceAll("\0", " ") }];
      }),
    );
    return found.flat();
  }
});

function isState(state: string) {
  return (each: WatchEvent): each is WatchEvent & { readonly event: "state" } =>
    each.event === "state" && each.state === state;
}
