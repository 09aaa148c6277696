import { deepEqual, equal, ok } from "node:assert/strict";

import type { Inputs } from "../../../engine/mirroring/model/state.ts";
import { ControlLoop } from "../../../engine/watch/control-loop.ts";
import type { RunEnd, SourceStatus, WatchEvent } from "../../../engine/watch/events.ts";
import { VirtualTime } from "../../simulation/time.ts";

type Status = SourceStatus["status"];

const succeeded: RunEnd = { result: "succeeded", changes: 0 };
const failed: RunEnd = { result: "failed", changes: 0, why: "the API server is away" };

/** A stack, all of which a test may change as it goes. */
class Scene {
  readonly time = new VirtualTime();
  readonly stop = new AbortController();
  readonly events: WatchEvent[] = [];
  /** What was done, and when it began: `up 21100 but east`. */
  readonly done: string[] = [];
  /** Of the sources east and north. */
  status: Status = "inSync";
  other: Status = "inSync";
  /** Milliseconds until something is due that no cluster tells of, by each dry run. */
  readonly dueIn: number[] = [];
  /** Whether a dry run fails. */
  isBlind = false;
  /** Whether the state can be read. */
  isStateThere = true;
  preview: RunEnd = succeeded;
  up: RunEnd = { result: "succeeded", changes: 1 };
  /** How long each takes, in milliseconds. */
  readonly takes = { dryRun: 100, preview: 3_000, up: 4_000 };
  #atOnce = 0;
  #loop: ControlLoop | undefined;

