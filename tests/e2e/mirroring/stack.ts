import type { StringMap } from "../../../engine/kubernetes/objects/objects.ts";
import { type Config, newStack, type PulumiStack } from "../../../testbed/stack.ts";
import { type Expectation, Operations, type Run } from "./operations.ts";
import { type Previewed, readPreview } from "../../simulation/preview.ts";
import type { World } from "./world.ts";

export { written } from "./operations.ts";

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

  private constructor(world: World, stack: PulumiStack, secrets: readonly string[]) {
    super(world, secrets);
    this.#stack = stack;
  }

  static async create(
    world: World,
    name: string,
    config: Config,
    secrets: readonly string[] = [],
  ): Promise<Stack> {
    const stack = new Stack(world, await newStack(world.bed, name, {}), secrets);
    await stack.configure(config);
    return stack;
  }

  protected async write(config: Config): Promise<void> {
    await this.#stack.configure(config);
  }

  async preview(expectation?: Expectation): Promise<Run> {
    return this.#pulumi(["preview", "--diff"], expectation);
  }

  async previewNothing(): Promise<Run> {
    return this.#pulumi(["preview", "--diff", nothing]);
  }

  async previewed(): Promise<Previewed> {
    return readPreview((await this.#pulumi(["preview", "--json"])).stdout);
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

  /** Makes the state forget a link, as a user does whose cluster was made anew. */
  async forget(urn: string): Promise<void> {
    await this.#pulumi(["state", "delete", urn, "--yes"]);
  }

  #update(flags: readonly string[], expectation?: Expectation) {
    return this.#pulumi(["up", "--yes", "--skip-preview", "--diff", ...flags], expectation);
  }

  #pulumi(words: readonly string[], expectation: Expectation = {}, variables: StringMap = {}) {
    const work = () => this.#stack.run(words, { variables });
    return this.recorded(words.join(" "), expectation, work);
  }
}
