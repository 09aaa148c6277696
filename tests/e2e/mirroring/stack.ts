import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { stringify } from "yaml";

import { type AuditedRequest, type Mark, mark, requestsOf } from "../../../testbed/bed.ts";
import { type Previewed, readPreview } from "./preview.ts";
import { type ClusterName, clusterNames, type World } from "./world.ts";

const repository = join(import.meta.dirname, "..", "..", "..");
const project = "linkerd-multicluster";

/** Values of the project's config keys, without the project's name. */
export type Config = Readonly<Record<string, unknown>>;

/** One run of the engine. */
export interface Run {
  /** All that it printed. */
  readonly text: string;
  /** What it wrote to east, as `create services shop/web-west`, in order. */
  readonly writes: readonly string[];
  readonly requests: Readonly<Record<ClusterName, readonly AuditedRequest[]>>;
}

interface Exported {
  readonly deployment: {
    readonly resources?: readonly { readonly urn: string; readonly type: string }[];
  };
}

interface Expectation {
  /** The run is meant to fail. */
  readonly fails?: boolean;
}

/** A stack of the real program, run as a user runs it, by the CLI and in the repository's folder. */
export class Stack {
  readonly #world: World;
  readonly #name: string;
  /** Keeps the stack's config, so that nothing is written into the repository. */
  readonly #folder: string;
  /** Texts that nothing may ever show. */
  readonly #secrets: readonly string[];

  private constructor(world: World, name: string, folder: string, secrets: readonly string[]) {
    this.#world = world;
    this.#name = name;
    this.#folder = folder;
    this.#secrets = secrets;
  }

