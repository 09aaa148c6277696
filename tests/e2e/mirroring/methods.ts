import { format } from "node:util";

import { parseConfig } from "../../../config/parse.ts";
import type { Config } from "../../../testbed/stack.ts";
import { plain, SimulatedEngine, type Step, type Wanted } from "../../simulation/engine.ts";
import { wantedResources } from "../../simulation/providers.ts";
import { type Expectation, Operations, type Run } from "./operations.ts";
import { type Previewed, readSteps } from "../../simulation/preview.ts";
import type { SharedBed } from "./shared-bed.ts";

/** More than `manage: mirrors` gives to the resources. */
type Extra = Readonly<Record<string, unknown>>;

/**
 * The same operations as those of a stack in the engine, by the methods of the provider alone: in a
 * hundredth of the time, and against the same clusters.
 */
export class Methods extends Operations {
  readonly #kubeconfig: string;
  readonly #name: string;
  readonly #extra: Extra;
  readonly #engine = new SimulatedEngine();
  #config: Config = {};

  private constructor(shared: SharedBed, name: string, secrets: readonly string[], extra: Extra) {
    super(shared, secrets);
    this.#kubeconfig = shared.bed.kubeconfig;
    this.#name = name;
    this.#extra = extra;
  }

  static async create(
    shared: SharedBed,
    name: string,
    config: Config,
    secrets: readonly string[] = [],
    extra: Extra = {},
  ): Promise<Methods> {
    const methods = new Methods(shared, name, secrets, extra);
    await methods.configure(config);
    return methods;
  }

  protected write(config: Config): Promise<void> {
    this.#config = config;
    return Promise.resolve();
  }

  async previewed(): Promise<Previewed> {
    let steps: Step[] = [];
    await this.#operation("preview", {}, async () => {
      steps = await this.#engine.preview(this.#wanted());
    });
    const checked = steps.map(({ held, inputs }) => ({ before: held?.inputs, after: inputs }));
    const names = new Set(steps.map(({ name }) => name));
    const deleted = [...this.#engine.state]
      .filter(([name]) => !names.has(name))
      .map(([, { inputs }]) => ({ before: inputs, after: undefined }));
    return readSteps([...checked, ...deleted]);
  }

  async up(expectation?: Expectation): Promise<Run> {
    return this.#operation("up", expectation, () => this.#engine.up(this.#wanted()));
  }

  protected async upNothing(): Promise<Run> {
    return this.#operation("up", {}, async () => {
      assertNothing(await this.#engine.up(this.#wanted()));
    });
  }

  async destroy(expectation?: Expectation): Promise<Run> {
    return this.#operation("destroy", expectation, () => this.#engine.destroy());
  }

  #wanted(): Wanted {
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
    work: () => Promise<unknown>,
  ): Promise<Run> {
    return this.recorded(`${operation} of ${this.#name}`, expectation, async () => {
      const lines: string[] = [];
      const failure = await listening(lines, work).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      if (failure === undefined) return { code: 0, text: lines.join("\n") };
      return { code: 1, text: [...lines, failure].join("\n") };
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
