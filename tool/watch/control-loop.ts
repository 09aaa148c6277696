import { defined, messageOf, systemTime, type Time } from "@linkerd-multicluster/engine/kubernetes";
import type { Inputs } from "@linkerd-multicluster/engine/mirroring";
import type { DryRun } from "./dry-run.ts";
import type { Observer, RunCommand, RunEnd, SourceStatus, State } from "./events.ts";
import type { MeshWatch } from "./mesh-watch.ts";
import { Schedule } from "./schedule.ts";
import type { StackRuns } from "./stack-runs.ts";

/**
 * Milliseconds after which a dry run, or dry runs that fail one after the other, must be stuck. How long a run
 * may take is for Pulumi and the clusters to say.
 */
const stuckAfter = 900_000;

export interface ControlLoopParts {
  readonly stack: Pick<StackRuns, "sources" | "preview" | "up">;
  readonly dryRun: (sources: readonly Inputs[]) => Promise<Omit<DryRun, "hostnames">>;
  readonly meshWatch: Pick<MeshWatch, "update">;
  readonly observe: Observer;
  readonly time?: Time;
  /** Milliseconds between two runs that see to everything, and not to mirrors alone. */
  readonly resync: number;
}

/**
 * Runs the stack whenever there is a reason: a dry run first, which takes no lock and leaves no history,
 * and `up` only if that finds something to do. One thing at a time. What a run has written comes back as
 * a change, and costs a dry run that finds everything in sync.
 */
export class ControlLoop {
  readonly #parts: ControlLoopParts;
  readonly #time: Time;
  readonly #schedule: Schedule;
  #sources: readonly Inputs[] = [];
  /** The sources for which the last dry run has found that nothing may be done. */
  #refused: readonly SourceStatus[] = [];
  /** When a dry run must have succeeded, the one under way or one that is tried again and again. */
  #dryRunBy = Infinity;
  #isStopped: () => boolean = () => false;

  constructor(parts: ControlLoopParts) {
    this.#parts = parts;
    this.#time = parts.time ?? systemTime;
    this.#schedule = new Schedule(parts.resync, this.#time);
  }

  /** Notes that something has changed in a cluster; returns whether that is news since the last dry run. */
  trigger(cluster: string): boolean {
    return this.#schedule.changed(cluster);
  }

  /** A dry run should have succeeded long ago. */
  get isStuck(): boolean {
    return this.#time.now() > this.#dryRunBy;
  }

  /** Goes on until the signal is aborted; a run that is under way then is waited for. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isStopped = () => signal.aborted;
    this.#tell("starting");
    for (;;) {
      const what = await this.#schedule.next(signal);
      if (what === undefined) return;
      await this.#turn(what === "everything").catch(this.#failed.bind(this));
    }
  }

  /** Sees to everything at the start, after a failure and from time to time, else to mirrors. */
  async #turn(isWhole: boolean): Promise<void> {
    if (isWhole) await this.#readState();
    let isToRun = await this.#dryRun();
    if (this.#isStopped()) return;
    if (isWhole && !isToRun) isToRun = (await this.#run("preview")) > 0;
    if (isToRun) await this.#up();
    // A failure that has nothing to do with mirrors is not mended because they are in sync.
    else if (!isWhole && this.#schedule.isFailing) return;
    if (!this.#isStopped()) this.#settled(isToRun);
  }

  /** Finds out whether there is anything to do that may be done. */
  async #dryRun(): Promise<boolean> {
    const begun = this.#time.now();
    this.#dryRunBy = Math.min(this.#dryRunBy, begun + stuckAfter);
    // A stack that has not run yet has nothing to be read.
    const { sources, dueIn = Infinity } =
      this.#sources.length > 0 ? await this.#parts.dryRun(this.#sources) : { sources: [] };
    this.#dryRunBy = Infinity;
    this.#schedule.dueIn(dueIn);
    this.#parts.observe({ event: "dryRun", milliseconds: this.#time.now() - begun, sources });
    this.#refused = sources.filter(({ status }) => status === "refused");
    return sources.some(({ status }) => status === "changed");
  }

  async #up(): Promise<void> {
    this.#tell("running");
    try {
      await this.#run("up");
    } catch (error) {
      // That it has failed is what is told, and the next turn reads the state again.
      if (!this.#isStopped()) await this.#readState().catch(() => undefined);
      throw error;
    }
    if (!this.#isStopped()) await this.#readState();
  }

  /** Returns how many resources that has changed, or is to change. @throws RunFailure */
  async #run(command: RunCommand): Promise<number> {
    const { stack, observe } = this.#parts;
    const begun = this.#time.now();
    observe({ event: "runBegan", command });
    // Their mistakes would stop the run for all.
    const excluded = this.#refused.map(({ source }) => source);
    const end = await stack[command](excluded).catch((error: unknown): RunEnd => ({
      result: "failed",
      changes: 0,
      why: messageOf(error),
    }));
    observe({ event: "runEnded", command, ...end, milliseconds: this.#time.now() - begun });
    if (end.result !== "succeeded") throw new RunFailure(end);
    return end.changes;
  }

  /** Reads what to watch, and where the next dry run begins. */
  async #readState(): Promise<void> {
    this.#sources = await this.#parts.stack.sources();
    await this.#parts.meshWatch.update(this.#sources);
  }

  /** Notes that nothing is left to do but what was refused, which a person sees to, or the next dry run. */
  #settled(hasRun: boolean): void {
    const milliseconds = this.#schedule.succeeded();
    const refusals = this.#refused.flatMap((source) => source.refusals);
    if (this.#refused.length > 0) {
      this.#tell("refused", refusals, this.#schedule.untilEverything);
      return;
    }
    if (hasRun && milliseconds !== undefined)
      this.#parts.observe({ event: "converged", milliseconds });
    this.#tell("settled");
  }

  #failed(error: unknown): void {
    // It was told to stop, which fails whatever is under way.
    if (this.#isStopped()) return;
    const state = error instanceof RunFailure && error.result === "locked" ? "locked" : "failing";
    this.#schedule.failed();
    this.#tell(state, [messageOf(error)].filter(Boolean), this.#schedule.untilEverything);
  }

  #tell(state: State, why: readonly string[] = [], retryIn?: number): void {
    this.#parts.observe({ event: "state", state, why, ...defined({ retryIn }) });
  }
}

/** A run that has not succeeded. */
class RunFailure extends Error {
  readonly result: RunEnd["result"];

  constructor({ result, why }: RunEnd) {
    super(why);
    this.result = result;
  }
}
