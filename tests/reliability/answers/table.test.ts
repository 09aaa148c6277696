import { type Cell, type End, expectCell } from "./cell.ts";
import { always, page, refusal } from "./faults.ts";
import { allPhases, type PhaseName } from "./phases.ts";

/** How each phase ends, or why there is no such thing. */
type Ends = Readonly<Record<PhaseName, End | { readonly none: string }>>;

/** A fault, and how it ends in each phase. */
interface Row extends Pick<Cell, "fault" | "lasts" | "sentence" | "path" | "waits"> {
  readonly answers: string;
  readonly ends: Ends;
  /** Milliseconds that reads, and that writes, wait at most. */
  readonly patience: readonly [reads: number, writes: number];
}

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

function noReads(none: string) {
  return {
    ...{ "while it plans": { none }, "while it looks again before it writes": { none } },
    "while it looks what to destroy": { none },
  };
}

/*
 * Not in this table:
 * - a 404 that names the object, in answer to a deletion: it is the API server's word that it is gone;
 * - what is the matter with a part of a source alone, and fights: refusals.test.ts;
 * - lists that are not whole, or of the past: lists.test.ts.
 */

const unanswered = noReads("no server answers a read with it");
const unread = noReads("a read does nothing, so it is as if it had never arrived");
const overload = page(429, { "retry-after": "2" });
const lost = /can't be reached at https:\/\/\w+\.test .*the connection was lost/;
const late = /the response timed out|is too slow to/;

const rows: readonly Row[] = [
  {
    answers: "409",
    ...{ fault: refusal(409, "Conflict"), lasts: "at first", path: /\/(services|endpoints)/ },
    ...{ ends: { ...done, ...unanswered }, sentence: /./, patience: [0, 0] },
  },
  {
    answers: "409",
    ...{ fault: refusal(409, "Conflict"), lasts: "for good", path: /\/(services|endpoints)/ },
    ends: { ...away, ...unanswered },
    ...{
      sentence: /was changed by another client before this \w+: .*; run again/,
      patience: [0, 0],
    },
  },
  {
    answers: "a 404 of somebody who doesn't know Kubernetes",
    ...{ fault: page(404), lasts: "for good", ends: away },
    ...{
      sentence: /does not serve \w+ as v1, .*; check what answers at https/,
      patience: [0, 5_500],
    },
  },
  {
    answers: "429 with Retry-After",
    ...{
      fault: overload,
      waits: 2_000,
      lasts: "at first",
      ends: done,
      sentence: /./,
      // Fewer requests at a time are sent to it, which wait one after the other.
      patience: [30_000, 30_000],
    },
  },
  {
    answers: "429 with Retry-After",
    ...{ fault: overload, waits: 2_000, lasts: "for good", ends: away },
    ...{ sentence: /is overloaded .* after 8 attempts/, patience: [23_000, 68_000] },
  },
  ...[500, 503].flatMap((code): Row[] => [
    {
      ...{ answers: String(code), fault: page(code), lasts: "at first" },
      ...{ ends: done, sentence: /./, patience: [700, 500] },
    },
    {
      ...{ answers: String(code), fault: page(code), lasts: "for good", ends: away },
      sentence: new RegExp(
        `failed to .*\\(status ${code}\\) after 8 attempts.*; check its API server`,
      ),
      patience: [9_000, 26_000],
    },
  ]),
  {
    ...{ answers: "401", fault: refusal(401, "Unauthorized"), lasts: "for good", ends: refused },
    ...{ sentence: /rejects the credentials of context .*; log in again/, patience: [0, 0] },
  },
  {
    ...{ answers: "403", fault: refusal(403, "Forbidden"), lasts: "for good", ends: refused },
    ...{
      sentence: /refuses to .*; resolve this .* or give context \w+ the right/,
      patience: [0, 0],
    },
  },
  {
    ...{ answers: "nothing and resets the connection", fault: always("reset"), lasts: "at first" },
    ...{ ends: done, sentence: /./, patience: [700, 500] },
  },
  {
    ...{ answers: "nothing and resets the connection", fault: always("reset"), lasts: "for good" },
    ...{ ends: away, sentence: lost, patience: [100, 26_000] },
  },
  {
    ...{ answers: "nothing after it has done as told", fault: always("drop"), lasts: "at first" },
    ...{ ends: { ...done, ...unread }, sentence: /./, patience: [0, 500] },
  },
  {
    ...{ answers: "nothing after it has done as told", fault: always("drop"), lasts: "for good" },
    ...{ ends: { ...away, ...unread }, sentence: lost, patience: [0, 26_000] },
  },
  {
    ...{ answers: "nothing and hangs", fault: always("hang"), lasts: "at first", ends: unheard },
    ...{ sentence: late, patience: [31_000, 121_000] },
  },
  {
    ...{ answers: "nothing and hangs", fault: always("hang"), lasts: "for good", ends: away },
    ...{ sentence: late, patience: [31_000, 151_000] },
  },
  {
    answers: "nothing and hangs after it has done as told",
    ...{ fault: always("carry out and hang"), lasts: "at first", ends: { ...unheard, ...unread } },
    ...{ sentence: late, patience: [0, 121_000] },
  },
  {
    answers: "nothing and hangs after it has done as told",
    ...{ fault: always("carry out and hang"), lasts: "for good", ends: { ...away, ...unread } },
    ...{ sentence: late, patience: [0, 151_000] },
  },
  {
    ...{ answers: "half of it", fault: always("cut"), lasts: "at first", ends: done },
    ...{ sentence: /./, patience: [700, 500] },
  },
  {
    ...{ answers: "half of it", fault: always("cut"), lasts: "for good", ends: away },
    ...{ sentence: lost, patience: [9_000, 26_000] },
  },
  {
    ...{
      answers: "after a proxy has sent it twice",
      fault: always("duplicate"),
      lasts: "for good",
    },
    ...{ ends: done, sentence: /./, patience: [0, 0] },
  },
];

describe("a cluster that answers", () => {
  for (const { answers, ends, patience, ...row } of rows)
    describe(`${answers}, ${row.lasts}`, () => {
      for (const [phase, { asksTargets, reads }] of allPhases) {
        const end = ends[phase];
        if (typeof end === "object") continue;
        const cell = { ...row, phase, end, patience: patience[reads ? 0 : 1] };
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