  /** Lets that many milliseconds pass from the start, with what happens meanwhile. */
  async until(end: number, ...happenings: readonly (readonly [number, () => void])[]) {
    for (const [at, happen] of happenings) void this.time.sleep(at).then(happen);
    void this.time.sleep(end).then(() => {
      this.stop.abort();
    });
    this.#loop = new ControlLoop({
      stack: {
        sources: () =>
          this.isStateThere
            ? Promise.resolve([{ source: "east" } as Inputs])
            : Promise.reject(new Error("the state is away")),
        preview: (excluded) => this.#work("preview", () => this.preview, excluded),
        up: (excluded) => this.#work("up", () => this.#ran(excluded), excluded),
      },
      dryRunner: { run: () => this.#work("dryRun", () => this.#seen()), prepare: () => undefined },
      meshWatch: { update: () => Promise.resolve() },
      observe: (event) => this.events.push(event),
      ...{ time: this.time, resync: 600_000 },
    });
    await this.#loop.run(this.stop.signal);
  }

  get states(): string[] {
    return this.events.flatMap((event) => (event.event === "state" ? [event.state] : []));
  }

  get isStuck(): boolean | undefined {
    return this.#loop?.isStuck;
  }

  changed = (cluster = "west") => {
    this.#loop?.trigger(cluster);
  };

  /** As after an export: a dry run will find something to do. */
  exported = () => {
    this.status = "changed";
    this.changed();
  };

  /** When something was begun. */
  times(what: keyof Scene["takes"]): number[] {
    return this.done
      .filter((line) => line.startsWith(what))
      .map((line) => parseInt(line.split(" ")[1] ?? ""));
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
    return { sources, hostnames: {}, ...(dueIn !== undefined && { dueIn }) };
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

/** The dry run and the preview with which every watch begins. */
const start = ["dryRun 0", "preview 100"];

describe("a watch of a stack", () => {
  let scene: Scene;
  beforeEach(() => (scene = new Scene()));

  it("sees to everything at the start and every ten minutes, and runs nothing if all is in order", async () => {
    await scene.until(1_250_000);
    const again = ["dryRun 600000", "preview 600100", "dryRun 1200000", "preview 1200100"];
    deepEqual(scene.done, [...start, ...again]);
    deepEqual(scene.states, ["starting", "settled", "settled", "settled"]);
  });

  it("runs what the preview finds and no dry run does", async () => {
    scene.preview = { result: "succeeded", changes: 2 };
    await scene.until(60_000);
    deepEqual(scene.done, [...start, "up 3100"]);
  });

  it("makes a dry run once there has been no change for a second, and runs only if there is something to do", async () => {
    const changes = [10_000, 10_300, 10_900].map((at) => [at, scene.changed] as const);
    // What a run has written costs another one.
    const later = [
      [20_000, scene.exported],
      [24_000, scene.changed],
    ] as const;
    await scene.until(60_000, ...changes, ...later);
    deepEqual(scene.done, [...start, "dryRun 11900", "dryRun 21000", "up 21100", "dryRun 25100"]);
    const [converged] = scene.events.filter(({ event }) => event === "converged");
    deepEqual(converged, { event: "converged", milliseconds: 5_100 });
  });

  it("does not wait longer than five seconds for a pause", async () => {
    const changes = Array.from({ length: 12 }, (_, index) => 10_000 + index * 500);
    await scene.until(60_000, ...changes.map((at) => [at, scene.changed] as const));
    deepEqual(scene.done, [...start, "dryRun 15000", "dryRun 16500"]);
  });

  it("has no cluster read all the time for one that never stops changing, and others' changes at once", async () => {
    const end = 600_000;
    const changed = (cluster: string) => () => {
      scene.changed(cluster);
    };
    const noise = Array.from({ length: end / 500 }, (_, index) => index * 500);
    const hostile = noise.map((at) => [at, changed("hostile")] as const);
    await scene.until(end - 1, ...hostile, [500_000, changed("honest")]);
    const times = scene.times("dryRun");
    // Thirty of its own, one more in each thirty seconds, and the honest one.
    ok(times.length <= 30 + 20 + 1, `${times.length} dry runs`);
    ok(times.includes(501_000), times.join());
  });

  for (const [what, begin, expected] of [
    ["a dry run lasts longer than one may", () => (scene.takes.dryRun = 2_000_000), true],
    ["dry runs fail for as long as one may last", () => (scene.isBlind = true), true],
    ["a run takes its time", () => (scene.takes.up = 2_000_000), false],
  ] as const)
    it(`${expected ? "is" : "is not"} stuck where ${what}`, async () => {
      const stuck: (boolean | undefined)[] = [];
      const note = () => stuck.push(scene.isStuck);
      const later = () => {
        begin();
        scene.exported();
      };
      const mend = () => {
        scene.isBlind = false;
        scene.takes.dryRun = 100;
      };
      const notes = [550_500, 1_400_000, 1_990_000, 3_900_000].map((at) => [at, note] as const);
      await scene.until(4_000_000, [550_000, later], ...notes, [2_000_000, mend]);
      deepEqual(stuck, [false, false, expected, false]);
    });

  it("tries what failed again after ever longer waits, five minutes at most, until it succeeds", async () => {
    scene.preview = failed;
    await scene.until(1_000_000, [900_000, () => (scene.preview = succeeded)]);
    const times = scene.times("preview");
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0) - 3_100);
    // A dry run and a preview come between.
    deepEqual(waits, [3_750, 7_500, 15_000, 30_000, 60_000, 120_000, 225_000, 225_000, 225_000]);
    const [first] = scene.events.filter(
      (event) => event.event === "state" && event.state === "failing",
    );
    deepEqual(first, { event: "state", state: "failing", why: [failed.why], retryIn: 3_750 });
  });

  it("goes on with what is possible half a minute after a failure, and does not take that for mended", async () => {
    scene.preview = failed;
    await scene.until(1_000_000, [150_000, scene.changed], [400_000, scene.exported]);
    const [at = 0, ...more] = scene.times("up");
    ok(at < 431_000 && more.length === 0, `up at ${at}`);
    ok(!scene.states.slice(0, scene.states.indexOf("running")).includes("settled"));
  });

  it("forces nothing that was refused before there is a change, or the next resync, and goes on once the cause is gone", async () => {
    scene.status = "refused";
    await scene.until(700_000, [300_000, scene.changed], [650_000, scene.exported]);
    const [first, second] = ["preview 100 but east", "preview 600100 but east"];
    const resync = ["dryRun 301000", "dryRun 600000", second];
    deepEqual(scene.done, ["dryRun 0", first, ...resync, "dryRun 651000", "up 651100"]);
    const [, refused] = scene.events.filter(({ event }) => event === "state");
    deepEqual(refused, {
      ...{ event: "state", state: "refused", why: ["it would delete too many"] },
      retryIn: 596_900,
    });
    equal(scene.states.at(-1), "settled");
  });

  it("goes on with the sources that nothing is refused for", async () => {
    scene.other = "refused";
    await scene.until(100_000, [50_000, scene.exported]);
    const begun = ["dryRun 0", "preview 100 but north"];
    deepEqual(scene.done, [...begun, "dryRun 51000", "up 51100 but north"]);
    deepEqual(scene.states, ["starting", "refused", "running", "refused"]);
  });

  it("says that the stack is locked, even if its state can't be read then, and tries again", async () => {
    scene.up = { result: "locked", changes: 0, why: "it is locked by ann@laptop" };
    const away = () => (scene.isStateThere = false);
    const back = () => (scene.isStateThere = true);
    await scene.until(20_000, [5_000, scene.exported], [7_000, away], [12_000, back]);
    const [, , , locked] = scene.events.filter(({ event }) => event === "state");
    deepEqual(locked, {
      ...{ event: "state", state: "locked", why: ["it is locked by ann@laptop"], retryIn: 3_750 },
    });
    ok(scene.times("up").length > 1);
  });

  it("makes a dry run when the time of something is over, once, and not before because of a change", async () => {
    // The time holds on, however often it is read.
    scene.dueIn.push(300_000, 250_000);
    const due = () => (scene.status = "changed");
    await scene.until(500_000, [49_100, scene.changed], [300_000, due]);
    deepEqual(scene.done, [...start, "dryRun 50100", "dryRun 300200", "up 300300"]);
  });

  it("waits for a run that is under way when it is stopped, and begins no other", async () => {
    await scene.until(12_000, [10_000, scene.exported], [11_500, scene.changed]);
    ok(scene.time.now() >= 15_100);
    deepEqual(scene.done, [...start, "dryRun 11000", "up 11100"]);
  });
});
