import assert from "node:assert/strict";
import { format } from "node:util";

import { parseConfig } from "../../../config/parse.ts";
import type { Config } from "../../../testbed/stack.ts";
import { type Expectation, Operations, type Run } from "./operations.ts";
import { type Previewed, readSteps } from "./preview.ts";
import {
  isPartialFailure,
  provider,
  type Provider,
  type Values,
  wantedResources,
} from "./providers.ts";
import type { World } from "./world.ts";

/** What is kept of a resource between two operations, as Pulumi's state does. */
interface Held {
  readonly id: string;
  readonly inputs: Values;
  readonly outputs: Values;
  /** The run before has not done everything. */
  readonly isPartial: boolean;
}

/** What an operation makes of one resource of the config. */
interface Step {
  readonly name: string;
  readonly held: Held | undefined;
  readonly inputs: Values;
  readonly changes: boolean;
}

interface Failing {
  /** What a run that fails says last, without its notes; empty where it ends well. */
  readonly failure: string;
}

/** More than `manage: mirrors` gives to the resources. */
type Extra = Readonly<Record<string, unknown>>;

/**
 * The same operations as those of a stack in the engine, by the methods of the provider alone: in a
 * hundredth of the time, and against the same clusters. Each operation has modules of its own, as
 * the engine starts a process for each. What the engine itself has a part in is not for this:
 * unknowns, secrets, replacement, exit codes, and what is shown.
 */
export class Methods extends Operations {
  readonly #kubeconfig: string;
  readonly #name: string;
  readonly #extra: Extra;
  readonly #state = new Map<string, Held>();
  #config: Config = {};

  private constructor(world: World, name: string, secrets: readonly string[], extra: Extra) {
    super(world, secrets);
    this.#kubeconfig = world.bed.kubeconfig;
    this.#name = name;
    this.#extra = extra;
  }

  static async create(
    world: World,
    name: string,
    config: Config,
    secrets: readonly string[] = [],
    extra: Extra = {},
  ): Promise<Methods> {
    const methods = new Methods(world, name, secrets, extra);
    await methods.configure(config);
    return methods;
  }

  protected write(config: Config): Promise<void> {
    this.#config = config;
    return Promise.resolve();
  }

  async preview(expectation?: Expectation): Promise<Run> {
    return this.#operation("preview", expectation, (mirrors) => this.#check(mirrors));
  }

