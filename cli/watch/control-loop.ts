import { type Found, nothingFound, settlingTime } from "@linkerd-multicluster/engine/check";
import { messageOf, omitUndefined } from "@linkerd-multicluster/engine/base";
import {
  backoff,
  type Backoff,
  systemTime,
  type Time,
} from "@linkerd-multicluster/engine/kubernetes";
import type { MeshWatch } from "./cluster-watch.ts";
import type { DryRun } from "./dry-run.ts";
import type { Observer, RunCommand, RunEnd, SourceStatus, State, TriggerReason } from "./events.ts";
import type { StackRuns, WatchedSource } from "./stack-runs.ts";

/** All times are in milliseconds. A dry run waits for a pause between changes, but not longer after the first one. */
const quiet = settlingTime;
/** After a silence, what was added or altered waits only for what comes with it. */
const together = 50;
const longestDelay = 5_000;

/** After a failure, the next attempt at everything waits this long, and a change no longer than half a minute. */
const failureBackoff: Backoff = { first: 5_000, longest: 300_000 };
const longestHold = 30_000;

/** After that long without a run that only restored what others had set, nobody contests the mirrors any longer. */
const peaceAfter = 2 * failureBackoff.longest;

/** A dry run that takes longer must be stuck. Pulumi and the clusters decide how long a run takes. */
const stuckAfter = 900_000;

export interface ControlLoopParts {
  readonly stack: Pick<StackRuns, "sources" | "run" | "nextStepIn">;
  /** With `isAnew`, the dry run reads everything again and uses nothing that an earlier one has read. */
  readonly dryRun: (sources: readonly WatchedSource[], isAnew: boolean) => Promise<DryRun>;
  readonly meshWatch: Pick<MeshWatch, "update">;
  readonly observe: Observer;
  readonly time?: Time;
  /** Between two turns that cover everything and not only mirrors. */
  readonly resync: number;
}

/**
 * Runs the stack when there is a reason: a dry run first, which takes no lock and leaves no history, and `pulumi up`
 * only if the dry run finds something to do. It does one thing at a time. What a run writes comes back as a change,
 * and costs a dry run that finds everything in sync.
 *
 * It begins with everything, and repeats that at every resync, after a failure and after a change of the config. This
 * begins with a preview, which tells the arguments that the config gives to each source now. Changes are debounced, so
 * that a rollout costs one dry run, and a cluster that never stops changing causes one every few seconds.
 */
export class ControlLoop {
  readonly #parts: ControlLoopParts;
  readonly #time: Time;
  /** Each dry run begins with the mirrors in the state. */
  #sources: readonly WatchedSource[] = [];
  /** A guard refused the changes of these sources in the last dry run. */
  #refused: readonly SourceStatus[] = [];
  /** The last dry run found nothing to do but restore what others have set. */
  #contested: readonly string[] = [];
  /** Counts runs that only did that, the last of which was then. The next one waits until the truce is over. */
  #restored = { runs: 0, at: -Infinity, truce: -Infinity };
  #dryRunSince = Infinity;
  /** Counts turns in a row that failed. No change leads to a turn before the last one's wait is over. */
  #failures = 0;
  #notBefore = -Infinity;
  #everythingDue = -Infinity;
  /** The first change since the last turn was seen then, and all of them are due then. */
  #firstChange = Infinity;
  #changesDue = Infinity;
  #lastChange = -Infinity;
  /** The first change after a silence is due then. */
  #leading = Infinity;
  /** Something was last deleted or exported no longer then. */
  #lastLoss = -Infinity;
  /** What the last dry run found, without losses if something disappeared within the second before it. */
  #found: Found = nothingFound;
  /** A mirror is due to be deleted then, which no change announces. */
  #deletionDue = Infinity;
  #wake: () => void = () => undefined;

  constructor(parts: ControlLoopParts) {
    this.#parts = parts;
    this.#time = parts.time ?? systemTime;
  }

  /**
   * Plans a dry run for a change that was just seen, and a turn for everything if it is one of the config.
   *
   * @param gone something is no longer there, perhaps only for a moment
   */
  trigger(reason?: TriggerReason, gone = false): void {
    const now = this.#time.now();
    const isAtOnce = reason === "event" && !gone && now - this.#lastChange > quiet;
    this.#lastChange = now;
    if (gone) this.#lastLoss = now;
    if (isAtOnce) this.#leading = now + together;
    this.#firstChange = Math.min(this.#firstChange, now);
    this.#changesDue = Math.min(now + quiet, this.#firstChange + longestDelay, this.#leading);
    if (reason === "config") this.#everythingDue = Math.min(this.#everythingDue, now + quiet);
    this.#wake();
  }

  /** The process has to be restarted if a dry run should have ended long ago. */
  get isStuck(): boolean {
    return this.#time.now() - this.#dryRunSince > stuckAfter;
  }

  /** Continues until the signal is aborted, and waits for what is under way then. @throws only bugs */
  async run(stop: AbortSignal): Promise<void> {
    const isStopped = () => stop.aborted;
    this.#report("starting");
    while (!isStopped()) {
      const isWhole = await this.#nextTurn(stop);
      if (isWhole === undefined) continue;
      const failure = await this.#turn(isWhole, isStopped).catch(failedRun);
      // Stopping fails whatever is under way.
      if (failure !== undefined && !isStopped()) this.#failed(failure);
    }
  }

