import { type Cell, type End, expectCell } from "./cell.ts";
import { always, type Duration, page, refusal } from "./faults.ts";
import { allPhases, type PhaseName } from "./phases.ts";

/** How each phase ends; undefined: there is no such thing. */
type Ends = Readonly<Record<PhaseName, End | undefined>>;

/** A fault, and how it ends in each phase. */
interface Row extends Pick<Cell, "fault" | "sentence" | "path" | "waits"> {
  readonly answers: string;
  readonly lasts: Partial<Record<Duration, Outcome>>;
}

/** Milliseconds that reads, and that writes, wait at most. */
type Outcome = readonly [ends: Ends, reads: number, writes: number];

const done: Ends = {
  "while it plans": "done",
  "while it looks again before it writes": "done",
  "while it writes": "done",
  "while it deletes": "done",
  "while it looks what to destroy": "done",
  "while it destroys": "done",
};

/** A cluster that can't be read is an outage: a note in the plan, and an error where it was there a moment ago. */
const away: Ends = {
  "while it plans": "told",
  "while it looks again before it writes": "failed",
  "while it writes": "failed",
  "while it deletes": "failed",
  "while it looks what to destroy": "failed",
  "while it destroys": "failed",
};

/** Nobody can say that it may pass by itself. */
const refused: Ends = { ...away, "while it plans": "failed" };

/** A cluster from which nothing was ever heard is given up after one time-out. */
const unheard: Ends = {
  ...away,
  "while it writes": "done",
  "while it deletes": "done",
  "while it destroys": "done",
};

/** No server answers a read with it, or a read does nothing, so that it is as if it had never arrived. */
const unread = {
  "while it plans": undefined,
  "while it looks again before it writes": undefined,
  "while it looks what to destroy": undefined,
};

/*
 * Not in this table:
 * - a 404 that names the object, in answer to a deletion: it is the API server's word that it is gone;
 * - what is the matter with a part of a source alone, and fights: refusals.test.ts;
 * - lists that are not whole, or of the past: lists.test.ts.
 */

const lost = /can't be reached at https:\/\/\w+\.test .*the connection was lost/;
const late = /the response timed out|is too slow to/;

const rows: readonly Row[] = [
  {
    answers: "409",
    fault: refusal(409, "Conflict"),
    path: /\/(services|endpoints)/,
    sentence: /was changed by another client before this \w+: .*; run again/,
    lasts: {
      "at first": [{ ...done, ...unread }, 0, 0],
      "for good": [{ ...away, ...unread }, 0, 0],
    },
  },
  {
    answers: "a 404 of somebody who doesn't know Kubernetes",
    fault: page(404),
    sentence: /does not serve \w+ as v1, .*; check what answers at https/,
    lasts: { "for good": [away, 0, 5_500] },
  },
  {
    answers: "429 with Retry-After",
    fault: page(429, { "retry-after": "2" }),
    waits: 2_000,
    sentence: /is overloaded .* after 8 attempts/,
    // Fewer requests at a time are sent to it, which wait one after the other.
    lasts: { "at first": [done, 30_000, 30_000], "for good": [away, 23_000, 68_000] },
  },
  {
    answers: "500",
    fault: page(500),
    sentence: /failed to .*\(status 500\) after 8 attempts.*; check its API server/,
    lasts: { "at first": [done, 700, 500], "for good": [away, 9_000, 26_000] },
  },
  {
    answers: "401",
    fault: refusal(401, "Unauthorized"),
    sentence: /rejects the credentials of context .*; log in again/,
    lasts: { "for good": [refused, 0, 0] },
  },
  {
    answers: "403",
    fault: refusal(403, "Forbidden"),
    sentence: /refuses to .*; resolve this .* or give context \w+ the right/,
    lasts: { "for good": [refused, 0, 0] },
  },
  {
    answers: "nothing and resets the connection",
    fault: always("reset"),
    sentence: lost,
    lasts: { "at first": [done, 700, 500], "for good": [away, 100, 26_000] },
  },
  {
    answers: "nothing after it has done as told",
    fault: always("drop"),
    sentence: lost,
    lasts: {
      "at first": [{ ...done, ...unread }, 0, 500],
      "for good": [{ ...away, ...unread }, 0, 26_000],
    },
  },
  {
    answers: "nothing and hangs",
    fault: always("hang"),
    sentence: late,
    lasts: { "at first": [unheard, 31_000, 121_000], "for good": [away, 31_000, 151_000] },
  },
  {
    answers: "nothing and hangs after it has done as told",
    fault: always("carry out and hang"),
    sentence: late,
    lasts: {
      "at first": [{ ...unheard, ...unread }, 0, 121_000],
      "for good": [{ ...away, ...unread }, 0, 151_000],
    },
  },
  {
    answers: "half of it",
    fault: always("cut"),
    sentence: lost,
    lasts: { "at first": [done, 700, 500], "for good": [away, 9_000, 26_000] },
  },
  {
    answers: "after a proxy has sent it twice",
    fault: always("duplicate"),
    sentence: /./,
    lasts: { "for good": [done, 0, 0] },
  },
];

describe("a cluster that answers", () => {
  for (const { answers, lasts: all, ...row } of rows)
    for (const [lasts, [ends, reads, writes]] of Object.entries(all) as [Duration, Outcome][])
      describe(`${answers}, ${lasts}`, () => {
        for (const [phase, { asksTargets, reads: isRead }] of allPhases) {
          const end = ends[phase];
          if (end === undefined) continue;
          const cell = { ...row, lasts, phase, end, patience: isRead ? reads : writes };
          for (const at of asksTargets ? (["east", "west"] as const) : (["east"] as const))
            it(title(phase, at, end), () => expectCell({ ...cell, at }));
        }
      });
});

function title(phase: PhaseName, at: Cell["at"], end: End): string {
  const who = at === "east" ? "a source" : "a target";
  const what = {
    done: "the run ends as if nothing had been",
    told: "the run says so and finishes the rest",
    failed: "the run finishes the rest and fails",
  }[end];
  return `${phase}, as ${who}: ${what}`;
}
