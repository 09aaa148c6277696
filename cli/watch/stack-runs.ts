import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir, hostname } from "node:os";
import { dirname, join } from "node:path";
import type { GateInputs } from "@linkerd-multicluster/engine/admitting";
import { type Found, foundVariable, nothingFound } from "@linkerd-multicluster/engine/check";
import type { Before, Inputs } from "@linkerd-multicluster/engine/mirroring";
import { longestSilence, pulumi, type StackLocation } from "../stack/pulumi.ts";
import { inFolder, type RotationState, stackState } from "../stack/stack-state.ts";
import type { Observer, RunCommand, RunEnd } from "./events.ts";
import { follow } from "./follow.ts";
import { isPulumi, judge, type Lock, locksIn, type RunRecord } from "./lock.ts";
import { endOf, printedIn, type Run, startRun } from "./pulumi-run.ts";

/** Milliseconds in which a cluster settles between two steps of a rotation. */
const betweenSteps = 60_000;

export interface WatchedSource {
  /** Its arguments are those that the program makes of its config now, wherever that comes from. */
  readonly planned: Inputs;
  /** The inputs in state are those of the last run that succeeded. */
  readonly before: Before;
}

/**
 * Runs a stack by Pulumi's CLI from PATH, and clears the lock that a run of a killed watch left.
 *
 * Until a run has ended, it has a folder with a record of its process and what it prints. The folder is not with the
 * program, which may be read-only, and not in a temporary folder, which the system cleans up.
 */
export class StackRuns {
  readonly #at: StackLocation;
  readonly #observe: Observer;
  /** Distinguishes the stack from others on this machine. */
  readonly #id: string;
  readonly #folder: string;
  readonly #silence: typeof longestSilence;
  readonly #said: ((message: string) => void) | undefined;
  readonly #stop = new AbortController();
  #running: Run | undefined;
  #rotation: RotationState | undefined;
  #gates: readonly GateInputs[] = [];
  /** `--exclude` takes the URN of a source's mirrors. */
  #urns: ReadonlyMap<string, string> = new Map();
  /** State has the arguments of a source's last successful run. These, by URN, are those of the last run or preview. */
  readonly #planned = new Map<string, Inputs | undefined>();

  /** @param said gets the messages of runs */
  constructor(
    at: StackLocation,
    observe: Observer,
    silence = longestSilence,
    said?: (message: string) => void,
  ) {
    this.#said = said;
    this.#at = { ...at, stop: this.#stop.signal };
    this.#observe = observe;
    this.#silence = silence;
    // A stack that is only selected has no name here.
    const { folder, stack = "", variables } = at;
    const { PULUMI_BACKEND_URL = "", XDG_STATE_HOME = "" } = variables;
    const name = [folder, stack, PULUMI_BACKEND_URL].join("\n");
    this.#id = createHash("sha256").update(name).digest("hex").slice(0, 16);
    const states = XDG_STATE_HOME || join(homedir(), ".local", "state");
    this.#folder = join(states, "linkerd-multicluster", "watch", this.#id);
  }

