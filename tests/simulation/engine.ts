import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";

import type { Process } from "../../engine/providers/mirrors.ts";
import { isPartialFailure, plain, type Provider, provider, type Values } from "./providers.ts";
import { messageOf, UserError } from "../../engine/base/user-error.ts";

/** What Pulumi's state keeps of a resource between two operations. */
export interface Held {
  readonly id: string;
  readonly inputs: Values;
  readonly outputs: Values;
  /** The previous run failed in part. */
  readonly isPartial: boolean;
}

export interface Step {
  readonly name: string;
  readonly held: Held | undefined;
  readonly inputs: Values;
  readonly changes: boolean;
}

/** Arguments of the program's dynamic resources, by name. */
export type Wanted = ReadonlyMap<string, Values>;

/**
 * Does what Pulumi's engine does with the dynamic resources of a program: it calls the provider's methods in the
 * engine's order and keeps what they return. tests/e2e/mirroring/engine-contract.test.ts compares it with the real one.
 * Unknowns, secrets, replacement, exit codes and output need the real engine.
 */
export class SimulatedEngine {
  readonly #provider: (process: Partial<Process>) => Provider;
  #state = new Map<string, Held>();
  /** A killed operation may continue in the background, and must no longer change the state. */
  #operation = 0;

  constructor(of: (process: Partial<Process>) => Provider = provider) {
    this.#provider = of;
  }

  get state(): ReadonlyMap<string, Held> {
    return this.#state;
  }

  async preview(wanted: Wanted, process: Partial<Process> = {}): Promise<Step[]> {
    this.#begin();
    return this.#check(this.#provider(process), wanted);
  }

  /**
   * As in the engine, a checked resource is updated at once, beside the checks of the others.
   *
   * @param targets names the only resources that the run checks, updates or deletes; by default all
   */
  async up(
    wanted: Wanted,
    process: Partial<Process> = {},
    targets: readonly string[] = [...wanted.keys(), ...this.#state.keys()],
  ): Promise<Step[]> {
    const operation = this.#begin();
    const mirrors = this.#provider(process);
    const running: Promise<void>[] = [];
    const targeted = new Map([...wanted].filter(([name]) => targets.includes(name)));
    const steps = await this.#check(mirrors, targeted, (step) => {
      const update = this.#carryOut(operation, mirrors, step);
      // The update may fail before anybody awaits it.
      update.catch(() => undefined);
      running.push(update);
    }).finally(() => Promise.allSettled(running));
    await ended(running);
    const removed = targets.filter((name) => this.#state.has(name) && !wanted.has(name));
    await this.#delete(operation, mirrors, removed);
    return steps;
  }

  /** Lets the next run carry out every resource, whether it finds a change or not. */
  force(): void {
    for (const [name, held] of this.#state) this.#state.set(name, { ...held, isPartial: true });
  }

  /**
   * Runs a slow update: the writes read again what the plan has read.
   *
   * @param meanwhile happens between plan and writes
   */
  async upWith(
    wanted: Wanted,
    meanwhile: () => Promise<unknown>,
    process: () => Partial<Process>,
  ): Promise<Step[]> {
    const operation = this.#begin();
    const steps = await this.#check(this.#provider(process()), wanted);
    await meanwhile();
    const writer = this.#provider(process());
    await ended(steps.map((step) => this.#carryOut(operation, writer, step)));
    const removed = [...this.#state.keys()].filter((name) => !wanted.has(name));
    await this.#delete(operation, writer, removed);
    return steps;
  }

  /** The engine forgets that a resource has failed, and keeps the inputs unless the provider returns others. */
  async refresh(process: Partial<Process> = {}): Promise<void> {
    const operation = this.#begin();
    const mirrors = this.#provider(process);
    for (const [name, { id, inputs: stored, outputs }] of this.#state) {
      const { props, inputs = stored } = await mirrors.read(id, outputs);
      if (props === undefined) this.#forget(operation, name);
      else {
        const held = { id, inputs: plain(inputs), outputs: plain(props), isPartial: false };
        this.#keep(operation, name, held);
      }
    }
  }

  async destroy(process: Partial<Process> = {}): Promise<void> {
    await this.#delete(this.#begin(), this.#provider(process), [...this.#state.keys()]);
  }

  restore(state: ReadonlyMap<string, Held>): void {
    this.#begin();
    this.#state = new Map(state);
  }

  #begin(): number {
    this.#operation += 1;
    return this.#operation;
  }

  #keep(operation: number, name: string, held: Held): void {
    if (operation === this.#operation) this.#state.set(name, held);
  }

  #forget(operation: number, name: string): void {
    if (operation === this.#operation) this.#state.delete(name);
  }

  async #check(
    mirrors: Provider,
    wanted: Wanted,
    then: (step: Step) => void = () => undefined,
  ): Promise<Step[]> {
    const steps: Step[] = [];
    for (const [name, args] of wanted) {
      const held = this.#state.get(name);
      const { inputs, failures } = await mirrors.check(held?.inputs ?? {}, args);
      if (failures.length > 0) throw new UserError(failures.map(({ reason }) => reason).join("\n"));
      const step = { name, held, inputs: plain(inputs), changes: true };
      if (held !== undefined) {
        const { changes = !isDeepStrictEqual(held.inputs, step.inputs) } = await mirrors.diff(
          held.id,
          held.outputs,
          step.inputs,
        );
        step.changes = changes || held.isPartial;
      }
      steps.push(step);
      then(step);
    }
    return steps;
  }

  async #carryOut(
    operation: number,
    mirrors: Provider,
    { name, held, inputs, changes }: Step,
  ): Promise<void> {
    if (held !== undefined && !changes) {
      this.#keep(operation, name, { ...held, inputs });
      return;
    }
    try {
      const { id = held?.id ?? "", outs } =
        held === undefined
          ? await mirrors.create(inputs)
          : { id: held.id, ...(await mirrors.update(held.id, held.outputs, inputs)) };
      this.#keep(operation, name, { id, inputs, outputs: plain(outs), isPartial: false });
    } catch (error) {
      if (!isPartialFailure(error)) throw error;
      const { id, properties, reasons } = error;
      const stored = held?.inputs ?? inputs;
      this.#keep(operation, name, {
        id,
        inputs: stored,
        outputs: plain(properties),
        isPartial: true,
      });
      throw new UserError(reasons.join("\n"));
    }
  }

  async #delete(operation: number, mirrors: Provider, names: readonly string[]): Promise<void> {
    const deletions = names.map(async (name) => {
      const held = this.#state.get(name);
      assert.ok(held);
      await mirrors.delete(held.id, held.outputs);
      this.#forget(operation, name);
    });
    await ended(deletions);
  }
}

/** Waits for all, and then throws what has failed. */
async function ended(running: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(running);
  const reasons = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  if (reasons.length > 0) throw new UserError(reasons.map(messageOf).join("\n"));
}
