import { deepEqual, equal, ok } from "node:assert/strict";

import type { Inputs } from "../../../../engine/mirroring/model/state.ts";
import { ControlLoop } from "../../../../tool/watch/control-loop.ts";
import type { RunEnd, SourceStatus } from "../../../../tool/watch/events.ts";
import { VirtualTime } from "../../../simulation/time.ts";

type Status = SourceStatus["status"];

const nothing: RunEnd = { result: "succeeded", changes: 0 };
const failed: RunEnd = { result: "failed", changes: 0, why: "the API server is away" };
const locked: RunEnd = { result: "locked", changes: 0, why: "it is locked by ann@laptop" };

/** A stack, all of which a test may change as it goes. */
class Scene {
  readonly time = new VirtualTime();
  /** What was done, and when it began: `up 21100 but east`. */
  readonly done: string[] = [];
  /** When the state was read. */
  readonly read: number[] = [];
  /** The states, with why and when it is tried again, and what has converged. */
  readonly told: string[] = [];
  /** Of the sources east and north. */
  status: Status = "inSync";
  other: Status = "inSync";
  /** Milliseconds until something is due that no cluster tells of, by each dry run. */
  readonly dueIn: number[] = [];
  /** Whether a dry run fails, and whether the state can be read. */
  isBlind = false;
  isStateThere = true;
  preview = nothing;
  up: RunEnd = { result: "succeeded", changes: 1 };
  /** How long each takes, in milliseconds. */
  readonly takes = { dryRun: 100, preview: 3_000, up: 4_000 };
  readonly loop = new ControlLoop({
    stack: {
      sources: () => {
        this.read.push(this.time.now());
        return this.isStateThere
          ? Promise.resolve([{ source: "east" } as Inputs])
          : Promise.reject(new Error("the state is away"));
      },
      preview: (excluded) => this.#work("preview", () => this.preview, excluded),
      up: (excluded) => this.#work("up", () => this.#ran(excluded), excluded),
    },
    dryRun: () => this.#work("dryRun", () => this.#seen()),
    meshWatch: { update: () => Promise.resolve() },
    observe: (event) => {
      if (event.event === "converged") this.told.push(`converged ${event.milliseconds}`);
      if (event.event === "state")
        this.told.push([event.state, event.retryIn, ...event.why].filter(Boolean).join(" "));
    },
    ...{ time: this.time, resync: 600_000 },
  });
  #atOnce = 0;

  /** When something was begun. */
  times(what: keyof Scene["takes"]): number[] {
    const lines = this.done.filter((line) => line.startsWith(what));
    return lines.map((line) => parseInt(line.split(" ")[1] ?? ""));
  }

  #ran(excluded: readonly string[]): RunEnd {
    if (this.up.result === "succeeded" && !excluded.includes("east")) this.status = "inSync";
    return this.up;
  }

  #seen() {
    if (this.isBlind) throw new Error("the dry run was ended (SIGKILL)");
    const statuses = { east: this.status, north: this.other };
    const sources = Object.entries(statuses).map(([source, status]) => ({
      ...{ source, status, parts: {}, unreachable: {} },
      refusals: status === "refused" ? ["it would delete too many"] : [],
    }));
    const dueIn = this.dueIn.shift();
    return { sources, ...(dueIn !== undefined && { dueIn }) };
  }

  async #work<T>(
    what: keyof Scene["takes"],
    result: () => T,
    excluded: readonly string[] = [],
  ): Promise<T> {
    const but = excluded.map((source) => ` but ${source}`).join("");
    this.done.push(`${what} ${this.time.now()}${but}`);
    this.#atOnce += 1;
    equal(this.#atOnce, 1, "two things at the same time");
    await this.time.sleep(this.takes[what]);
    this.#atOnce -= 1;
    return result();
  }
}

/** What happens at a time, in milliseconds from the start. */
type Happening = readonly [at: number, what: (scene: Scene) => unknown];

const changes =
  (cluster = "west") =>
  (scene: Scene) => {
    scene.loop.trigger(cluster);
  };
const changed = changes();
/** As after an export: a dry run will find something to do. */
const exported = (scene: Scene) => {
  scene.status = "changed";
  changed(scene);
};