  /** Waits for a turn, which handles all changes so far. Returns whether it is for everything; undefined if not due. */
  async #nextTurn(stop: AbortSignal): Promise<boolean | undefined> {
    const now = this.#time.now();
    const mirrorsDue = Math.min(this.#deletionDue, Math.max(this.#changesDue, this.#notBefore));
    const wait = Math.min(this.#everythingDue, mirrorsDue) - now;
    if (wait > 0) {
      const awake = new AbortController();
      this.#wake = () => {
        awake.abort();
      };
      await this.#time.sleep(wait, AbortSignal.any([awake.signal, stop]));
      return undefined;
    }
    this.#firstChange = this.#changesDue = this.#leading = this.#deletionDue = Infinity;
    if (this.#everythingDue > now) return false;
    // Watches that started together drift apart.
    this.#everythingDue = now + this.#parts.resync * (0.95 + this.#time.random() / 10);
    return true;
  }

  #failed({ why, result }: RunEnd): void {
    this.#failures += 1;
    const now = this.#time.now();
    const wait = backoff(this.#failures, failureBackoff, this.#time);
    this.#everythingDue = Math.min(this.#everythingDue, now + wait);
    this.#notBefore = now + Math.min(wait, longestHold);
    const state = result === "locked" ? "locked" : "failing";
    this.#report(state, why === undefined ? [] : [why], this.#everythingDue - now);
  }

  /** Returns the end of a run that did not succeed. */
  async #turn(isWhole: boolean, isStopped: () => boolean): Promise<RunEnd | undefined> {
    this.#found = nothingFound;
    // Nothing is left out, since a refusal may be gone by the config as it is now.
    let preview = isWhole ? await this.#run("preview", []) : undefined;
    // A run that failed may have changed the state.
    const isAnew = isWhole || this.#failures > 0;
    if (isAnew) await this.#readState();
    let isToRun = !isStopped() && (await this.#dryRun(isAnew));
    if (preview !== undefined && !isToRun && !isStopped()) {
      // What is refused counts as a change, and a mistake stops the preview for all sources.
      if (this.#refused.length > 0) preview = await this.#run("preview");
      if (preview.result !== "succeeded") return preview;
      isToRun = preview.changes > 0;
    }
    if (isStopped()) return undefined;
    if (isToRun) {
      const onlyRestores = this.#contested.length > 0;
      this.#report("running");
      const up = await this.#run("up");
      if (up.result !== "succeeded") return up;
      if (onlyRestores) this.#beginTruce();
      await this.#readState();
    }
    // Mirrors in sync do not show that the cause of an earlier failure is gone.
    else if (!isWhole && this.#failures > 0) return undefined;
    if (isStopped()) return undefined;
    this.#failures = 0;
    const step = this.#time.now() + this.#parts.stack.nextStepIn();
    this.#everythingDue = Math.min(this.#everythingDue, step);
    // A refused change waits for a person, or for the next dry run.
    const refusals = this.#refused.flatMap((source) => source.refusals);
    const now = this.#time.now();
    if (!isToRun && this.#contested.length > 0) {
      this.#changesDue = this.#restored.truce;
      this.#report("contested", this.#contested, Math.max(this.#restored.truce - now, 0));
    } else if (this.#refused.length === 0) this.#report("settled");
    else this.#report("refused", refusals, this.#everythingDue - now);
    return undefined;
  }

  #beginTruce(): void {
    const at = this.#time.now();
    const runs = at - this.#restored.at > peaceAfter ? 1 : this.#restored.runs + 1;
    this.#restored = { runs, at, truce: at + backoff(runs, failureBackoff, this.#time) };
  }

  /** Reads which mirrors the state has, and watches the clusters on which they depend. */
  async #readState(): Promise<void> {
    this.#sources = await this.#parts.stack.sources();
    this.#parts.meshWatch.update(this.#sources.map(({ planned }) => planned));
  }

  /** Returns whether there is anything to do that no guard refuses. */
  async #dryRun(isAnew: boolean): Promise<boolean> {
    const begun = (this.#dryRunSince = this.#time.now());
    const isSettled = begun - this.#lastLoss >= quiet;
    const {
      sources,
      losses,
      changesGates,
      away,
      dueIn = Infinity,
    } = await this.#parts.dryRun(this.#sources, isAnew);
    this.#found = { losses: isSettled ? losses : {}, away };
    this.#dryRunSince = Infinity;
    const now = this.#time.now();
    this.#deletionDue = now + dueIn;
    this.#parts.observe({ event: "dryRun", milliseconds: now - begun, sources });
    this.#refused = sources.filter(({ status }) => status === "refused");
    const changed = sources.filter(({ status }) => status === "changed");
    const isContested = changed.every((each) => each.contested !== undefined);
    this.#contested = isContested ? changed.flatMap((each) => each.contested ?? []) : [];
    if (changesGates) return true;
    return changed.length > 0 && (!isContested || now >= this.#restored.truce);
  }

  /** @param refused would fail, or stop the run for all */
  async #run(command: RunCommand, refused = this.#refused): Promise<RunEnd> {
    const { stack, observe } = this.#parts;
    const begun = this.#time.now();
    observe({ event: "runBegan", command });
    const excluded = refused.map(({ source }) => source);
    const end = await stack.run(command, excluded, this.#found).catch(failedRun);
    observe({ event: "runEnded", command, ...end, milliseconds: this.#time.now() - begun });
    return end;
  }

  #report(state: State, why: readonly string[] = [], retryIn?: number): void {
    this.#parts.observe({ event: "state", state, why, ...omitUndefined({ retryIn }) });
  }
}

/** A run that could not even start has failed. @throws the error itself if it is a bug */
function failedRun(error: unknown): RunEnd {
  return { result: "failed", changes: 0, why: messageOf(error) };
}
