import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { rotateBy } from "../../../cli/rotate/rotate.ts";
import type { RotationState } from "../../../cli/stack/stack-state.ts";
import type { RunEnd } from "../../../cli/watch/events.ts";

type Stage = readonly [stage: string, changes: number, says: string, more?: Partial<RotationState>];

const due = new Date(300_000).toISOString();
const whole: readonly Stage[] = [
  ["bundle", 4, "step 1"],
  ["reissue", 3, "step 2", { notBefore: due }],
  ["waiting", 1, "restarts"],
  ["drop", 2, "step 3"],
  ["settled", 0, ""],
];

/** Plays a stack: each `up` takes the first of these steps, and a preview shows it. */
function rotating(steps: readonly Stage[], answers: readonly boolean[] = []) {
  const [left, asked] = [[...steps], [...answers]];
  const [lines, ups]: [string[], string[]] = [[], []];
  let state: RotationState | undefined = { stage: "settled", restarts: true };
  let now = 0;
  let heard: (line: string) => void = () => undefined;
  const run = (command: "preview" | "up"): Promise<RunEnd> => {
    if (command === "up" && play.locked-- > 0)
      return Promise.resolve({ result: "locked", changes: 0, why: "it runs" });
    const [stage, changes, says, more] = left[0] ?? ["settled", 0, "", {}];
    if (says !== "") heard(says);
    if (command === "up") {
      heard(`${stage}: restarted web`);
      equal(lines.at(-1), `${stage}: restarted web`);
      left.shift();
      ups.push(stage);
      state = { stage, restarts: true, ...more };
    }
    return Promise.resolve({ result: "succeeded", changes });
  };
  const play = {
    lines,
    ups,
    left,
    /** So many runs find the stack locked. */
    locked: 0,
    done: () =>
      rotateBy({
        runs: { run },
        state: () => Promise.resolve(state),
        proven: () => Promise.resolve("west trusts"),
        ask: () => Promise.resolve(asked.shift() ?? true),
        say: (line) => lines.push(line),
        hear: (listener) => {
          heard = listener;
        },
        sleep: (milliseconds) => {
          now += milliseconds;
          lines.push(`slept ${milliseconds / 1000}`);
          if (left[0]?.[2] === "by hand") left.shift();
          return Promise.resolve();
        },
        now: () => now,
      }),
  };
  return play;
}

describe("rotate", () => {
  it("runs each step until none is left, and sleeps until an issuer has settled", async () => {
    const play = rotating(whole);
    equal(await play.done(), true);
    deepEqual(play.ups, ["bundle", "reissue", "waiting", "drop", "settled"]);
    deepEqual(
      play.lines.filter((line) => line.startsWith("slept")),
      ["slept 301"],
    );
    equal(play.lines.at(-1), "Changed 0 resources. The rotation is complete.");
    // Before each question, since a run without a change asks none.
    equal(play.lines.filter((line) => line === "west trusts").length, 4);
    for (const says of ["step 1", "step 2", "restarts", "step 3"])
      equal(play.lines.filter((line) => line === says).length, 1);
  });

  it("runs nothing without consent, nor if nothing is left", async () => {
    const refused = rotating(whole, [true, false]);
    equal(await refused.done(), false);
    deepEqual(refused.ups, ["bundle"]);
    const settled = rotating([]);
    equal(await settled.done(), true);
    deepEqual(settled.ups, []);
    match(settled.lines.join(), /^Nothing is left to do/);
  });

  it("looks again while others have to restart something, and says so once", async () => {
    const wait = ["waiting", 0, "by hand"] as const;
    const play = rotating([["waiting", 1, "by hand"], wait, wait, ["settled", 0, ""]]);
    equal(await play.done(), true);
    deepEqual(play.ups, ["waiting", "settled"]);
    for (const once of ["by hand", "Waiting until that is done."])
      equal(play.lines.filter((line) => line === once).length, 1);
    equal(play.lines.filter((line) => line === "slept 30").length, 2);
  });

  it("waits for the lock of a run that goes on after an interruption", async () => {
    const play = rotating([["settled", 1, "step"]]);
    play.locked = 2;
    equal(await play.done(), true);
    deepEqual(play.ups, ["settled"]);
    const waits = play.lines.filter((line) => /^(slept|Waiting)/.test(line));
    deepEqual(waits, ["Waiting for the lock of the stack: it runs", "slept 30", "slept 30"]);
  });

  it("asks again after it has waited for a run that took the step", async () => {
    const play = rotating(
      [
        ["bundle", 4, "by hand"],
        ["reissue", 3, "step 2"],
      ],
      [true, false],
    );
    play.locked = 1;
    equal(await play.done(), false);
    deepEqual(play.ups, []);
  });

  for (const [why, remedy] of [
    [
      "web does not come up",
      /^Error: pulumi preview: web does not come up\nRun linkerd-clusters rotate/,
    ],
    [
      "another operation (install/upgrade/rollback) is in progress; update failed",
      /\nFix: kubectl -n linkerd delete secret --selector owner=helm,status=pending-upgrade$/,
    ],
  ] as const)
    it(`ends with the reason and what to do if a run fails: ${why}`, async () => {
      const failed = { result: "failed", changes: 0, why } as const;
      const play = rotateBy({
        runs: { run: () => Promise.resolve(failed) },
        state: () => Promise.resolve(undefined),
        proven: () => Promise.resolve(""),
        ask: () => Promise.resolve(true),
        say: () => undefined,
        hear: () => undefined,
        sleep: () => Promise.resolve(),
        now: () => 0,
      });
      await rejects(play, remedy);
    });
});
