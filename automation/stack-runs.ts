import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Inputs } from "@linkerd-multicluster/engine/mirroring";
import type { Observer, RunEnd, StackRuns } from "@linkerd-multicluster/engine/watch";
import { judge, type Lock, locksIn } from "./lock.ts";
import { type ProcessTable, processTable, runVariable } from "./process-table.ts";
import type { PulumiCli, Started } from "./pulumi-cli.ts";
import { outputsOf, type RunRecord, type RunRecords } from "./run-record.ts";
import { printedErrors, type Told, toldByPreview, toldByUp } from "./run-output.ts";
import { expiriesIn, mirrorsIn } from "./stack-state.ts";

export interface StackRunsParts {
  readonly cli: Pick<PulumiCli, "stack" | "start" | "print">;
  readonly records: RunRecords;
  readonly observe: Observer;
  readonly processes?: ProcessTable;
  readonly host?: string;
}

const unattended = ["--json", "--non-interactive"];

/** Runs a stack by Pulumi's CLI, and clears what an earlier run of a watch that was killed has left. */
export class PulumiRuns implements StackRuns {
  readonly #parts: Required<StackRunsParts>;
  readonly #interrupted = new AbortController();
  #running: Started | undefined;
  /** Of the mirrors in the state, by their source. */
  #urns: ReadonlyMap<string, string> = new Map();

  constructor(parts: StackRunsParts) {
    this.#parts = { processes: processTable, host: hostname(), ...parts };
  }

  async sources(): Promise<readonly Inputs[]> {
    const exported = await this.#parts.cli.print("stack", "export");
    this.#parts.observe({ event: "expiries", certificates: expiriesIn(exported) });
    const found = mirrorsIn(exported);
    this.#urns = new Map(found.map(({ urn, inputs }) => [inputs.source, urn]));
    return found.map(({ inputs }) => inputs);
  }

  preview(without: readonly string[]): Promise<RunEnd> {
    return this.#run(["preview", ...unattended, ...this.#excluding(without)], toldByPreview);
  }

  async up(without: readonly string[]): Promise<RunEnd> {
    const ended = this.#endLeftovers();
    const words = ["up", "--yes", "--skip-preview", ...unattended, ...this.#excluding(without)];
    const end = await this.#unlocked(words);
    // It has held the lock, so none of those before it has left one that had to be known again.
    if (end.result === "succeeded") for (const { id } of ended) this.#parts.records.remove(id);
    return end;
  }

  #excluding(sources: readonly string[]): string[] {
    const urns = sources.flatMap((source) => this.#urns.get(source) ?? []);
    return urns.flatMap((urn) => ["--exclude", urn]);
  }

  /** Clears a lock of an earlier run if that stands in the way. */
  async #unlocked(words: readonly string[]): Promise<RunEnd> {
    const end = await this.#run(words, toldByUp);
    if (end.locks === undefined || this.#isInterrupted()) return end;
    const { locks } = end;
    const about = locks.map(({ text }) => text).join(", ");
    const judged = () =>
      judge(locks, this.#parts.records.all(), this.#parts.host, this.#parts.processes);
    const verdict = judged();
    if (verdict === "running")
      return { ...end, why: `a run that a watch has begun still goes on: ${about}` };
    if (verdict === "foreign") {
      const hint = "if its process is gone, clear the lock with pulumi cancel";
      return { ...end, why: `it is locked by ${about}, which is not this watch's; ${hint}` };
    }
    // Of two watches that find the same lock, the later one would clear that of the run that follows.
    const isCleared = await this.#parts.records.alone(async () => {
      if (judged() !== "stale") return false;
      await this.#parts.cli.print("cancel", "--yes");
      const pids = locks.map(({ pid }) => pid);
      for (const { id, pid } of this.#parts.records.all())
        if (pids.includes(pid)) this.#parts.records.remove(id);
      return true;
    });
    if (isCleared !== true) return { ...end, why: `another watch clears its lock: ${about}` };
    this.#parts.observe({ event: "cleared", what: "lock", about });
    return this.#run(words, toldByUp);
  }

  /** Ends the run under way well, called once, and at once, called again. */
  interrupt(): void {
    this.#interrupted.abort();
    this.#running?.interrupt();
  }

  async #run(
    words: readonly string[],
    told: (file: string) => Promise<Told>,
  ): Promise<RunEnd & { readonly locks?: readonly Lock[] }> {
    if (this.#isInterrupted()) return { result: "cancelled", changes: 0 };
    const id = randomUUID();
    const outputs = outputsOf(this.#parts.records.folder, id);
    const startedAt = new Date().toISOString();
    const started = await this.#parts.cli.start(words, outputs, { [runVariable]: id });
    const identity = this.#parts.processes.identity(started.pid) ?? "unknown";
    const { stack } = this.#parts.cli;
    this.#parts.records.add({
      ...{ id, pid: started.pid, identity, startedAt, stack },
      host: this.#parts.host,
    });
    this.#running = started;
    const code = await started.ended;
    this.#running = undefined;
    const { changes, messages } = await told(outputs[0]);
    const printed = code === 0 ? "" : await printedErrors(outputs[1]);
    // One that was killed may have left its lock, which only the record proves to be ours.
    if (typeof code === "number") this.#parts.records.remove(id);
    if (code === 0) return { result: "succeeded", changes };
    if (this.#isInterrupted()) return { result: "cancelled", changes };
    const text = [...messages, printed].filter((each) => each !== "").join("; ");
    const locks = locksIn(text);
    if (locks !== undefined) return { result: "locked", changes, why: text, locks };
    const by = typeof code === "number" ? `exit code ${code}` : code;
    const why = messages.length > 0 ? messages.join("; ") : printed;
    return { result: "failed", changes, why: why === "" ? `pulumi ended with ${by}` : why };
  }

  /**
   * A CLI that was killed leaves language hosts and providers, which the mark of its run tells.
   *
   * @returns the runs of this stack that are over
   */
  #endLeftovers(): readonly RunRecord[] {
    const over = this.#parts.records
      .all()
      .filter((record) => record.host === this.#parts.host && !this.#isRunning(record));
    for (const record of over) {
      const left = this.#parts.processes.markedBy(record.id);
      for (const pid of left) this.#parts.processes.kill(pid);
      if (left.length > 0) {
        const about = `process${left.length === 1 ? "" : "es"} ${left.join(", ")}`;
        this.#parts.observe({ event: "cleared", what: "processes", about });
      }
    }
    return over.filter(({ stack }) => stack === this.#parts.cli.stack);
  }

  /** A function, as it changes while a run is waited for. */
  #isInterrupted(): boolean {
    return this.#interrupted.signal.aborted;
  }

  #isRunning({ pid, identity }: RunRecord): boolean {
    const now = this.#parts.processes.identity(pid);
    // Where it can't be proved that it is gone, it counts as running.
    return now !== undefined && (identity === "unknown" || now === identity);
  }
}
