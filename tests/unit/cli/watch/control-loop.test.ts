import { deepEqual, equal, ok } from "node:assert/strict";
import type { Inputs } from "../../../../engine/model/state.ts";
import { ControlLoop } from "../../../../cli/watch/control-loop.ts";
import type { RunEnd, SourceStatus } from "../../../../cli/watch/events.ts";
import { VirtualTime } from "../../../simulation/time.ts";

const inSync = "inSync" as SourceStatus["status"];
const failed: RunEnd = { result: "failed", changes: 0, why: "no API server" };

/** It watches the sources east and north. All times are in seconds since its start. */
class Scenario {
  readonly found = { east: inSync, north: inSync };
  readonly losses: string[] = [];
  away: Readonly<Record<string, string>> = {};
  /** In seconds, for each dry run. */
  readonly dueIn: number[] = [];
  readonly ends: Record<"preview" | "up", RunEnd> = {
    preview: { result: "succeeded", changes: 0 },
    up: { result: "succeeded", changes: 1 },
  };
  readonly takes = { "dry run": 0.1, preview: 3, up: 4 };
  isStateReadable = true;
  changesGates = false;
  /** In seconds. */
  nextStep = Infinity;
  #rival = false;
  /** It has lines such as `11.9 dry run` and `12 settled`. */
  readonly timeline: string[] = [];
  /** The times at which dry runs began that read everything again. */
  readonly anew: number[] = [];
  readonly #time = new VirtualTime();
  readonly #stop = new AbortController();
  readonly loop = new ControlLoop({
    stack: {
      nextStepIn: () => this.nextStep * 1_000,
      sources: () =>
        this.isStateReadable
          ? Promise.resolve([{ planned: { source: "east" } as Inputs, before: {} }])
          : Promise.reject(Object.assign(new Error("no state"), { code: "EIO" })),
      run: async (command, excluded, found) => {
        const without = [...excluded, ...Object.keys(found?.away ?? {})].map(
          (cluster) => ` without ${cluster}`,
        );
        const taken = (found?.losses["east"] ?? []).map((loss) => ` - ${loss}`);
        await this.#work(command, [...without, ...taken].join(""));
        const end = this.ends[command];
        for (const source of ["east", "north"] as const)
          if (end.changes > 0 && !excluded.includes(source)) this.found[source] = inSync;
        if (this.#rival && command === "up") void this.exportAt(this.now + 0.5);
        return end;
      },
    },
    dryRun: async (_, isAnew) => {
      if (isAnew) this.anew.push(this.now);
      await this.#work("dry run");
      const sources = Object.entries(this.found).map(([source, status]) => {
        const refusals = status === "refused" ? ["too many deletions"] : [];
        const isFought = source === "east" && status === "changed" && this.#rival;
        const fought = isFought ? { contested: ["shop/web-west: type, set by rival"] } : {};
        return { source, status, refusals, parts: {}, unreachable: {}, ...fought };
      });
      const dueIn = this.dueIn.shift();
      const losses = this.found.east === "changed" ? { east: this.losses } : {};
      return {
        sources,
        losses,
        changesGates: this.changesGates,
        away: this.away,
        ...(dueIn !== undefined && { dueIn: dueIn * 1_000 }),
      };
    },
    meshWatch: { update: () => undefined },
    observe: (event) => {
      if (event.event !== "state") return;
      if (event.state === "starting" || event.state === "running") return;
      const next = event.retryIn === undefined ? [] : [`next in ${event.retryIn / 1_000}`];
      this.timeline.push([this.now, event.state, ...event.why, ...next].join(" "));
    },
    time: this.#time,
    resync: 600_000,
  });
  readonly #ended = this.loop.run(this.#stop.signal);
  #atOnce = 0;

  get now(): number {
    return this.#time.now() / 1_000;
  }

  async until(seconds: number): Promise<void> {
    await this.#time.sleep((seconds - this.now) * 1_000);
  }

  async changesAt(...times: readonly number[]): Promise<void> {
    for (const seconds of times) {
      await this.until(seconds);
      this.loop.trigger();
    }
  }

  /** A watched object is added or altered, or is gone. */
  async eventAt(seconds: number, gone = false): Promise<void> {
    await this.until(seconds);
    this.found.east = "changed";
    this.loop.trigger("event", gone);
  }

  async exportAt(seconds: number): Promise<void> {
    await this.until(seconds);
    this.found.east = "changed";
    this.loop.trigger();
  }

  /** Another writer changes a mirror of east half a second after each run, until then. */
  async fightFrom(seconds: number, until: number): Promise<void> {
    await this.until(seconds);
    this.#rival = true;
    await this.exportAt(seconds);
    await this.until(until);
    this.#rival = false;
  }

  /** Stops the watch, waits for its end, and returns the timeline from a time on. */
  async stopAt(seconds: number, from = 0): Promise<readonly string[]> {
    await this.until(seconds);
    this.#stop.abort();
    await this.#ended;
    return this.timeline.filter((line) => parseFloat(line) >= from);
  }

  times(what: string): number[] {
    return this.timeline.filter((line) => line.includes(` ${what}`)).map(parseFloat);
  }

  async #work(what: keyof Scenario["takes"], more = ""): Promise<void> {
    this.timeline.push(`${this.now} ${what}${more}`);
    this.#atOnce += 1;
    equal(this.#atOnce, 1, "two things at the same time");
    await this.#time.sleep(this.takes[what] * 1_000);
    this.#atOnce -= 1;
  }
}

describe("the control loop of a watch", () => {
  let watch: Scenario;
  beforeEach(() => (watch = new Scenario()));
  afterEach(() => watch.stopAt(0));

  it("previews everything at the start and every ten minutes", async () => {
    deepEqual(await watch.stopAt(700), [
      "0 preview",
      "3 dry run",
      "3.1 settled",
      "600 preview",
      "603 dry run",
      "603.1 settled",
    ]);
  });

  it("previews everything as soon as the next step of a rotation is due", async () => {
    watch.nextStep = 60;
    deepEqual((await watch.stopAt(70)).slice(3), ["63.1 preview", "66.1 dry run", "66.2 settled"]);
  });

  it("runs up for what only the preview finds", async () => {
    watch.ends.preview = { result: "succeeded", changes: 2 };
    deepEqual(await watch.stopAt(60), ["0 preview", "3 dry run", "3.1 up", "7.1 settled"]);
  });

  it("runs up for a closed gateway alone", async () => {
    await watch.until(20);
    watch.changesGates = true;
    watch.loop.trigger();
    deepEqual((await watch.stopAt(23)).slice(3), ["21 dry run", "21.1 up"]);
  });

  it("waits longer each time that it would only restore what somebody else sets again, and says who", async () => {
    await watch.fightFrom(20, 1_190);
    const runs = watch.times("up").filter((at) => at < 590);
    const pauses = runs.slice(1).map((at, index) => at - (runs[index] ?? 0));
    ok(runs.length >= 4 && runs.length <= 8, runs.join());
    deepEqual(
      pauses,
      pauses.toSorted((a, b) => a - b),
    );
    const said = watch.timeline.filter((line) => line.includes("contested"));
    ok(said.length > 0 && said.every((line) => line.includes("shop/web-west: type, set by rival")));
  });

  it("doesn't let another change wait while somebody fights over a mirror", async () => {
    const fight = watch.fightFrom(20, 300);
    await watch.until(200);
    const before = watch.times("up").length;
    watch.found.north = "changed";
    watch.loop.trigger();
    await watch.until(203);
    equal(watch.times("up").length, before + 1);
    await fight;
  });

  it("does a dry run one second after the last change, and runs up only if it finds something", async () => {
    await watch.changesAt(10, 10.3, 10.9);
    await watch.exportAt(20);
    const ran = ["21 dry run", "21.1 up", "25.1 settled"];
    deepEqual(await watch.stopAt(60, 10), ["11.9 dry run", "12 settled", ...ran]);
  });

  it("acts at once on what is added after a silence, with what comes beside it, and gathers what follows", async () => {
    for (const seconds of [10, 10.02, 20, 20.4, 20.8]) await watch.eventAt(seconds);
    const first = ["10.05 dry run", "10.15 up", "14.15 settled"];
    deepEqual(await watch.stopAt(60, 10), [
      ...first,
      "20.05 dry run",
      "20.15 up",
      "24.15 settled",
      "24.15 dry run",
      "24.25 settled",
    ]);
  });

  it("waits a second for what is gone, and tells the run what has been gone for that long", async () => {
    watch.losses.push("west shop/web-west");
    await watch.eventAt(10, true);
    await watch.eventAt(30);
    await watch.eventAt(30.02, true);
    deepEqual(watch.times("dry run").slice(1), [11]);
    deepEqual((await watch.stopAt(60, 10)).slice(0, 5), [
      "11 dry run",
      "11.1 up - west shop/web-west",
      "15.1 settled",
      "30.05 dry run",
      "30.15 up",
    ]);
  });

  it("handles a change during a run, such as its own writes, with another dry run", async () => {
    await watch.exportAt(20);
    await watch.changesAt(24);
    deepEqual(await watch.stopAt(60, 25), ["25.1 settled", "25.1 dry run", "25.2 settled"]);
  });

  it("waits at most five seconds while a cluster keeps changing", async () => {
    await watch.changesAt(...Array.from({ length: 50 }, (_, index) => 10 + index / 2));
    await watch.stopAt(60);
    deepEqual(watch.times("dry run"), [3, 15, 20.5, 26, 31.5, 35.5]);
  });

  it("excludes a refused source until the cause is gone, and runs up for the others", async () => {
    watch.found.east = "refused";
    await watch.until(350);
    watch.found.north = "changed";
    await watch.changesAt(350);
    await watch.exportAt(500);
    deepEqual(await watch.stopAt(590), [
      "0 preview",
      "3 dry run",
      "3.1 preview without east",
      "6.1 refused too many deletions next in 593.9",
      "351 dry run",
      "351.1 up without east",
      "355.1 refused too many deletions next in 244.9",
      "501 dry run",
      "501.1 up",
      "505.1 settled",
    ]);
  });

  it("previews everything, refused sources too, once the config has changed, and then does what it allows", async () => {
    watch.found.east = "refused";
    await watch.until(50);
    watch.found.east = "changed";
    watch.loop.trigger("config");
    deepEqual(await watch.stopAt(90, 50), ["51 preview", "54 dry run", "54.1 up", "58.1 settled"]);
  });

  it("does what the clusters ask for although the config is wrong, and leaves its mistakes to the run", async () => {
    watch.ends.preview = { result: "failed", changes: 0, why: "links is wrong" };
    watch.found.north = "changed";
    deepEqual((await watch.stopAt(7)).slice(0, 3), ["0 preview", "3 dry run", "3.1 up"]);
  });

  it("reports a lock, even if the state can't be read afterwards, and tries again", async () => {
    watch.ends.up = { result: "locked", changes: 0, why: "locked by ann" };
    await watch.exportAt(5);
    await watch.until(7);
    watch.isStateReadable = false;
    await watch.until(17);
    watch.isStateReadable = true;
    watch.ends.up = { result: "succeeded", changes: 1 };
    deepEqual(await watch.stopAt(40, 5), [
      "6 dry run",
      "6.1 up",
      "10.1 locked locked by ann next in 3.75",
      "13.85 preview",
      "16.85 failing no state next in 7.5",
      "24.35 preview",
      "27.35 dry run",
      "27.45 up",
      "31.45 settled",
    ]);
  });

  it("does a dry run when the mirror of a missing pod is due for deletion", async () => {
    watch.dueIn.push(300, 250);
    await watch.changesAt(49);
    await watch.until(300);
    watch.found.east = "changed";
    const deleted = ["300.1 dry run", "300.2 up", "304.2 settled"];
    deepEqual(await watch.stopAt(500, 50), ["50 dry run", "50.1 settled", ...deleted]);
  });

  it("leaves a cluster out of a run if the dry run before it had no answer, but not out of a preview", async () => {
    watch.away = { gone: "it doesn't answer" };
    await watch.exportAt(10);
    const run = ["11 dry run", "11.1 up without gone", "15.1 settled"];
    deepEqual(await watch.stopAt(640, 10), [...run, "600 preview", "603 dry run", "603.1 settled"]);
  });

  it("finishes what it does when it is stopped, and begins nothing else", async () => {
    await watch.exportAt(10);
    deepEqual(await watch.stopAt(12, 10), ["11 dry run", "11.1 up"]);
    equal(watch.now, 15.1);
    watch = new Scenario();
    await watch.exportAt(10);
    deepEqual(await watch.stopAt(11.05, 10), ["11 dry run"]);
  });

  it("retries a failure after growing waits of five minutes at most, until it succeeds", async () => {
    watch.ends.preview = failed;
    await watch.until(900);
    watch.ends.preview = { result: "succeeded", changes: 0 };
    await watch.stopAt(1_000);
    const begun = watch.times("dry run");
    const waits = begun.slice(1).map((time, index) => time - (begun[index] ?? 0) - 3.1);
    deepEqual(
      waits.map((wait) => Number(wait.toFixed(2))),
      [3.75, 7.5, 15, 30, 60, 120, 225, 225, 225],
    );
    ok(watch.timeline.at(-1)?.endsWith(" settled"));
  });

  it("reads everything again at the start and at a resync, and not after a change", async () => {
    await watch.changesAt(100);
    await watch.stopAt(650);
    deepEqual([watch.times("dry run").length, watch.anew.length], [3, 2]);
  });

  it("handles a change within half a minute of a failure, and reads everything again", async () => {
    watch.ends.preview = failed;
    await watch.changesAt(150);
    await watch.exportAt(400);
    await watch.stopAt(1_000);
    deepEqual(watch.anew, watch.times("dry run"));
    const [begun = Infinity] = watch.times("up");
    ok(begun < 431, `up at ${begun}`);
    ok(watch.times("settled").every((time) => time > begun));
  });

  it("is stuck if a dry run takes longer than 15 minutes, but not if a run hangs, which only Pulumi may end", async () => {
    watch.takes.up = 20_000;
    await watch.exportAt(10);
    await watch.until(12);
    watch.takes["dry run"] = 2_000;
    await watch.until(20_000);
    ok(watch.timeline.at(-1)?.endsWith(" up"), watch.timeline.at(-1));
    equal(watch.loop.isStuck, false);
    await watch.until(20_900);
    equal(watch.loop.isStuck, false);
    await watch.until(20_950);
    equal(watch.loop.isStuck, true);
    await watch.stopAt(21_000);
  });
});