/** A watch that is stopped at the end, from which what is under way is still waited for. */
async function watched(end: number, ...happenings: readonly Happening[]): Promise<Scene> {
  const scene = new Scene();
  const stop = new AbortController();
  for (const [at, happen] of happenings) {
    if (at === 0) happen(scene);
    else void scene.time.sleep(at).then(() => happen(scene));
  }
  void scene.time.sleep(end).then(() => {
    stop.abort();
  });
  await scene.loop.run(stop.signal);
  return scene;
}

/** The dry run and the preview with which every watch begins. */
const start = ["dryRun 0", "preview 100"];

describe("a watch of a stack", () => {
  it("sees to everything at the start and every ten minutes, and runs nothing if all is in order", async () => {
    const scene = await watched(1_250_000);
    const again = ["dryRun 600000", "preview 600100", "dryRun 1200000", "preview 1200100"];
    deepEqual(scene.done, [...start, ...again]);
    deepEqual(scene.told, ["starting", "settled", "settled", "settled"]);
  });

  it("runs what the preview finds and no dry run does", async () => {
    const found = (scene: Scene) => (scene.preview = { ...nothing, changes: 2 });
    deepEqual((await watched(60_000, [0, found])).done, [...start, "up 3100"]);
  });

  it("makes a dry run once there has been no change for a second, and runs only if there is something to do", async () => {
    const some = [10_000, 10_300, 10_900].map((at) => [at, changed] as const);
    // What a run has written costs another one.
    const scene = await watched(60_000, ...some, [20_000, exported], [24_000, changed]);
    deepEqual(scene.done, [...start, "dryRun 11900", "dryRun 21000", "up 21100", "dryRun 25100"]);
    deepEqual(scene.told.slice(3), ["running", "converged 5100", "settled", "settled"]);
    deepEqual(scene.read, [0, 25_100]);
  });

  it("does not wait longer than five seconds for a pause", async () => {
    const many = Array.from({ length: 12 }, (_, index) => [10_000 + index * 500, changed] as const);
    deepEqual((await watched(60_000, ...many)).done, [...start, "dryRun 15000", "dryRun 16500"]);
  });

  it("forces nothing that was refused before there is a change, or the next resync, and goes on once the cause is gone", async () => {
    const refused = (scene: Scene) => (scene.status = "refused");
    const scene = await watched(700_000, [0, refused], [300_000, changed], [650_000, exported]);
    const [first, second] = ["preview 100 but east", "preview 600100 but east"];
    const resync = ["dryRun 301000", "dryRun 600000", second];
    deepEqual(scene.done, ["dryRun 0", first, ...resync, "dryRun 651000", "up 651100"]);
    deepEqual(scene.told[1], "refused 596900 it would delete too many");
    deepEqual(scene.told.slice(-3), ["running", "converged 5100", "settled"]);
  });

  it("goes on with the sources that nothing is refused for", async () => {
    const refused = (scene: Scene) => (scene.other = "refused");
    const scene = await watched(100_000, [0, refused], [50_000, exported]);
    const begun = ["dryRun 0", "preview 100 but north"];
    deepEqual(scene.done, [...begun, "dryRun 51000", "up 51100 but north"]);
    deepEqual(scene.told.slice(2), ["running", "refused 544900 it would delete too many"]);
  });

  it("says that the stack is locked, even if its state can't be read then, and tries again", async () => {
    const away = (scene: Scene) => (scene.isStateThere = false);
    const back = (scene: Scene) => (scene.isStateThere = true);
    const begin = [0, (scene: Scene) => (scene.up = locked)] as const;
    const scene = await watched(15_000, begin, [5_000, exported], [7_000, away], [12_000, back]);
    deepEqual(scene.done, [...start, "dryRun 6000", "up 6100", "dryRun 13850", "up 13950"]);
    deepEqual(scene.told.slice(3), ["locked 3750 it is locked by ann@laptop", "running"]);
    deepEqual(scene.read, [0, 10_100, 13_850]);
  });

  it("makes a dry run when the time of something is over, once, and not before because of a change", async () => {
    // The time holds on, however often it is read.
    const waiting = [0, (scene: Scene) => scene.dueIn.push(300_000, 250_000)] as const;
    const due = (scene: Scene) => (scene.status = "changed");
    const scene = await watched(500_000, waiting, [49_100, changed], [300_000, due]);
    deepEqual(scene.done, [...start, "dryRun 50100", "dryRun 300200", "up 300300"]);
  });

  it("tries that dry run again like any other if it fails", async () => {
    const waiting = [0, (scene: Scene) => scene.dueIn.push(10_000)] as const;
    const scene = await watched(14_000, waiting, [5_000, (it) => (it.isBlind = true)]);
    deepEqual(scene.done, [...start, "dryRun 10100", "dryRun 13950"]);
  });

  for (const [what, end, done] of [
    ["a dry run", 11_050, []],
    ["a run", 12_000, ["up 11100"]],
  ] as const)
    it(`waits for ${what} that is under way when it is stopped, and begins no other`, async () => {
      const scene = await watched(end, [10_000, exported], [11_500, changed]);
      ok(scene.time.now() >= (done.length === 0 ? 11_100 : 15_100));
      deepEqual(scene.done, [...start, "dryRun 11000", ...done]);
      deepEqual(scene.told.slice(2), done.length === 0 ? [] : ["running"]);
    });

  it("sees to all changes every few seconds, while a cluster never stops changing", async () => {
    const end = 600_000;
    const noise = Array.from({ length: end / 500 }, (_, index) => index * 500);
    const hostile = noise.map((at) => [at, changes("hostile")] as const);
    const scene = await watched(end - 1, ...hostile, [500_000, changes("honest")]);
    const times = scene.times("dryRun");
    ok(times.length <= end / 5_000 + 1, `${times.length} dry runs`);
    ok(
      times.some((time) => time >= 500_000 && time <= 505_000),
      times.join(),
    );
  });

  it("tells whether a change is the first of its cluster since the last dry run", async () => {
    const news: boolean[] = [];
    const note = (cluster: string) => (scene: Scene) => news.push(scene.loop.trigger(cluster));
    const all = ["west", "west", "north", "west"].map(note);
    const at = all.map(
      (what, index) => [[10_000, 10_100, 10_200, 20_000][index] ?? 0, what] as const,
    );
    await watched(30_000, ...at);
    deepEqual(news, [true, false, true, true]);
  });

  for (const [what, begin, expected] of [
    ["a dry run lasts longer than one may", (scene) => (scene.takes.dryRun = 2_000_000), true],
    ["dry runs fail for as long as one may last", (scene) => (scene.isBlind = true), true],
    ["a run takes its time", (scene) => (scene.takes.up = 2_000_000), false],
  ] as readonly [string, (scene: Scene) => unknown, boolean][])
    it(`${expected ? "is" : "is not"} stuck where ${what}`, async () => {
      const stuck: boolean[] = [];
      const note = ({ loop }: Scene) => stuck.push(loop.isStuck);
      const mend = (scene: Scene) => {
        scene.isBlind = false;
        scene.takes.dryRun = 100;
      };
      const notes = [550_500, 1_400_000, 1_990_000, 3_900_000].map((at) => [at, note] as const);
      const begun = [549_999, begin] as const;
      await watched(4_000_000, begun, [550_000, exported], ...notes, [2_000_000, mend]);
      deepEqual(stuck, [false, false, expected, false]);
    });

  it("tries what failed again after ever longer waits, five minutes at most, until it succeeds", async () => {
    const mend = (scene: Scene) => (scene.preview = nothing);
    const begin = [0, (scene: Scene) => (scene.preview = failed)] as const;
    const some = [4_000, 990_000].map((at) => [at, changed] as const);
    const scene = await watched(1_000_000, begin, [900_000, mend], ...some);
    const times = scene.times("preview");
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0) - 3_100);
    // A dry run and a preview come between.
    deepEqual(waits, [3_750, 7_500, 15_000, 30_000, 60_000, 120_000, 225_000, 225_000, 225_000]);
    equal(scene.told[1], `failing 3750 ${failed.why}`);
    // A change soon after a failure waits with it, and one after the success is dealt with as ever.
    deepEqual(scene.times("dryRun").slice(0, 2), [0, 6_850]);
    deepEqual(scene.told.slice(-2), ["settled", "settled"]);
  });

  it("goes on with what is possible half a minute after a failure, and does not take that for mended", async () => {
    const failing = [0, (scene: Scene) => (scene.preview = failed)] as const;
    const scene = await watched(1_000_000, failing, [150_000, changed], [400_000, exported]);
    const [at = 0, ...more] = scene.times("up");
    ok(at < 431_000 && more.length === 0, `up at ${at}`);
    ok(!scene.told.slice(0, scene.told.indexOf("running")).includes("settled"));
  });
});
