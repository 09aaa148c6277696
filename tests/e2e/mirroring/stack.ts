import assert from "node:assert/strict";

import { parseConfig } from "../../../config/parse.ts";
import { isWriteRequest } from "../../bed/audit.ts";
import { type AuditedRequest, mark, requestsOf } from "../../bed/bed.ts";
import { type Config, newStack, type PulumiStack, type RunOptions } from "../../bed/stack.ts";
import { type Previewed, readPreview } from "../../simulation/preview.ts";
import { type ClusterName, clusterNames, type SharedBed } from "./shared-bed.ts";

export interface Run {
  readonly text: string;
  /** Its writes to the sources of links in order, as `create services shop/web-west`. */
  readonly writes: readonly string[];
  readonly requests: Readonly<Record<ClusterName, readonly AuditedRequest[]>>;
}

interface Options extends RunOptions {
  /** The operation must fail. */
  readonly fails?: boolean;
}

interface Exported {
  readonly deployment: {
    readonly resources?: readonly { readonly urn: string; readonly type: string }[];
  };
}

const unasked = ["--yes", "--skip-preview", "--diff"];
const flags = {
  preview: ["--diff"],
  up: unasked,
  refresh: unasked,
  destroy: unasked,
  cancel: ["--yes"],
};

/**
 * Runs a stack of the real program with Pulumi's CLI. Each operation may write only to sources of links, a preview
 * writes nothing, and none prints a credential or a stack trace.
 */
export class Stack {
  readonly #shared: SharedBed;
  readonly #stack: PulumiStack;
  /** Texts that must never be printed. */
  readonly #secrets: readonly string[];
  /** Contexts of the sources of this config and earlier ones. A run may delete mirrors in them. */
  readonly #sources = new Set<string>();

  private constructor(shared: SharedBed, stack: PulumiStack, secrets: readonly string[]) {
    this.#shared = shared;
    this.#stack = stack;
    const tokens = clusterNames.map((cluster) => shared.bed.clusters[cluster].access.token);
    this.#secrets = [...secrets, ...tokens].flatMap((secret) => [secret, btoa(secret)]);
  }

  /** @param secrets must not be printed, like the tokens of the bed */
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

  /** Sets the config, with `manage: mirrors` by default. */
  async configure(config: Config): Promise<void> {
    const whole = { manage: "mirrors", ...config };
    const parsed = parseConfig(whole);
    if ("config" in parsed)
      for (const { spec } of parsed.config.links)
        this.#sources.add(parsed.config.clusters.get(spec.source)?.access.context ?? "");
    await this.#stack.configure(whole);
  }

  /** Returns what a preview announces for each mirror. */
  async previewed(): Promise<Previewed> {
    return readPreview((await this.#pulumi(["preview", "--json"])).stdout);
  }

  up(options?: Options): Promise<Run> {
    return this.run("up", [], options);
  }

  /** Runs an update that must write exactly what the preview before it announced. */
  async upAsPreviewed(): Promise<Run> {
    const { keys } = await this.previewed();
    const run = await this.up();
    const written = run.writes.map((write) =>
      write
        .replace(/^\w+ (services|endpoints|httproutes) /, "")
        .replace("create namespaces /", "namespace "),
    );
    assert.deepEqual([...new Set(written)].sort(), keys);
    return run;
  }

  run(
    command: keyof typeof flags,
    more: readonly string[] = [],
    options: Options = {},
  ): Promise<Run> {
    return this.#pulumi([command, ...flags[command], ...more], options);
  }

  async export(): Promise<string> {
    return (await this.#pulumi(["stack", "export", "--show-secrets"])).text;
  }

  /** Runs an update that replaces all dynamic resources. */
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

  async #pulumi(words: readonly string[], { fails = false, ...options }: Options = {}) {
    const { clusters } = this.#shared.bed;
    const marks = await Promise.all(clusterNames.map((name) => mark(clusters[name])));
    const { code, text, stdout } = await this.#stack.run(words, options);
    const operation = words.join(" ");
    assert.equal(code !== 0, fails, `${operation} ended with ${code}:\n${text}`);
    // Pulumi prints the stack trace of errors that the program or a provider throws.
    assert.doesNotMatch(text, /^\s+at \S+ \(/m);
    const printed = this.#secrets.filter((secret) => text.includes(secret));
    assert.equal(printed.length, 0, `${operation} printed a credential`);
    const [west = [], east = [], north = []] = await Promise.all(
      marks.map((since) => requestsOf(since, "linkerd-multicluster/")),
    );
    const requests = { west, east, north };
    const isAllowed = (name: string) => words[0] !== "preview" && this.#sources.has(name);
    const changed = clusterNames.filter((name) => requests[name].some(isWriteRequest));
    assert.ok(changed.every(isAllowed), `${operation} wrote to a cluster that it may only read`);
    const writes = Object.values(requests)
      .flatMap((all) => all.filter(isWriteRequest))
      .map(({ verb, resource, namespace, name }) => `${verb} ${resource} ${namespace}/${name}`);
    return { text, stdout, writes, requests };
  }
}
