import { systemTime, type Time } from "../kubernetes/retry.ts";
import type { Inputs } from "../mirroring/model/state.ts";
import type { Command, Observer, Result, SourceSeen, State } from "./events.ts";
import type { Sight } from "./look.ts";
import { Schedule } from "./schedule.ts";

/** How a run of Pulumi has ended. */
export interface RunEnd {
  readonly result: Result;
  /** Resources that were changed, or in a preview are to be. */
  readonly changes: number;
  /** A sentence, where it has not succeeded. */
  readonly why?: string;
}

/** The stack as Pulumi's CLI serves it. */
export interface StackRuns {
  /**
   * The inputs of every `linkerd:Mirrors` in the state.
   *
   * @throws Error with a sentence for the user
   */
  sources(): Promise<readonly Inputs[]>;
  /**
   * Takes no lock and leaves no history.
   *
   * @param without sources whose mirrors are left as they are
   */
  preview(without: readonly string[]): Promise<RunEnd>;
  up(without: readonly string[]): Promise<RunEnd>;
}

/**
 * Milliseconds after which what should have come to its end must be stuck, looks that fail one after the other
 * included. Of looks and waits alone: both have an end of their own, and how long a run may take is for Pulumi and
 * the clusters to say.
 */
const patience = { wait: 60_000, look: 900_000 };

/** Milliseconds between two times that hostnames of gateways are looked up. */
const hostnamesEvery = 30_000;

export interface ConvergenceParts {
  readonly stack: StackRuns;
  readonly lookout: {
    look(sources: readonly Inputs[]): Promise<Omit<Sight, "hostnames">>;
    /** Never rejects. */
    moved(): Promise<readonly string[]>;
    /** A look is about to be wanted; called again until it is. */
    prepare(): void;
  };
  readonly meshWatch: { update(sources: readonly Inputs[]): Promise<void> };
  readonly observe: Observer;
  readonly time?: Time;
  /** Milliseconds between two runs that see to everything, and not to mirrors alone. */
  readonly resync: number;
}

/**
 * Runs the stack whenever there is a reason: a look first, which takes no lock and leaves no history,
 * and `up` only if there is something to do. One thing at a time.
 *
 * What comes from a cluster is a trigger and nothing more. What a run has written comes back as such,
 * and costs a look that finds everything in order.
 */
export class Convergence {
  readonly #parts: ConvergenceParts;
  readonly #time: Time;
  readonly #schedule: Schedule;
  #sources: readonly Inputs[] = [];
  /** The sources for which the last look has seen that nothing may be done. */
  #refused: readonly SourceSeen[] = [];
  /** When the first sign was seen of what has not been done yet. */
  #pending: number | undefined;
  /** When the wait under way must have ended. */
  #awakeBy = Infinity;
  /** When the look under way, or the one that is tried again and again, must have succeeded. */
  #lookedBy = Infinity;
  #wake: () => void = () => undefined;
  #isStopped: () => boolean = () => false;

  constructor(parts: ConvergenceParts) {
    this.#parts = parts;
    this.#time = parts.time ?? systemTime;
    this.#schedule = new Schedule(parts.resync, this.#time);
  }

  /** Something has changed in a cluster. */
  trigger(cluster: string): void {
    this.#parts.lookout.prepare();
    this.#schedule.gather(cluster);
    this.#wake();
  }

  /** It no longer moves: what was under way should have ended long ago. */
  get isStuck(): boolean {
    return this.#time.now() > Math.min(this.#awakeBy, this.#lookedBy);
  }

