import { createInterface } from "node:readline/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { UserError } from "@linkerd-multicluster/engine/base";
import { stepSentence } from "../facts/rotation-steps.ts";
import { exitCode } from "../output.ts";
import { locationOf, longestSilence, type StackLocation } from "../stack/pulumi.ts";
import { type RotationState, stackState } from "../stack/stack-state.ts";
import type { Chosen } from "../stack/stacks.ts";
import type { RunEnd } from "../watch/events.ts";
import { StackRuns } from "../watch/stack-runs.ts";
import { provenIn } from "./proven.ts";

/** Milliseconds between two previews, while a rotation waits for what others do. */
const every = 30_000;

/** Tests replace these. */
export interface Rotating {
  readonly runs: Pick<StackRuns, "run">;
  readonly state: () => Promise<RotationState | undefined>;
  /** Returns what is proven in each cluster. */
  readonly proven: () => Promise<string>;
  /** Returns whether to go on. */
  readonly ask: (question: string) => Promise<boolean>;
  readonly say: (line: string) => void;
  /** Passes on what runs say from now on, at once. */
  readonly hear: (listener: (line: string) => void) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly now: () => number;
}

/**
 * Runs `pulumi up` until a rotation is complete. It keeps nothing itself: each run decides from the live clusters, so another
 * start continues after any interruption.
 *
 * @returns whether the rotation is complete
 */
export async function rotateBy(rotating: Rotating): Promise<boolean> {
  const { runs, ask, say } = rotating;
  let before = await rotating.state();
  let [shown, awaited, told] = ["", "", ""];
  /** The user has agreed to a run that says this. */
  let agreed: string | undefined;
  for (;;) {
    await waitFor(before, rotating);
    const planned = new Set<string>();
    rotating.hear((line) => planned.add(line));
    const preview = ended(await runs.run("preview", []), "pulumi preview");
    const isSettled = before?.stage === "settled";
    if (preview.changes === 0 && isSettled && !isWaiting(before)) {
      say(
        "Nothing is left to do. To begin a rotation, increment linkerd-multicluster:trust.generation.",
      );
      return true;
    }
    const news = [...planned].join("\n");
    if (news !== shown) for (const line of planned) say(line);
    if (preview.changes === 0 && isWaiting(before) && news !== "") {
      if (news !== awaited) say("Waiting until that is done.");
      [shown, awaited] = [news, news];
      await rotating.sleep(every);
      continue;
    }
    shown = news;
    const isNew = news !== agreed;
    // A run without a change finds out whether anything is left.
    if (isNew && preview.changes > 0) {
      say(await rotating.proven());
      if (!(await ask(`Run pulumi up, which changes ${preview.changes} resources?`))) return false;
    }
    if (isNew) say("Running pulumi up");
    agreed = news;
    rotating.hear((line) => {
      if (!planned.has(line)) say(line);
      planned.add(line);
    });
    const up = await runs.run("up", []);
    if (up.result === "locked") {
      // Whoever holds the lock may take this step, so the next preview is asked about again if it differs.
      const { why = "the stack is locked" } = up;
      if (why !== told) say(`Waiting for the lock of the stack: ${why}`);
      told = why;
      await rotating.sleep(every);
      before = await rotating.state();
      continue;
    }
    ended(up, "pulumi up");
    agreed = undefined;
    before = await rotating.state();
    say(`Changed ${up.changes} resources. ${stepSentence(before?.stage)}`);
    if (before === undefined || (before.stage === "settled" && !isWaiting(before))) return true;
  }
}

function isWaiting(state: RotationState | undefined): boolean {
  return state?.stage === "waiting" || state?.notBefore !== undefined;
}

async function waitFor(
  state: RotationState | undefined,
  { say, sleep, now }: Rotating,
): Promise<void> {
  const { notBefore = "" } = state ?? {};
  const left = Date.parse(notBefore) - now();
  if (!(left > 0)) return;
  say(`Waiting until ${notBefore}.`);
  await sleep(left + 1_000);
}

/** Helm refuses an upgrade while its last one has neither succeeded nor failed. */
const unfinished = "another operation (install/upgrade/rollback) is in progress";

const helmRemedy =
  "A run was killed while Helm upgraded a chart. In each cluster, delete the record of an upgrade that didn't end, and then run linkerd-clusters rotate again (docs/guides/rotate.md).\nFix: kubectl -n linkerd delete secret --selector owner=helm,status=pending-upgrade";

function ended(end: RunEnd, what: string): RunEnd {
  if (end.result === "succeeded") return end;
  const { why = end.result } = end;
  const remedy = why.includes(unfinished)
    ? helmRemedy
    : "Run linkerd-clusters rotate again to continue.";
  throw new UserError(`${what}: ${why}\n${remedy}`);
}

export interface RotateOptions {
  readonly yes?: boolean;
}

export async function rotate(chosen: Chosen, { yes = false }: RotateOptions): Promise<void> {
  const stop = new AbortController();
  const at: StackLocation = { ...locationOf(chosen, process.env), stop: stop.signal };
  const say = (line: string) => process.stdout.write(`${line}\n`);
  let heard: (line: string) => void = () => undefined;
  const runs = new StackRuns(
    at,
    ({ event }) => {
      if (event === "lockCleared") say("Cleared the lock of a run that was killed.");
    },
    longestSilence,
    (message) => {
      heard(message);
    },
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      stop.abort(new UserError("Interrupted. Run linkerd-clusters rotate again to continue."));
      runs.interrupt();
    });
  const isComplete = await rotateBy({
    runs,
    state: async () => (await stackState(at)).rotation,
    proven: async () => provenIn(await stackState(at)),
    ask: (question) => (yes ? Promise.resolve(true) : confirmed(question, stop.signal)),
    say,
    hear: (listener) => {
      heard = listener;
    },
    sleep: (milliseconds) => sleep(milliseconds, undefined, { signal: stop.signal }),
    now: Date.now,
  });
  if (!isComplete) process.exitCode = exitCode.problems;
}

/** @throws UserError if nobody can answer */
async function confirmed(question: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UserError("Without a terminal, rotate needs --yes.");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal })).trim());
  } finally {
    terminal.close();
  }
}
