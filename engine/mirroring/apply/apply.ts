import { inParallel } from "../../kubernetes/parallel.ts";
import { KubernetesError } from "../../kubernetes/errors.ts";
import { resources } from "../../kubernetes/resources.ts";
import type { MirrorKind } from "../model/mirror.ts";
import type { ObjectKey } from "../../kubernetes/objects.ts";
import type { Change, Plan, Write } from "../plan/change.ts";
import { addressOf, rootOf } from "../plan/ownership.ts";
import { writeEndpoints } from "./endpoints.ts";
import { remove, type Ground } from "./guarded.ts";
import { namespaceManifest } from "./manifest.ts";
import { Progress } from "./progress.ts";
import { writeService } from "./services.ts";

/** What could not be done, and of which mirror; a namespace that failed has no key, but its mirrors. */
export interface Failure {
  readonly key?: ObjectKey;
  readonly sentence: string;
}

/**
 * Carries out a plan, in the order that keeps traffic up: namespaces, Services, Endpoints (of
 * headless mirrors last, as they lead to the others), deletions. What fails does not stop the
 * rest, but a pod's mirror is not deleted while the headless mirror may still lead to it.
 */
export async function apply(
  ground: Ground,
  plan: Pick<Plan, "addresses" | "changes" | "namespaces">,
  say: (line: string) => void,
): Promise<readonly Failure[]> {
  const run = new Run(ground, plan, say);
  await run.createNamespaces(plan.namespaces);
  await run.writeServices();
  await run.writeEndpoints((kind) => kind !== "headless");
  await run.writeEndpoints((kind) => kind === "headless");
  await run.deleteMirrors((kind) => kind === "headless");
  await run.deleteMirrors((kind) => kind !== "headless");
  return run.failures;
}

class Run {
  readonly failures: Failure[] = [];
  readonly #ground: Ground;
  readonly #writes: readonly Write[];
  readonly #deletions: readonly Change[];
  readonly #progress: Progress;
  readonly #failed = new Set<ObjectKey>();
  /** By name: why there is none. */
  readonly #failedNamespaces = new Map<string, string>();
  /** ClusterIPs of mirrors: as observed, and then as written. */
  readonly #addresses: Map<ObjectKey, string>;

  constructor(
    ground: Ground,
    { addresses, changes }: Pick<Plan, "addresses" | "changes">,
    say: (line: string) => void,
  ) {
    this.#ground = ground;
    this.#addresses = new Map(addresses);
    this.#writes = changes.filter((change) => change.action !== "delete");
    this.#deletions = changes.filter((change) => change.action === "delete");
    this.#progress = new Progress(ground.work, changes.length, say);
  }

  async createNamespaces(names: readonly string[]): Promise<void> {
    await this.#each(names, async (name) => {
      try {
        const manifest = namespaceManifest(name, this.#ground.namespaceLabels);
        await this.#ground.kubernetes.create(resources.namespaces, manifest);
      } catch (error) {
        if (error instanceof KubernetesError && error.kind === "alreadyExists") return;
        this.#failedNamespaces.set(name, sentenceOf(error));
        throw error;
      }
    });
  }

  async writeServices(): Promise<void> {
    const possible = this.#writes.filter((write) => {
      const sentence = this.#failedNamespaces.get(write.wanted.namespace);
      if (sentence === undefined) return true;
      this.#failed.add(write.key);
      this.failures.push({ key: write.key, sentence });
      return false;
    });
    await this.#each(
      possible,
      async (change) => {
        const address = addressOf(await writeService(this.#ground, change));
        if (address === undefined) this.#addresses.delete(change.key);
        else this.#addresses.set(change.key, address);
      },
      (change) => change.key,
    );
  }

  async writeEndpoints(which: (kind: MirrorKind) => boolean): Promise<void> {
    const writes = this.#writes.filter(
      (write) => which(write.kind) && !this.#failed.has(write.key),
    );
    await this.#each(
      writes,
      async (change) => {
        await writeEndpoints(this.#ground, change, (key) => this.#addresses.get(key));
        this.#progress.step();
      },
      (change) => change.key,
    );
  }

  async deleteMirrors(which: (kind: MirrorKind) => boolean): Promise<void> {
    const deletions = this.#deletions.filter(
      ({ key, live, kind }) => which(kind) && !this.#failed.has(rootOf(key, live)),
    );
    await this.#each(
      deletions,
      async ({ live }) => {
        if (live.service !== undefined)
          await remove(this.#ground, resources.services, live.service);
        if (live.endpoints !== undefined)
          await remove(this.#ground, resources.endpoints, live.endpoints);
        this.#progress.step();
      },
      (change) => change.key,
    );
  }

  async #each<T>(
    items: readonly T[],
    work: (item: T) => Promise<void>,
    keyOf?: (item: T) => ObjectKey,
  ): Promise<void> {
    const results = await inParallel(items, work);
    results.forEach((result, index) => {
      const item = items[index];
      if (result.status === "fulfilled" || item === undefined) return;
      const key = keyOf?.(item);
      if (key !== undefined) this.#failed.add(key);
      const sentence = sentenceOf(result.reason);
      this.failures.push({ ...(key !== undefined && { key }), sentence });
    });
  }
}

function sentenceOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}