  /** Until the signal is aborted; a run that is under way then is waited for. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isStopped = () => signal.aborted;
    this.#say("starting");
    void this.#followHostnames(signal);
    while (!signal.aborted) {
      const step = this.#schedule.next();
      if (typeof step === "object") await this.#sleep(step.wait, signal);
      else if (step === "look") await this.#onSigns();
      else await this.#whole();
    }
  }

  /** Everything, mirrors or not: at the start, after a failure, and from time to time. */
  async #whole(): Promise<void> {
    const { stack } = this.#parts;
    this.#schedule.resync();
    this.#take();
    if (!(await this.#learn())) return;
    const hasWork = await this.#look();
    if (hasWork === undefined || this.#isStopped()) return;
    if (hasWork) {
      await this.#up();
      return;
    }
    const end = await this.#ran("preview", (without) => stack.preview(without));
    if (end.result !== "succeeded") this.#failed(end);
    else if (end.changes > 0) await this.#up();
    else this.#settled();
  }

  /** What the signs are about, mirrors, and nothing else. */
  async #onSigns(): Promise<void> {
    this.#take();
    const hasWork = await this.#look();
    if (hasWork === true && !this.#isStopped()) await this.#up();
    // What has failed and is none of the mirrors' is not in order because they are.
    else if (hasWork === false && !this.#schedule.isFailing) this.#settled();
  }

  /** Beside everything else, as DNS may take its time. */
  async #followHostnames(signal: AbortSignal): Promise<void> {
    const { lookout, observe } = this.#parts;
    for (;;) {
      await this.#time.sleep(hostnamesEvery, signal);
      if (signal.aborted) return;
      for (const about of await lookout.moved()) {
        observe({ event: "triggered", reason: "hostname", cluster: "", about });
        this.trigger("");
      }
    }
  }

  /** Whether there is anything to do that may be done; undefined: the look has failed. */
  async #look(): Promise<boolean | undefined> {
    const { lookout, observe } = this.#parts;
    const begun = this.#time.now();
    this.#lookedBy = Math.min(this.#lookedBy, begun + patience.look);
    let sight: Omit<Sight, "hostnames"> = { sources: [] };
    try {
      // A stack that has not run yet has nothing that could be looked at.
      if (this.#sources.length > 0) sight = await lookout.look(this.#sources);
    } catch (error) {
      this.#failed({ result: "failed", changes: 0, why: messageOf(error) });
      return undefined;
    }
    const { sources, dueIn } = sight;
    this.#lookedBy = Infinity;
    this.#schedule.lookIn(dueIn ?? Infinity);
    observe({ event: "looked", milliseconds: this.#time.now() - begun, sources });
    this.#refused = sources.filter(({ verdict }) => verdict === "refused");
    return sources.some(({ verdict }) => verdict === "work");
  }

  async #up(): Promise<void> {
    const { stack, observe } = this.#parts;
    this.#say("running");
    const end = await this.#ran("up", (without) => stack.up(without));
    if (end.result !== "succeeded") this.#failed(end);
    if (this.#isStopped()) return;
    const isKnown = await this.#learn();
    if (end.result !== "succeeded" || !isKnown) return;
    const since = this.#pending;
    if (since !== undefined && this.#refused.length === 0)
      observe({ event: "converged", milliseconds: this.#time.now() - since });
    this.#settled();
  }

  async #ran(
    command: Command,
    run: (without: readonly string[]) => Promise<RunEnd>,
  ): Promise<RunEnd> {
    const { observe } = this.#parts;
    const begun = this.#time.now();
    observe({ event: "runBegan", command });
    const refused = this.#refused.map(({ source }) => source);
    const end = await run(refused).catch((error: unknown): RunEnd => {
      return { result: "failed", changes: 0, why: messageOf(error) };
    });
    observe({ event: "runEnded", command, ...end, milliseconds: this.#time.now() - begun });
    return end;
  }

  /** Reads the state, which says what to watch and where the next look begins; false: it can't be read. */
  async #learn(): Promise<boolean> {
    const { stack, meshWatch } = this.#parts;
    try {
      this.#sources = await stack.sources();
    } catch (error) {
      this.#failed({ result: "failed", changes: 0, why: messageOf(error) });
      return false;
    }
    await meshWatch.update(this.#sources);
    return true;
  }

  #take(): void {
    const first = this.#schedule.take();
    this.#pending ??= first;
  }

  /** Nothing is left to do but what was refused, which nobody forces: a person sees to it, or the next look. */
  #settled(): void {
    this.#schedule.calm();
    this.#pending = undefined;
    const refusals = this.#refused.flatMap((source) => source.refusals);
    if (refusals.length === 0) this.#say("settled");
    else this.#say("refused", refusals, this.#schedule.untilResync);
  }

  #failed({ result, why }: RunEnd): void {
    // It was told to stop, which fails whatever is under way.
    if (this.#isStopped()) return;
    const wait = this.#schedule.fail();
    this.#say(result === "locked" ? "locked" : "failing", why === undefined ? [] : [why], wait);
  }

  #say(state: State, why: readonly string[] = [], retryIn?: number): void {
    const retry = retryIn === undefined ? {} : { retryIn };
    this.#parts.observe({ event: "state", state, why, ...retry });
  }

  /** Until that time has passed, or there is something new. */
  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    const awake = new AbortController();
    const wake = () => {
      awake.abort();
    };
    this.#wake = wake;
    this.#awakeBy = this.#time.now() + milliseconds + patience.wait;
    signal.addEventListener("abort", wake, { once: true });
    await this.#time.sleep(milliseconds, awake.signal);
    signal.removeEventListener("abort", wake);
    this.#wake = () => undefined;
    this.#awakeBy = Infinity;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
