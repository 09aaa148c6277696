import { format } from "node:util";

import type { Config } from "../../../testbed/stack.ts";
import { SimulatedEngine, type Step, type Wanted } from "../../simulation/engine.ts";
import { type Previewed, readSteps } from "../../simulation/preview.ts";
import { wantedResources } from "../../simulation/providers.ts";
import { type Expectation, Operations, type Run } from "./operations.ts";
import type { SharedBed } from "./shared-bed.ts";

/**
 * The operations of a stack by the methods of the provider alone: in a hundredth of the engine's time, and against
 * the same clusters.
 */
export class Methods extends Operations {
  readonly #kubeconfig: string;
  readonly #name: string;
  readonly #config: Config;
  readonly #engine = new SimulatedEngine();

  constructor(shared: SharedBed, name: string, config: Config, secrets: readonly string[] = []) {
    super(shared, secrets);
    this.#kubeconfig = shared.bed.kubeconfig;
    this.#name = name;
    this.#config = this.whole(config);
  }

  async previewed(): Promise<Previewed> {
    let steps: Step[] = [];
    await this.#operation("preview", {}, async () => {
      steps = await this.#engine.preview(this.#wanted());
    });
    return readSteps(steps.map(({ held, inputs }) => ({ before: held?.inputs, after: inputs })));
  }

  up(expectation?: Expectation): Promise<Run> {
    return this.#operation("up", expectation, () => this.#engine.up(this.#wanted()));
  }

  /** An update has nothing to do, and nothing is written. */
  async assertSettled(): Promise<void> {
    const { writes } = await this.#operation("up", {}, async () => {
      for (const { name, held, inputs, changes } of await this.#engine.up(this.#wanted())) {
        const difference = JSON.stringify({ before: held?.inputs, after: inputs });
        if (changes) throw new Error(`something is to do for ${name}: ${difference}`);
      }
    });
    if (writes.length > 0) throw new Error(writes.join("; "));
  }

  destroy(): Promise<Run> {
    return this.#operation("destroy", {}, () => this.#engine.destroy());
  }

  #wanted(): Wanted {
    return wantedResources(this.#config, `methods/${this.#name}`, () => this.#kubeconfig);
  }

  #operation(operation: string, expectation: Expectation = {}, work: () => Promise<unknown>) {
    return this.recorded(`${operation} of ${this.#name}`, expectation, async () => {
      const lines: string[] = [];
      // Pulumi shows what the provider prints as messages of the stack.
      const { log } = console;
      console.log = (...texts: unknown[]) => void lines.push(format(...texts));
      try {
        await work();
        return { code: 0, text: lines.join("\n") };
      } catch (error) {
        lines.push(error instanceof Error ? error.message : String(error));
        return { code: 1, text: lines.join("\n") };
      } finally {
        console.log = log;
      }
    });
  }
}