  static async create(
    world: World,
    name: string,
    config: Config,
    secrets: readonly string[] = [],
  ): Promise<Stack> {
    const folder = join(world.bed.folder, "stacks", name);
    await mkdir(folder, { recursive: true });
    await copyFile(join(repository, "Pulumi.yaml"), join(folder, "Pulumi.yaml"));
    const tokens = clusterNames.map((cluster) => world.bed.clusters[cluster].access.token);
    const stack = new Stack(world, name, folder, [...secrets, ...tokens].flatMap(spellings));
    // Of all commands this one alone takes no --config-file.
    await stack.#pulumi(["stack", "init", name, "--no-select", "--cwd", folder], {});
    await copyFile(stack.#config, `${stack.#config}.initial`);
    await stack.configure(config);
    return stack;
  }

  async configure(config: Config): Promise<void> {
    const entries = Object.entries({ manage: "mirrors", ...config });
    const values = Object.fromEntries(entries.map(([key, value]) => [`${project}:${key}`, value]));
    const initial = await readFile(`${this.#config}.initial`, "utf8");
    await writeFile(this.#config, initial + stringify({ config: values }));
  }

  /** What a user sees, every line of it. */
  preview(expectation: Expectation = {}): Promise<Run> {
    return this.#operation(["preview", "--diff"], expectation);
  }

  /** A preview that fails if there is anything to do. */
  previewNothing(): Promise<Run> {
    return this.#operation(["preview", "--diff", "--expect-no-changes"], {});
  }

  /** The same for machines. */
  async previewed(): Promise<Previewed> {
    const { text } = await this.#operation(["preview", "--json"], {});
    return readPreview(text);
  }

  up(expectation: Expectation = {}): Promise<Run> {
    return this.#operation(["up", "--yes", "--skip-preview", "--diff"], expectation);
  }

  /** An update that replaces resources although nothing about them has changed. */
  replace(urns: readonly string[]): Promise<Run> {
    const flags = urns.flatMap((urn) => ["--replace", urn]);
    return this.#operation(["up", "--yes", "--skip-preview", "--diff", ...flags], {});
  }

  /** Previews, updates, and holds the one against the other: what was announced is written. */
  async upAsPreviewed(): Promise<{ readonly previewed: Previewed; readonly run: Run }> {
    const previewed = await this.previewed();
    const run = await this.up();
    assert.deepEqual(written(run), previewed.keys);
    return { previewed, run };
  }

  /** An update has nothing to do, and nothing is written. */
  async assertSettled(): Promise<void> {
    const args = ["up", "--yes", "--skip-preview", "--expect-no-changes"];
    const { writes } = await this.#operation(args, {});
    assert.deepEqual(writes, []);
  }

  refresh(expectation: Expectation = {}): Promise<Run> {
    return this.#operation(["refresh", "--yes", "--skip-preview", "--diff"], expectation);
  }

  destroy(expectation: Expectation = {}): Promise<Run> {
    return this.#operation(["destroy", "--yes", "--skip-preview"], expectation);
  }

  /** The whole state, decrypted. */
  async export(): Promise<string> {
    const args = ["stack", "export", "--show-secrets", "--stack", this.#name];
    return (await this.#pulumi(args, {})).text;
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
    for (const urn of urns)
      await this.#pulumi(["state", "taint", urn, "--yes", "--stack", this.#name], {});
  }

  /** Makes the state forget a link, as a user does whose cluster was made anew. */
  async forget(urn: string): Promise<void> {
    await this.#pulumi(["state", "delete", urn, "--yes", "--stack", this.#name], {});
  }

  get #config(): string {
    return join(this.#folder, `Pulumi.${this.#name}.yaml`);
  }

  #operation(args: readonly string[], expectation: Expectation): Promise<Run> {
    const stack = ["--stack", this.#name, "--config-file", this.#config];
    return this.#pulumi([...args, ...stack], expectation);
  }

  async #pulumi(args: readonly string[], { fails = false }: Expectation): Promise<Run> {
    const { clusters, env } = this.#world.bed;
    const before = await Promise.all(clusterNames.map((name) => mark(clusters[name])));
    const all = [...args, "--color=never", "--non-interactive"];
    const { code, text } = await execute(all, env);
    assert.equal(
      code !== 0,
      fails,
      `pulumi ${args.join(" ")} ended with ${String(code)}:\n${text}`,
    );
    for (const secret of this.#secrets)
      assert.ok(!text.includes(secret), "a credential was printed");
    const requests = await this.#requests(before);
    const { east, west, north } = requests;
    const writes = east.filter(isWrite).map(said);
    assert.deepEqual([...west, ...north].filter(isWrite), [], "a target was written to");
    if (args[0] === "preview" || args[0] === "refresh") assert.deepEqual(writes, []);
    return { text, writes, requests };
  }

  async #requests(since: readonly Mark[]): Promise<Run["requests"]> {
    const { clusters } = this.#world.bed;
    const [west = [], east = [], north = []] = await Promise.all(
      clusterNames.map((name, index) => {
        const mark = since[index];
        const options = { userAgent: `${project}/`, ...(mark !== undefined && { since: mark }) };
        return requestsOf(clusters[name], options);
      }),
    );
    return { west, east, north };
  }
}

/** The objects that were written, each once: `shop/web-west`, or `namespace shop`. */
export function written({ writes }: Run): string[] {
  return [...new Set(writes.map((write) => write.replace(/^\w+ (services|endpoints) /, "")))]
    .map((write) => write.replace(/^create namespaces \//, "namespace "))
    .sort();
}

function isWrite({ verb }: AuditedRequest): boolean {
  return !["get", "list", "watch"].includes(verb);
}

function said({ verb, resource, namespace, name }: AuditedRequest): string {
  return `${verb} ${resource} ${namespace}/${name}`;
}

function spellings(secret: string): string[] {
  return [secret, Buffer.from(secret).toString("base64")];
}

function execute(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | string; readonly text: string }> {
  return new Promise((resolve) => {
    const options = { cwd: repository, env, maxBuffer: 64 * 1024 ** 2 };
    execFile("pulumi", args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? "a signal"), text: stdout + stderr });
    });
  });
}