  /** Reads every `linkerd:Mirrors` in the state, and adds what runs have planned. @throws Error with a sentence */
  async sources(): Promise<readonly WatchedSource[]> {
    const { mirrors, gates, expiries, rotation } = await stackState(this.#at);
    this.#gates = gates;
    this.#observe({ event: "expiries", certificates: expiries });
    this.#rotation = rotation;
    if (rotation !== undefined) {
      const { stage, waitsFor = [] } = rotation;
      this.#observe({ event: "rotation", stage, waitsFor: waitsFor.length });
    }
    this.#urns = new Map([...mirrors].map(([urn, { source }]) => [source, urn]));
    return [...new Map([...mirrors, ...this.#planned])].flatMap(([urn, planned]) =>
      planned === undefined
        ? []
        : [{ planned: inFolder(planned, this.#at.folder), before: mirrors.get(urn) ?? {} }],
    );
  }

  /** The closed gateways in the state, as read with the sources. */
  get gates(): readonly GateInputs[] {
    return this.#gates;
  }

  /** Returns in how many milliseconds the next step of a rotation is due that restarts workloads itself. */
  nextStepIn(): number {
    const { stage = "settled", restarts, waitsFor = [], notBefore = "" } = this.#rotation ?? {};
    if (stage === "settled" || restarts !== true || waitsFor.length > 0) return Infinity;
    return Math.max(betweenSteps, (Date.parse(notBefore) || 0) - Date.now());
  }

  /**
   * Runs Pulumi's CLI without the mirrors of `excluded` sources, and again if it had to clear a lock first.
   *
   * @param found the run looks again at whatever else it finds gone, and at all other clusters
   * @throws Error if there is no CLI
   */
  async run(
    command: RunCommand,
    excluded: readonly string[],
    found = nothingFound,
  ): Promise<RunEnd> {
    if (this.#stop.signal.aborted) return { result: "cancelled", changes: 0 };
    const end = await this.#run(command, excluded, found);
    // An update that succeeded held the lock, so no run before it left one. A preview takes no lock.
    if (command === "up" && end.result === "succeeded") this.#removeEnded();
    const locks = end.result === "locked" ? locksIn(end.why ?? "") : undefined;
    if (locks === undefined) return end;
    const about = locks.map(({ text }) => text).join(", ") || "another update";
    const why = {
      stale: undefined,
      running: `a run that linkerd-clusters started still continues: ${about}`,
      foreign: `it is locked by ${about}, a run of somebody else; if its process is gone, clear the lock with pulumi cancel`,
      contended: `another watch clears its lock: ${about}`,
    }[await this.#clear(locks)];
    if (why !== undefined) return { ...end, why };
    this.#observe({ event: "lockCleared", lock: about });
    // The records of the cleared locks are gone, so no lock is cleared twice.
    return this.run(command, excluded, found);
  }

  /** Starts nothing more, and interrupts the run that is under way. @param again ends it at once if it was interrupted before */
  interrupt(again = false): void {
    this.#stop.abort();
    this.#running?.interrupt(again);
  }

  async #run(command: RunCommand, excluded: readonly string[], found: Found): Promise<RunEnd> {
    this.#removeOutputs();
    const folder = join(this.#folder, randomUUID());
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    let isLockLeft = false;
    try {
      const urns = excluded.flatMap((source) => this.#urns.get(source) ?? []);
      const exclude = urns.flatMap((urn) => ["--exclude", urn]);
      const [at, silence] = [this.#at, this.#silence];
      const silent = () => {
        this.#observe({ event: "runSilent", command, milliseconds: silence[command] });
      };
      const file = join(folder, "found.json");
      writeFileSync(file, JSON.stringify(found), { mode: 0o600 });
      const variables = { ...at.variables, [foundVariable]: file };
      const run = await startRun(command, exclude, {
        at: { ...at, variables },
        folder,
        silence,
        silent,
      });
      this.#running = run;
      const ending = this.#said && follow(printedIn(folder)[0], this.#said);
      void run.ended.then(ending);
      // Without the record, nobody could tell whose lock the run takes.
      const record: RunRecord = { host: hostname(), pid: run.pid, at: Date.now(), command };
      try {
        writeFileSync(join(folder, "run.json"), JSON.stringify(record), { mode: 0o600 });
      } catch (error) {
        run.interrupt();
        await run.ended;
        throw error;
      }
      const exit = await run.ended;
      // Only the record proves whose lock a killed update has left.
      isLockLeft = exit.code === null && command === "up";
      const planned = new Map<string, Inputs | undefined>();
      const end = await endOf(folder, exit, planned);
      // A renamed resource has another URN.
      if (end.result === "succeeded" && planned.size > 0)
        for (const urn of [...this.#planned.keys(), ...this.#urns.values()])
          if (!planned.has(urn)) this.#planned.set(urn, undefined);
      // An excluded resource keeps the arguments in state.
      for (const [urn, inputs] of planned) if (!urns.includes(urn)) this.#planned.set(urn, inputs);
      if (end.result === "succeeded" || !this.#stop.signal.aborted) return end;
      return { result: "cancelled", changes: end.changes };
    } finally {
      this.#running = undefined;
      for (const path of isLockLeft ? printedIn(folder) : [folder])
        rmSync(path, { recursive: true, force: true });
    }
  }

  /**
   * Clears stale locks. Of two watches that found the same lock, the second would clear the lock of the run that
   * follows. So they take turns, and the second finds no record. The turn is a name in the kernel, which disappears
   * with its process.
   */
  async #clear(locks: readonly Lock[]): Promise<ReturnType<typeof judge> | "contended"> {
    const turn = createServer().listen(`\0linkerd-multicluster-${this.#id}`);
    try {
      await once(turn, "listening");
    } catch {
      return "contended";
    }
    try {
      const verdict = judge(locks, this.#records(), isPulumi);
      if (verdict !== "stale") return verdict;
      await pulumi(["cancel", "--yes"], this.#at);
      this.#removeEnded();
      return verdict;
    } finally {
      turn.close();
    }
  }

  /** Removes the records of killed runs once the stack has no lock of theirs. */
  #removeEnded(): void {
    for (const { folder, pid } of this.#records())
      if (!isPulumi(pid)) rmSync(folder, { recursive: true, force: true });
  }

  /** Removes what runs have printed that ended without their watch, and the records of previews, which take no lock. */
  #removeOutputs(): void {
    for (const { folder, pid, command } of this.#records())
      if (!isPulumi(pid))
        for (const path of command === "preview" ? [folder] : printedIn(folder))
          rmSync(path, { recursive: true, force: true });
  }

  /** Reads the records of this machine, whose processes it can see. */
  #records(): readonly (RunRecord & { readonly folder: string })[] {
    const files = globSync("*/run.json", { cwd: this.#folder });
    const records = files.flatMap((name) => {
      const file = join(this.#folder, name);
      try {
        const record = JSON.parse(readFileSync(file, "utf8")) as RunRecord;
        return { ...record, folder: dirname(file) };
      } catch {
        // The record was removed meanwhile, or is incomplete and proves nothing.
        return [];
      }
    });
    return records.filter(({ host }) => host === hostname());
  }
}
