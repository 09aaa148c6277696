import assert from "node:assert/strict";

import type { StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import { type Config, newStack, type PulumiStack } from "../../../testbed/stack.ts";
import { type Expectation, Operations, type Run, written } from "./operations.ts";
import { type Previewed, readPreview } from "../../simulation/preview.ts";
import type { SharedBed } from "./shared-bed.ts";

interface Exported {
  readonly deployment: {
    readonly resources?: readonly { readonly urn: string; readonly type: string }[];
  };
}

const nothing = "--expect-no-changes";
const experimental = { PULUMI_EXPERIMENTAL: "1" };

/** A stack of the real program in the real engine, run as a user runs it: by the CLI. */
export class Stack extends Operations {
  readonly #stack: PulumiStack;

  private constructor(shared: SharedBed, stack: PulumiStack, secrets: readonly string[]) {
    super(shared, secrets);
    this.#stack = stack;
  }

  static async create(
    shared: SharedBed,
    name: string,
    config: Config,
    secrets: readonly string[] = [],
  ): Promise<Stack> {
    const stack = new Stack(shared, await newStack(shared.bed, name, {}), secrets);
    await stack.configure(config);
    return stack;
  }

  protected async write(config: Config): Promise<void> {
    await this.#stack.configure(config);
  }

  async preview(expectation?: Expectation): Promise<Run> {
    return this.#pulumi(["preview", "--diff"], expectation);
  }

  async previewed(): Promise<Previewed> {
    return readPreview((await this.#pulumi(["preview", "--json"])).stdout);
  }

  /** Previews, updates, and compares the two: what was announced is written, and nothing else. */
  async upAsPreviewed(): Promise<{ readonly previewed: Previewed; readonly run: Run }> {
    const previewed = await this.previewed();
    const run = await this.up();
    assert.deepEqual(written(run), previewed.keys);
    return { previewed, run };
  }

  async up(expectation?: Expectation): Promise<Run> {
    return this.#update([], expectation);
  }

  /** An update that somebody ends with Ctrl-C, once, and which fails for that. */
  async interruptedUp(signal: AbortSignal): Promise<Run> {
    const words = ["up", "--yes", "--skip-preview"];
    const options = { signal, patience: 120_000 };
    return this.recorded(words.join(" "), { fails: true }, () => this.#stack.run(words, options));
  }

  protected async upNothing(): Promise<Run> {
    return this.#update([nothing]);
  }

  /** An update that replaces resources although nothing about them has changed. */
  async replace(urns: readonly string[]): Promise<Run> {
    return this.#update(urns.flatMap((urn) => ["--replace", urn]));
  }

  async refresh(expectation?: Expectation): Promise<Run> {
    return this.#pulumi(["refresh", "--yes", "--skip-preview", "--diff"], expectation);
  }

  /** An update that begins with a refresh. */
  async upRefreshed(flags: readonly string[], expectation?: Expectation): Promise<Run> {
    return this.#update(["--refresh", ...flags], expectation);
  }

  /** @param file where the plan is kept, which is experimental in Pulumi */
  async savePlan(file: string): Promise<Run> {
    return this.#pulumi(["preview", "--save-plan", file], {}, experimental);
  }

  async upByPlan(file: string): Promise<Run> {
    return this.#pulumi(["up", "--yes", "--skip-preview", "--plan", file], {}, experimental);
  }

  async destroy(expectation?: Expectation): Promise<Run> {
    return this.#pulumi(["destroy", "--yes", "--skip-preview"], expectation);
  }

  /** The whole state, decrypted. */
  async export(): Promise<string> {
    return (await this.#pulumi(["stack", "export", "--show-secrets"])).text;
  }

  /** The URNs of all resources that the dynamic provider serves. */
  async dynamicResources(): Promise<string[]> {
    const { deployment } = JSON.parse(await this.export()) as Exported;
    return (deployment.resources ?? [])
      .filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/"))
      .map(({ urn }) => urn);
  }

  /** Marks resources in the state, so that the next update replaces them. */
  async taint(urns: readonly string[]): Promise<void> {
    for (const urn of urns) await this.#pulumi(["state", "taint", urn, "--yes"]);
  }

  #update(flags: readonly string[], expectation?: Expectation) {
    return this.#pulumi(["up", "--yes", "--skip-preview", "--diff", ...flags], expectation);
  }

  #pulumi(words: readonly string[], expectation: Expectation = {}, variables: StringMap = {}) {
    const work = () => this.#stack.run(words, { variables });
    return this.recorded(words.join(" "), expectation, work);
  }
}
