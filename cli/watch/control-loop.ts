import {
  messageOf,
  omitUndefined,
  systemTime,
  type Time,
} from "@linkerd-multicluster/engine/kubernetes";
import type { Inputs } from "@linkerd-multicluster/engine/mirroring";
import type { MeshWatch } from "./cluster-watch.ts";
import type { DryRun } from "./dry-run.ts";
import type { Observer, RunCommand, RunEnd, SourceStatus, State } from "./events.ts";
import { Schedule } from "./schedule.ts";
import type { StackRuns } from "./stack-runs.ts";

/** In milliseconds. A dry run that takes longer must be stuck. Pulumi and the clusters decide how long a run takes. */
const stuckAfter = 900_000;

export interface ControlLoopParts {
  readonly stack: Pick<StackRuns, "sources" | "run">;
  readonly dryRun: (sources: readonly Inputs[]) => Promise<DryRun>;
  readonly meshWatch: Pick<MeshWatch, "update">;
  readonly observe: Observer;
  readonly time?: Time;
  /** In milliseconds, between two turns that cover everything and not only mirrors. */
  readonly resync: number;
}

/**
 * Runs the stack when there is a reason: a dry run first, which takes no lock and leaves no history, and `pulumi up`
 * only if the dry run finds something to do. It does one thing at a time. What a run writes comes back as a change,
 * and costs a dry run that finds everything in sync.
 */
export class ControlLoop {
  readonly #parts: ControlLoopParts;
  readonly #time: Time;
  readonly #schedule: Schedule;
  /** Each dry run begins with the mirrors in the state. */
  #sources: readonly Inputs[] = [];
  /** A guard refused the changes of these sources in the last dry run. */
  #refused: readonly SourceStatus[] = [];
  #dryRunSince = Infinity;

  constructor(parts: ControlLoopParts) {
    this.#parts = parts;
    this.#time = parts.time ?? systemTime;
    this.#schedule = new Schedule(parts.resync, this.#time);
  }

  /** Plans a dry run for a change that was just seen. */
  trigger(): void {
    this.#schedule.changed();
  }

  /** The process has to be restarted if a dry run should have ended long ago. */
  get isStuck(): boolean {
    return this.#time.now() - this.#dryRunSince > stuckAfter;
  }

  /** Continues until the signal is aborted, and waits for what is under way then. @throws only bugs */
  async run(stop: AbortSignal): Promise<void> {
    this.#report("starting");
    for (;;) {
      const scope = await this.#schedule.next(stop);
      if (scope === undefined) return;
      const failure = await this.#turn(scope === "everything", () => stop.aborted).catch(failedRun);
      // Stopping fails whatever is under way.
      if (failure === undefined || stop.aborted) continue;
      this.#schedule.failed();
      const why = failure.why === undefined ? [] : [failure.why];
      const state = failure.result === "locked" ? "locked" : "failing";
      this.#report(state, why, this.#schedule.untilEverything);
    }
  }

  /** Returns the end of a run that did not succeed. */
  async #turn(isWhole: boolean, isStopped: () => boolean): Promise<RunEnd | undefined> {
    const isFailing = this.#schedule.failures > 0;
    // A run that failed may have changed the state.
    if (isWhole || isFailing) await this.#readState();
    let isToRun = await this.#dryRun();
    if (isWhole && !isToRun && !isStopped()) {
      const preview = await this.#run("preview");
      if (preview.result !== "succeeded") return preview;
      isToRun = preview.changes > 0;
    }
    if (isStopped()) return undefined;
    if (isToRun) {
      this.#report("running");
      const up = await this.#run("up");
      if (up.result !== "succeeded") return up;
      await this.#readState();
    }
    // Mirrors in sync do not show that the cause of an earlier failure is gone.
    else if (!isWhole && isFailing) return undefined;
    if (isStopped()) return undefined;
    this.#schedule.failures = 0;
    // A refused change waits for a person, or for the next dry run.
    const refusals = this.#refused.flatMap((source) => source.refusals);
    if (this.#refused.length === 0) this.#report("settled");
    else this.#report("refused", refusals, this.#schedule.untilEverything);
    return undefined;
  }

  /** Reads which mirrors the state has, and watches the clusters on which they depend. */
  async #readState(): Promise<void> {
    this.#sources = await this.#parts.stack.sources();
    this.#parts.meshWatch.update(this.#sources);
  }

  /** Returns whether there is anything to do that no guard refuses. */
  async #dryRun(): Promise<boolean> {
    const begun = (this.#dryRunSince = this.#time.now());
    const { sources, dueIn = Infinity } = await this.#parts.dryRun(this.#sources);
    this.#dryRunSince = Infinity;
    this.#schedule.dueIn(dueIn);
    this.#parts.observe({ event: "dryRun", milliseconds: this.#time.now() - begun, sources });
    this.#refused = sources.filter(({ status }) => status === "refused");
    return sources.some(({ status }) => status === "changed");
  }

  async #run(command: RunCommand): Promise<RunEnd> {
    const { stack, observe } = this.#parts;
    const begun = this.#time.now();
    observe({ event: "runBegan", command });
    // A source with a refusal would stop the run for all.
    const excluded = this.#refused.map(({ source }) => source);
    const end = await stack.run(command, excluded).catch(failedRun);
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
