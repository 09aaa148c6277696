import { deepEqual, equal, ok } from "node:assert/strict";

import type { Inputs } from "../../../engine/mirroring/model/state.ts";
import { Convergence, type RunEnd } from "../../../engine/watch/convergence.ts";
import type { SourceSeen, WatchEvent } from "../../../engine/watch/events.ts";
import { VirtualTime } from "../../simulation/time.ts";

type Verdict = SourceSeen["verdict"];

/** How long each takes, in milliseconds. */
const takes = { look: 100, preview: 3_000, up: 4_000 };
const succeeded: RunEnd = { result: "succeeded", changes: 0 };
const failed: RunEnd = { result: "failed", changes: 0, why: "the API server is away" };

/** What a stack is like, all of which a test may change as it goes. */
class Scene {
  readonly time = new VirtualTime();
  readonly stop = new AbortController();
  readonly events: WatchEvent[] = [];
  /** What was done, and when it began. */
  readonly done: string[] = [];
  verdict: Verdict = "inOrder";
  /** Of another source. */
  other: Verdict = "inOrder";
  /** Milliseconds until something is due that no cluster tells of, by each look; then there is nothing more. */
  readonly dueIn: number[] = [];
  /** Whether a look fails. */
  isBlind = false;
  preview: RunEnd = succeeded;
  up: RunEnd = { result: "succeeded", changes: 1 };
  moved = Promise.resolve<string[]>([]);
  atOnce = 0;
  /** Milliseconds that each look takes. */
  lookTakes = takes.look;
  readonly convergence = new Convergence({
    stack: {
      sources: () => Promise.resolve([{ source: "east" } as Inputs]),
      preview: (without) => this.#work("preview", () => this.preview, without),
      up: (without) =>
        this.#work(
          "up",
          () => {
            if (this.up.result === "succeeded" && !without.includes("east"))
              this.verdict = "inOrder";
            return this.up;
          },
          without,
        ),
    },
    lookout: {
      look: () =>
        this.#work("look", () => {
          if (this.isBlind) throw new Error("the look was ended (SIGKILL)");
          const sources = [seen("east", this.verdict), seen("north", this.other)];
          const dueIn = this.dueIn.shift();
          return { sources, ...(dueIn !== undefined && { dueIn }) };
        }),
      moved: () => this.moved,
      prepare: () => undefined,
    },
    meshWatch: { update: () => Promise.resolve() },
    observe: (event) => this.events.push(event),
    time: this.time,
    resync: 600_000,
  });

  /** Lets that many milliseconds pass from the start, with what happens meanwhile. */
  async until(end: number, happenings: readonly (readonly [number, () => void])[] = []) {
    for (const [at, happen] of happenings) void this.time.sleep(at).then(happen);
    void this.time.sleep(end).then(() => {
      this.stop.abort();
    });
    await this.convergence.run(this.stop.signal);
  }

  get states(): string[] {
    return this.events.flatMap((event) => (event.event === "state" ? [event.state] : []));
  }

  sign = (cluster = "west") => {
    this.convergence.trigger(cluster);
  };

  /** As after an export: a look will find something to do. */
  exported = () => {
    this.verdict = "work";
    this.sign();
  };

  async #work<T>(
    what: keyof typeof takes,
    result: () => T,
    without: readonly string[] = [],
  ): Promise<T> {
    const but = without.map((source) => ` but ${source}`).join("");
    this.done.push(`${what} ${this.time.now()}${but}`);
    this.atOnce += 1;
    equal(this.atOnce, 1, "two things at the same time");
    await this.time.sleep(what === "look" ? this.lookTakes : takes[what]);
    this.atOnce -= 1;
    return result();
  }
}

function seen(source: string, verdict: Verdict): SourceSeen {
  const refusals = verdict === "refused" ? ["it would delete too many"] : [];
  return { source, verdict, refusals, parts: {}, away: {} };
}

/** The first look and the preview after it, with which every watch begins. */
const start = ["look 0", "preview 100"];

