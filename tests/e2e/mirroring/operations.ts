import assert from "node:assert/strict";

import { parseConfig } from "../../../config/parse.ts";
import { isWriteRequest } from "../../../testbed/audit.ts";
import { type AuditedRequest, mark, requestsOf } from "../../../testbed/bed.ts";
import type { Config, RunOutcome } from "../../../testbed/stack.ts";
import type { Previewed } from "../../simulation/preview.ts";
import { type ClusterName, clusterNames, type SharedBed } from "./shared-bed.ts";

/** One operation on a stack. */
export interface Run {
  /** All that it said. */
  readonly text: string;
  /** What it wrote to the sources of links, as `create services shop/web-west`, in order. */
  readonly writes: readonly string[];
  readonly requests: Readonly<Record<ClusterName, readonly AuditedRequest[]>>;
}

export interface Expectation {
  /** The operation is meant to fail. */
  readonly fails?: boolean;
}

/**
 * What can be done with a stack, whoever does it. Every operation is held to what holds for all:
 * nothing but the sources of links is ever written to, a preview writes nothing, and neither a
 * credential nor a stack trace is ever shown.
 */
export abstract class Operations {
  readonly #shared: SharedBed;
  /** Texts that nothing may ever show. */
  readonly #secrets: readonly string[];
  /** Contexts of the present config's sources, and of those before it, whose mirrors may have to go. */
  readonly #sources = new Set<string>();

  /** @param secrets besides the tokens of the bed */
  protected constructor(shared: SharedBed, secrets: readonly string[]) {
    this.#shared = shared;
    const tokens = clusterNames.map((cluster) => shared.bed.clusters[cluster].access.token);
    this.#secrets = [...secrets, ...tokens].flatMap((secret) => [secret, btoa(secret)]);
  }

  /** What a preview announces, mirror by mirror. */
  abstract previewed(): Promise<Previewed>;

  abstract up(expectation?: Expectation): Promise<Run>;

  /** Previews, updates, and compares the two: what was announced is written, and nothing else. */
  async upAsPreviewed(): Promise<{ readonly previewed: Previewed; readonly run: Run }> {
    const previewed = await this.previewed();
    const run = await this.up();
    assert.deepEqual(written(run), previewed.keys);
    return { previewed, run };
  }

  /** The config of the next operation, which mirrors unless it says otherwise. */
  protected whole(config: Config): Config {
    const whole = { manage: "mirrors", ...config };
    const parsed = parseConfig(whole);
    if ("config" in parsed)
      for (const { spec } of parsed.config.links)
        this.#sources.add(parsed.config.clusters.get(spec.source)?.access.context ?? "");
    return whole;
  }

  /** Does the work of one operation and sees what it asks of the clusters. */
  protected async recorded<T extends Pick<RunOutcome, "code" | "text">>(
    operation: string,
    { fails = false }: Expectation,
    work: () => Promise<T>,
  ): Promise<T & Run> {
    const { clusters } = this.#shared.bed;
    const marks = await Promise.all(clusterNames.map((name) => mark(clusters[name])));
    const outcome = await work();
    const { code, text } = outcome;
    assert.equal(code !== 0, fails, `${operation} ended with ${code}:\n${text}`);
    // Pulumi prints the stack of what the program or a provider throws.
    assert.doesNotMatch(text, /^\s+at \S+ \(/m);
    for (const secret of this.#secrets)
      assert.ok(!text.includes(secret), "a credential was printed");
    const [west = [], east = [], north = []] = await Promise.all(
      marks.map((since) => requestsOf(since, "linkerd-multicluster/")),
    );
    const requests = { west, east, north };
    const changed = clusterNames.filter((name) => requests[name].some(isWriteRequest));
    const allowed = operation.startsWith("preview") ? new Set() : this.#sources;
    assert.deepEqual(
      changed.filter((name) => !allowed.has(name)),
      [],
      `${operation} wrote to a cluster that it may only read`,
    );
    const writes = Object.values(requests).flatMap((all) => all.filter(isWriteRequest).map(said));
    return { ...outcome, writes, requests };
  }
}

/** The objects that were written, each once: `shop/web-west`, or `namespace shop`. */
export function written({ writes }: Run): string[] {
  return [...new Set(writes.map((write) => write.replace(/^\w+ (services|endpoints) /, "")))]
    .map((write) => write.replace(/^create namespaces \//, "namespace "))
    .sort();
}

function said({ verb, resource, namespace, name }: AuditedRequest): string {
  return `${verb} ${resource} ${namespace}/${name}`;
}
