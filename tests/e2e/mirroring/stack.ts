import assert from "node:assert/strict";
import {
  type Config,
  newStack,
  type PulumiStack,
  type RunOptions,
} from "../../../testbed/stack.ts";
import { type Expectation, Operations, type Run } from "./operations.ts";
import { type Previewed, readPreview } from "../../simulation/preview.ts";
import type { SharedBed } from "./shared-bed.ts";

interface Exported {
  readonly deployment: {
    readonly resources?: readonly { readonly urn: string; readonly type: string }[];
  };
}

const unasked = ["--yes", "--skip-preview", "--diff"];
const flags = { preview: ["--diff"], up: unasked, refresh: unasked, destroy: unasked };

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

  async configure(config: Config): Promise<void> {
    await this.#stack.configure(this.whole(config));
  }

  async previewed(): Promise<Previewed> {
    return readPreview((await this.#pulumi(["preview", "--json"])).stdout);
  }

  up(expectation?: Expectation): Promise<Run> {
    return this.run("up", [], expectation);
  }

  run(
    command: keyof typeof flags,
    more: readonly string[] = [],
    options: Expectation & RunOptions = {},
  ): Promise<Run> {
    return this.#pulumi([command, ...flags[command], ...more], options);
  }

  /** The whole state, decrypted. */
  async export(): Promise<string> {
    return (await this.#pulumi(["stack", "export", "--show-secrets"])).text;
  }

  /** An update that replaces all resources that the dynamic provider serves. */
  async replace(): Promise<void> {
    const { deployment } = JSON.parse(await this.export()) as Exported;
    const dynamic = (deployment.resources ?? []).filter(({ type }) =>
      type.startsWith("pulumi-nodejs:dynamic/"),
    );
    assert.notEqual(dynamic.length, 0);
    await this.run(
      "up",
      dynamic.flatMap(({ urn }) => ["--replace", urn]),
    );
  }

  #pulumi(words: readonly string[], options: Expectation & RunOptions = {}) {
    return this.recorded(words.join(" "), options, () => this.#stack.run(words, options));
  }
}