describe("a watch of a stack", () => {
  it("begins with a look and a preview, and runs nothing if all is in order", async () => {
    const scene = new Scene();
    await scene.until(60_000);
    deepEqual(scene.done, start);
    deepEqual(scene.states, ["starting", "settled"]);
  });

  it("runs what the preview finds and no look does", async () => {
    const scene = new Scene();
    scene.preview = { result: "succeeded", changes: 2 };
    await scene.until(60_000);
    deepEqual(scene.done, [...start, "up 3100"]);
  });

  it("looks once there has been no sign for a second, and runs only if there is something to do", async () => {
    const scene = new Scene();
    const signs = [10_000, 10_300, 10_900].map((at) => [at, scene.sign] as const);
    await scene.until(60_000, [...signs, [20_000, scene.exported]]);
    deepEqual(scene.done, [...start, "look 11900", "look 21000", "up 21100"]);
  });

  it("does not wait longer than five seconds for a pause", async () => {
    const scene = new Scene();
    const signs = Array.from({ length: 12 }, (_, index) => 10_000 + index * 500);
    await scene.until(
      60_000,
      signs.map((at) => [at, scene.sign] as const),
    );
    deepEqual(scene.done, [...start, "look 15000", "look 16500"]);
  });

  it("has no cluster read all the time for one that never stops changing, and others' changes at once", async () => {
    const scene = new Scene();
    const end = 600_000;
    const noise = Array.from({ length: end / 500 }, (_, index) => index * 500);
    await scene.until(end - 1, [
      ...noise.map(
        (at) =>
          [
            at,
            () => {
              scene.sign("hostile");
            },
          ] as const,
      ),
      [
        500_000,
        () => {
          scene.sign("honest");
        },
      ],
    ]);
    const looks = scene.done.flatMap((line) =>
      line.startsWith("look") ? [Number(line.slice(5))] : [],
    );
    // Thirty of its own, one more in each thirty seconds, and the honest one.
    ok(looks.length <= 30 + 20 + 1, `${looks.length} looks`);
    ok(looks.includes(501_000), looks.join());
  });

  it("spends no more than a look on what a run has written", async () => {
    const scene = new Scene();
    await scene.until(500_000, [
      [10_000, scene.exported],
      [14_000, scene.sign],
    ]);
    deepEqual(scene.done, [...start, "look 11000", "up 11100", "look 15100"]);
  });

  it("says how long after the first sign everything was done", async () => {
    const scene = new Scene();
    await scene.until(60_000, [[10_000, scene.exported]]);
    const [converged] = scene.events.filter(({ event }) => event === "converged");
    deepEqual(converged, { event: "converged", milliseconds: 5_100 });
  });

  it("sees to everything every ten minutes", async () => {
    const scene = new Scene();
    await scene.until(1_250_000);
    deepEqual(scene.done, [
      ...start,
      ..."look 600000,preview 600100".split(","),
      ..."look 1200000,preview 1200100".split(","),
    ]);
  });

  it("is stuck once a look has lasted longer than one may, and not for a run or a wait", async () => {
    const scene = new Scene();
    const stuck: boolean[] = [];
    const note = () => stuck.push(scene.convergence.isStuck);
    const later = (at: number, happen: () => void) => [at, happen] as const;
    await scene.until(3_000_000, [
      later(50, note),
      later(3_000, note),
      later(500_000, note),
      later(550_000, () => (scene.lookTakes = 2_000_000)),
      later(1_400_000, note),
      later(1_600_000, note),
      later(2_999_000, note),
    ]);
    deepEqual(stuck, [false, false, false, false, true, false]);
  });

  it("is stuck once looks have failed for as long as one may last, until one succeeds", async () => {
    const scene = new Scene();
    const stuck: boolean[] = [];
    const note = () => stuck.push(scene.convergence.isStuck);
    scene.isBlind = true;
    await scene.until(2_000_000, [
      [800_000, note],
      [1_000_000, note],
      [1_000_001, () => (scene.isBlind = false)],
      [1_999_000, note],
    ]);
    deepEqual(stuck, [false, true, false]);
  });

  it("tries what failed again after ever longer waits, until it succeeds", async () => {
    const scene = new Scene();
    scene.preview = failed;
    await scene.until(60_000, [[40_000, () => (scene.preview = succeeded)]]);
    // 3.75, 7.5, 15 and 30 s, each a look and a preview after the wait before.
    const previews = scene.done.filter((line) => line.startsWith("preview"));
    deepEqual(previews, ["preview 100", "preview 6950", "preview 17550", "preview 35650"]);
    const [first] = scene.events.filter(
      (event) => event.event === "state" && event.state === "failing",
    );
    deepEqual(first, { event: "state", state: "failing", why: [failed.why], retryIn: 3_750 });
  });

  it("does not wait longer than five minutes", async () => {
    const scene = new Scene();
    scene.preview = failed;
    await scene.until(3_000_000);
    const times = scene.done
      .filter((line) => line.startsWith("look"))
      .map((line) => Number(line.slice(5)));
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    equal(Math.max(...waits), 225_000 + takes.look + takes.preview);
  });

  it("goes on with what is possible half a minute after a failure, although that is tried later", async () => {
    const scene = new Scene();
    scene.preview = failed;
    await scene.until(1_000_000, [[400_000, scene.exported]]);
    const ups = scene.done.filter((line) => line.startsWith("up"));
    equal(ups.length, 1);
    const at = Number(ups[0]?.slice(3));
    ok(at < 431_000, `up at ${at}`);
  });

  it("does not take a failure for mended because mirrors are in order", async () => {
    const scene = new Scene();
    scene.preview = failed;
    await scene.until(200_000, [[150_000, scene.sign]]);
    ok(!scene.states.includes("settled"));
  });

  it("forces nothing that was refused: not before there is a sign, or the next resync", async () => {
    const scene = new Scene();
    scene.verdict = "refused";
    await scene.until(700_000, [[300_000, scene.sign]]);
    const previews = ["preview 100 but east", "preview 600100 but east"];
    deepEqual(scene.done, ["look 0", previews[0], "look 301000", "look 600000", previews[1]]);
    const [, refused] = scene.events.filter(({ event }) => event === "state");
    deepEqual(refused, {
      ...{ event: "state", state: "refused", why: ["it would delete too many"] },
      retryIn: 596_900,
    });
  });

  it("goes on once the cause is gone", async () => {
    const scene = new Scene();
    scene.verdict = "refused";
    await scene.until(100_000, [[50_000, scene.exported]]);
    deepEqual(scene.done, ["look 0", "preview 100 but east", "look 51000", "up 51100"]);
    equal(scene.states.at(-1), "settled");
  });

  it("goes on with the sources that nothing is refused for", async () => {
    const scene = new Scene();
    scene.other = "refused";
    await scene.until(100_000, [[50_000, scene.exported]]);
    deepEqual(scene.done, [
      ...["look 0", "preview 100 but north", "look 51000", "up 51100 but north"],
    ]);
    deepEqual(scene.states, ["starting", "refused", "running", "refused"]);
  });

  it("says that the stack is locked, and tries again", async () => {
    const scene = new Scene();
    scene.up = { result: "locked", changes: 0, why: "it is locked by ann@laptop" };
    await scene.until(20_000, [[5_000, scene.exported]]);
    ok(scene.states.includes("locked"));
    ok(scene.done.filter((line) => line.startsWith("up")).length > 1);
  });

  it("looks when the hostname of a gateway leads elsewhere", async () => {
    const scene = new Scene();
    const names = ["gateway.example.com"];
    await scene.until(35_000, [[20_000, () => (scene.moved = Promise.resolve(names))]]);
    deepEqual(scene.done, [...start, "look 31000"]);
  });

  it("looks when the time of something is over, once, and not before because of a sign", async () => {
    const scene = new Scene();
    // The time holds on, however often it is looked at.
    scene.dueIn.push(300_000, 250_000);
    await scene.until(500_000, [
      [49_100, scene.sign],
      [300_000, () => (scene.verdict = "work")],
    ]);
    deepEqual(scene.done, [...start, "look 50100", "look 300200", "up 300300"]);
  });

  it("does not wait for DNS", async () => {
    const scene = new Scene();
    scene.moved = new Promise(() => undefined);
    await scene.until(50_000, [[40_000, scene.exported]]);
    deepEqual(scene.done, [...start, "look 41000", "up 41100"]);
  });

  it("waits for a run that is under way when it is stopped, and begins no other", async () => {
    const scene = new Scene();
    await scene.until(12_000, [
      [10_000, scene.exported],
      [11_500, scene.sign],
    ]);
    equal(scene.time.now() >= 15_100, true);
    deepEqual(scene.done, [...start, "look 11000", "up 11100"]);
  });
});
