import { type Cell, type End, expectCell } from "./cell.ts";
import { always, type Lie, page, refusal, type Spell } from "./lies.ts";
import { type PhaseName, phases } from "./phases.ts";

/** How each phase ends: that of the sources, and that of the targets where they are asked. */
type Ends = Readonly<Record<PhaseName, End | "no such thing">>;

/** A fault, and how it ends in each phase. */
interface Row {
  readonly answers: string;
  readonly lie: Lie;
  readonly spell: Spell;
  readonly ends: Ends;
  readonly sentence: RegExp;
  /** Milliseconds that reads, and that writes, wait at most. */
  readonly patience: readonly [reads: number, writes: number];
  readonly path?: RegExp;
}

const done: Ends = {
  "while it plans": "done",
  "while it looks again before it writes": "done",
  "while it writes": "done",
  "while it deletes": "done",
  "while it refreshes": "done",
  "while it looks what to destroy": "done",
  "while it destroys": "done",
};

/** A cluster that can't be read is an outage: a note in the plan, and an error where it was there a moment ago. */
const away: Ends = {
  "while it plans": "told",
  "while it looks again before it writes": "failed",
  "while it writes": "failed",
  "while it deletes": "failed",
  "while it refreshes": "told",
  "while it looks what to destroy": "failed",
  "while it destroys": "failed",
};

/** Nobody can say that it may pass by itself. */
const refused: Ends = { ...away, "while it plans": "failed" };

/** No server answers a read with this. */
const noReads = {
  "while it plans": "no such thing",
  "while it looks again before it writes": "no such thing",
  "while it refreshes": "no such thing",
  "while it looks what to destroy": "no such thing",
} as const;

/** Writes are tried again; a cluster that was never heard of is given up after the first time-out. */
const unheard: Ends = {
  ...away,
  "while it writes": "done",
  "while it deletes": "done",
  "while it destroys": "done",
};

const overload = page(429, { "retry-after": "2" });
const lost = /can't be reached at https:\/\/\w+\.test .*the connection was lost/;
const late = /can't be reached at https:\/\/\w+\.test .*the response timed out/;

const rows: readonly Row[] = [
  {
    answers: "409",
    ...{ lie: refusal(409, "Conflict"), spell: "at first", path: /\/(services|endpoints)/ },
    ...{ ends: { ...done, ...noReads }, sentence: /./, patience: [0, 0] },
  },
  {
    answers: "409",
    ...{ lie: refusal(409, "Conflict"), spell: "for good", path: /\/(services|endpoints)/ },
    ends: { ...away, ...noReads },
    ...{
      sentence: /was changed by another client before this \w+: .*; run again/,
      patience: [0, 0],
    },
  },
  {
    answers: "a 404 of somebody who doesn't know Kubernetes",
    ...{ lie: page(404), spell: "for good", ends: away },
    ...{
      sentence: /does not serve \w+ as v1, .*; check what answers at https/,
      patience: [0, 5_500],
    },
  },
  {
    answers: "429 with Retry-After",
    ...{ lie: overload, spell: "at first", ends: done, sentence: /./, patience: [12_000, 10_000] },
  },
  {
    answers: "429 with Retry-After",
    ...{ lie: overload, spell: "for good", ends: away },
    ...{ sentence: /is overloaded .* after 8 attempts/, patience: [23_000, 68_000] },
  },
  ...[500, 503].flatMap((code): Row[] => [
    {
      ...{ answers: String(code), lie: page(code), spell: "at first" },
      ...{ ends: done, sentence: /./, patience: [500, 500] },
    },
    {
      ...{ answers: String(code), lie: page(code), spell: "for good", ends: away },
      sentence: new RegExp(
        `failed to .*\\(status ${code}\\) after 8 attempts.*; check its API server`,
      ),
      patience: [9_000, 26_000],
    },
  ]),
  {
    ...{ answers: "401", lie: refusal(401, "Unauthorized"), spell: "for good", ends: refused },
    ...{ sentence: /rejects the credentials of context .*; log in again/, patience: [0, 0] },
  },
  {
    ...{ answers: "403", lie: refusal(403, "Forbidden"), spell: "for good", ends: refused },
    ...{
      sentence: /refuses to .*; resolve this .* or give context \w+ the right/,
      patience: [0, 0],
    },
  },
  ...(["reset", "drop"] as const).flatMap((fault): Row[] => [
    {
      answers: {
        reset: "nothing, because the connection is reset",
        drop: "nothing after doing as told",
      }[fault],
      ...{ lie: always(fault), spell: "at first", ends: done, sentence: /./, patience: [500, 500] },
    },
    {
      answers: {
        reset: "nothing, because the connection is reset",
        drop: "nothing after doing as told",
      }[fault],
      ...{
        lie: always(fault),
        spell: "for good",
        ends: away,
        sentence: lost,
        patience: [100, 26_000],
      },
    },
  ]),
  ...(["hang", "carry out and hang"] as const).flatMap((fault): Row[] => {
    const answers =
      fault === "hang" ? "nothing, and hangs" : "nothing, and hangs after doing as told";
    return [
      {
        ...{ answers, lie: always(fault), spell: "at first", ends: unheard },
        ...{ sentence: late, patience: [31_000, 121_000] },
      },
      {
        ...{ answers, lie: always(fault), spell: "for good", ends: away },
        ...{ sentence: late, patience: [31_000, 151_000] },
      },
    ];
  }),
  {
    ...{ answers: "half of it", lie: always("cut"), spell: "at first", ends: done },
    ...{ sentence: /./, patience: [500, 500] },
  },
  {
    ...{ answers: "half of it", lie: always("cut"), spell: "for good", ends: away },
    ...{ sentence: lost, patience: [9_000, 26_000] },
  },
  {
    ...{ answers: "after a proxy has sent it twice", lie: always("duplicate"), spell: "for good" },
    ...{ ends: done, sentence: /./, patience: [0, 0] },
  },
];

describe("a cluster that answers", () => {
  for (const { answers, ends, patience, ...row } of rows)
    describe(`${answers}, ${row.spell}`, () => {
      for (const [phase, { asksTargets, isPart }] of Object.entries(phases) as [
        PhaseName,
        (typeof phases)[PhaseName],
      ][]) {
        const end = ends[phase];
        if (end === "no such thing") continue;
        const isRead = isPart({ number: 1, method: "GET", path: "", body: "", patience: 0 });
        const cell = { ...row, phase, end, patience: patience[isRead ? 0 : 1] };
        for (const at of asksTargets ? (["east", "west"] as const) : (["east"] as const))
          it(title(phase, at, end), () => expectCell({ ...cell, at } satisfies Cell));
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
