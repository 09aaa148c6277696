import { type Cell, type End, expectCell } from "./cell.ts";
import { always, type Duration, page, refusal } from "./faults.ts";
import { allPhases, disturbedIn, type PhaseName } from "./phases.ts";

/** How each phase ends. Undefined means that the fault makes no sense in it. */
type Ends = Readonly<Record<PhaseName, End | undefined>>;

interface Row extends Pick<Cell, "fault" | "sentence" | "path" | "waits"> {
  readonly answers: string;
  readonly lasts: Partial<Record<Duration, Outcome>>;
}

interface Outcome {
  readonly ends: Ends;
  /** The most milliseconds that reads and writes wait. The default is 0. */
  readonly reads?: number;
  readonly writes?: number;
}

const done: Ends = {
  "while it plans": "done",
  "while it looks again before it writes": "done",
  "while it writes": "done",
  "while it deletes": "done",
  "while it looks what to destroy": "done",
  "while it destroys": "done",
};

/** An unreadable cluster is an outage: a note in the plan, and an error if it was readable a moment ago. */
const away: Ends = {
  "while it plans": "told",
  "while it looks again before it writes": "failed",
  "while it writes": "failed",
  "while it deletes": "failed",
  "while it looks what to destroy": "failed",
  "while it destroys": "failed",
};

/** This does not pass by itself. */
const refused: Ends = { ...away, "while it plans": "failed" };

/** A cluster that never answered is given up after one time-out. */
const unheard: Ends = {
  ...away,
  "while it writes": "done",
  "while it deletes": "done",
  "while it destroys": "done",
};

/** No server answers a read like this, or a read changes nothing, as if it had never arrived. */
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
      "at first": { ends: { ...done, ...unread } },
      "for good": { ends: { ...away, ...unread } },
    },
  },
  {
    answers: "a 404 of somebody who doesn't know Kubernetes",
    fault: page(404),
    sentence: /does not serve \w+ as v1, .*; check what answers at https/,
    lasts: { "for good": { ends: away, writes: 5_500 } },
  },
  {
    answers: "429 with Retry-After",
    fault: page(429, { "retry-after": "2" }),
    waits: 2_000,
    sentence: /is overloaded .* after 8 attempts/,
    // It gets fewer requests at a time, which wait for each other.
    lasts: {
      "at first": { ends: done, reads: 30_000, writes: 30_000 },
      "for good": { ends: away, reads: 23_000, writes: 68_000 },
    },
  },
  {
    answers: "500",
    fault: page(500),
    sentence: /failed to .*\(status 500\) after 8 attempts.*; check its API server/,
    lasts: {
      "at first": { ends: done, reads: 800, writes: 600 },
      "for good": { ends: away, reads: 9_000, writes: 34_000 },
    },
  },
  {
    answers: "401",
    fault: refusal(401, "Unauthorized"),
    sentence: /rejects the credentials of context .*; log in again/,
    lasts: { "for good": { ends: refused } },
  },
  {
    answers: "403",
    fault: refusal(403, "Forbidden"),
    sentence: /refuses to .*; resolve this .* or give context \w+ the right/,
    lasts: { "for good": { ends: refused } },
  },
  {
    answers: "nothing and resets the connection",
    fault: always("reset"),
    sentence: lost,
    lasts: {
      "at first": { ends: done, reads: 800, writes: 600 },
      "for good": { ends: away, reads: 100, writes: 26_000 },
    },
  },
  {
    answers: "nothing after it has done as told",
    fault: always("drop"),
    sentence: lost,
    lasts: {
      "at first": { ends: { ...done, ...unread }, writes: 600 },
      "for good": { ends: { ...away, ...unread }, writes: 26_000 },
    },
  },
  {
    answers: "nothing and hangs",
    fault: always("hang"),
    sentence: late,
    lasts: {
      "at first": { ends: unheard, reads: 31_000, writes: 211_000 },
      "for good": { ends: away, reads: 31_000, writes: 151_000 },
    },
  },
  {
    answers: "nothing and hangs after it has done as told",
    fault: always("carry out and hang"),
    sentence: late,
    lasts: {
      "at first": { ends: { ...unheard, ...unread }, writes: 211_000 },
      "for good": { ends: { ...away, ...unread }, writes: 151_000 },
    },
  },
  {
    answers: "half of it",
    fault: always("cut"),
    sentence: lost,
    lasts: {
      "at first": { ends: done, reads: 800, writes: 600 },
      "for good": { ends: away, reads: 9_000, writes: 26_000 },
    },
  },
  {
    answers: "after a proxy has sent it twice",
    fault: always("duplicate"),
    lasts: { "for good": { ends: done } },
  },
];

describe("a cluster that answers", () => {
  for (const { answers, lasts: outcomes, ...row } of rows)
    for (const lasts of ["at first", "for good"] as const) {
      const outcome = outcomes[lasts];
      if (outcome === undefined) continue;
      describe(`${answers}, ${lasts}`, () => {
        for (const [phase, { reads }] of allPhases) {
          const end = outcome.ends[phase];
          if (end === undefined) continue;
          const patience = (reads ? outcome.reads : outcome.writes) ?? 0;
          for (const at of disturbedIn(phase))
            it(title(phase, at, end), () =>
              expectCell({ ...row, lasts, phase, at, end, patience }),
            );
        }
      });
    }
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