  async previewNothing(): Promise<Run> {
    return this.#operation("preview", {}, async (mirrors) => {
      assertNothing(await this.#check(mirrors));
    });
  }

  async previewed(): Promise<Previewed> {
    let steps: Step[] = [];
    await this.#operation("preview", {}, async (mirrors) => {
      steps = await this.#check(mirrors);
    });
    const checked = steps.map(({ held, inputs }) => ({ before: held?.inputs, after: inputs }));
    const names = new Set(steps.map(({ name }) => name));
    const deleted = [...this.#state]
      .filter(([name]) => !names.has(name))
      .map(([, { inputs }]) => ({ before: inputs, after: undefined }));
    return readSteps([...checked, ...deleted]);
  }

  async up(expectation?: Expectation): Promise<Run> {
    return this.#operation("up", expectation, (mirrors) => this.#update(mirrors));
  }

  protected async upNothing(): Promise<Run> {
    return this.#operation("up", {}, async (mirrors) => {
      assertNothing(await this.#update(mirrors));
    });
  }

  /**
   * An update that takes its time: what was read for the plan is read anew for the writes, as when
   * it isn't good any more.
   *
   * @param meanwhile what happens in between
   */
  async upWith(
    meanwhile: () => Promise<unknown>,
    expectation?: Expectation,
  ): Promise<Run & Failing> {
    return this.#operation("up", expectation, async (planner) => {
      const steps = await this.#check(planner);
      await meanwhile();
      const writer = provider();
      await ended(steps.map((step) => this.#carryOut(writer, step)));
      await this.#deleteOthers(writer, steps);
    });
  }

  async refresh(expectation?: Expectation): Promise<Run> {
    return this.#operation("refresh", expectation, async (mirrors) => {
      for (const [name, held] of this.#state) {
        const { props, inputs = held.inputs } = await mirrors.read(held.id, held.outputs);
        if (props === undefined) this.#state.delete(name);
        else this.#state.set(name, { ...held, inputs: plain(inputs), outputs: plain(props) });
      }
    });
  }

  async destroy(expectation?: Expectation): Promise<Run> {
    return this.#operation("destroy", expectation, (mirrors) =>
      this.#delete(mirrors, [...this.#state.keys()]),
    );
  }

  /** All that is kept between two operations. */
  get state(): string {
    return JSON.stringify([...this.#state], null, 2);
  }

  async #check(mirrors: Provider, then: (step: Step) => void = () => undefined): Promise<Step[]> {
    const steps: Step[] = [];
    for (const [name, args] of this.#wanted()) {
      const held = this.#state.get(name);
      const { inputs, failures } = await mirrors.check(held?.inputs ?? {}, args);
      if (failures.length > 0) throw new Error(failures.map(({ reason }) => reason).join("\n"));
      const { changes = true } =
        held === undefined ? {} : await mirrors.diff(held.id, held.outputs, inputs);
      const step = { name, held, inputs: plain(inputs), changes };
      steps.push(step);
      then(step);
    }
    return steps;
  }

  /** As the engine: what is checked is carried out at once, beside the checks of the others. */
  async #update(mirrors: Provider): Promise<Step[]> {
    const running: Promise<void>[] = [];
    const steps = await this.#check(mirrors, (step) =>
      running.push(this.#carryOut(mirrors, step)),
    ).finally(() => Promise.allSettled(running));
    await ended(running);
    await this.#deleteOthers(mirrors, steps);
    return steps;
  }

  async #carryOut(mirrors: Provider, { name, held, inputs, changes }: Step): Promise<void> {
    if (held !== undefined && !changes && !held.isPartial) {
      this.#state.set(name, { ...held, inputs });
      return;
    }
    try {
      const { id = held?.id ?? "", outs } =
        held === undefined
          ? await mirrors.create(inputs)
          : { id: held.id, ...(await mirrors.update(held.id, held.outputs, inputs)) };
      this.#state.set(name, { id, inputs, outputs: plain(outs), isPartial: false });
    } catch (error) {
      if (!isPartialFailure(error)) throw error;
      const { id, properties, reasons } = error;
      this.#state.set(name, { id, inputs, outputs: plain(properties), isPartial: true });
      throw new Error(reasons.join("\n"), { cause: error });
    }
  }

  /** What is in the state and no more in the config. */
  async #deleteOthers(mirrors: Provider, steps: readonly Step[]): Promise<void> {
    const names = new Set(steps.map(({ name }) => name));
    await this.#delete(
      mirrors,
      [...this.#state.keys()].filter((name) => !names.has(name)),
    );
  }

  async #delete(mirrors: Provider, names: readonly string[]): Promise<void> {
    const deletions = names.map(async (name) => {
      const held = this.#state.get(name);
      assert.ok(held);
      await mirrors.delete(held.id, held.outputs);
      this.#state.delete(name);
    });
    await ended(deletions);
  }

  #wanted(): ReadonlyMap<string, Values> {
    const { clusters, ...rest } = this.#config;
    const found = Object.entries(clusters ?? {}).map(([name, cluster]) => {
      return [name, { kubeconfig: this.#kubeconfig, ...(cluster as object) }] as const;
    });
    // Pulumi hands maps over sorted.
    const parsed = parseConfig({ ...rest, clusters: Object.fromEntries(found.sort()) });
    if ("mistakes" in parsed) throw new Error(parsed.mistakes.join("\n"));
    const wanted = [...wantedResources(parsed.config, `methods/${this.#name}`)];
    return new Map(wanted.map(([name, args]) => [name, plain({ ...args, ...this.#extra })]));
  }

  async #operation(
    operation: string,
    expectation: Expectation = {},
    work: (mirrors: Provider) => Promise<unknown>,
  ): Promise<Run & Failing> {
    return this.recorded(`${operation} of ${this.#name}`, expectation, async () => {
      const lines: string[] = [];
      const failure = await listening(lines, async () => work(provider())).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      if (failure === undefined) return { code: 0, text: lines.join("\n"), failure: "" };
      return { code: 1, text: [...lines, failure].join("\n"), failure };
    });
  }
}

/** Pulumi shows what the provider prints as messages of the stack. */
async function listening(lines: string[], work: () => Promise<unknown>): Promise<void> {
  const { log } = console;
  console.log = (...texts: unknown[]) => void lines.push(format(...texts));
  try {
    await work();
  } finally {
    console.log = log;
  }
}

function assertNothing(steps: readonly Step[]): void {
  for (const { name, held, inputs, changes } of steps) {
    if (!changes) continue;
    const difference = { before: held?.inputs, after: inputs };
    throw new Error(`something is to do for ${name}: ${JSON.stringify(difference)}`);
  }
}

/** Waits for all, and then throws what has gone wrong. */
async function ended(running: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(running);
  const reasons = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason as unknown] : [],
  );
  const texts = reasons.map((reason) => (reason instanceof Error ? reason.message : reason));
  if (reasons.length > 0) throw new Error(texts.join("\n"));
}

/** As values are that have been in state: without `undefined` and shared with nobody. */
function plain(values: Values): Values {
  return JSON.parse(JSON.stringify(values)) as Values;
}
