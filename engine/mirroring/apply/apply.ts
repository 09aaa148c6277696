import { inParallel } from "../../kubernetes/client/parallel.ts";
import { KubernetesError } from "../../kubernetes/client/errors.ts";
import type { Kubernetes } from "../../kubernetes/client/interface.ts";
import type { ObjectKey, StringMap } from "../../kubernetes/objects/objects.ts";
import { resources } from "../../kubernetes/objects/resources.ts";
import { ownerLabels } from "../model/metadata.ts";
import type { MirrorKind } from "../model/mirror.ts";
import { federatedPart, ownerOf } from "../model/owner.ts";
import { label } from "../model/vocabulary.ts";
import {
  type Change,
  type Decision,
  type Deletion,
  isDeletion,
  isSkip,
  isWrite,
  type Write,
} from "../decide/decision.ts";
import { addressOf, rootOf } from "../decide/policies/ownership.ts";
import { type WriteFailure, failureOf } from "./failures.ts";
import { namespaceManifest, writeEndpoints, writeService } from "./objects.ts";
import { remove, type WriteScope } from "./write-scope.ts";
import type { Time } from "../../kubernetes/client/retry.ts";

/** Where the mirrors of a source are written, and by whom. */
export type Destination = Omit<WriteScope, "owner">;

/**
 * Carries out the decisions of all parts together, in the order that keeps traffic up: namespaces,
 * Services, Endpoints, deletions. The Endpoints of a headless mirror lead to others: where clients
 * use it already they come after all the rest, while nobody has yet been led anywhere by a new one.
 * What fails does not stop the rest, but a pod's mirror is not deleted while the headless mirror may
 * still lead to it.
 *
 * @param namespaces to create, each with the part that needs it
 */
export async function apply(
  destination: Destination,
  decisions: readonly Decision[],
  namespaces: ReadonlyMap<string, string>,
  say: (line: string) => void,
): Promise<readonly WriteFailure[]> {
  const run = new Run(destination, decisions, namespaces, say);
  await run.createNamespaces();
  await run.writeServices();
  await run.writeEndpoints((change) => !leadsClients(change));
  await run.writeEndpoints(leadsClients);
  await run.deleteMirrors((kind) => kind === "headless");
  await run.deleteMirrors((kind) => kind !== "headless");
  return run.failures;
}

function leadsClients({ kind, verdict }: Write): boolean {
  return kind === "headless" && verdict !== "create";
}

interface Scoped<T extends Decision> {
  readonly scope: WriteScope;
  readonly change: T;
}

class Run {
  readonly failures: WriteFailure[] = [];
  readonly #kubernetes: Kubernetes;
  readonly #writes: readonly Scoped<Write>[];
  readonly #deletions: readonly Scoped<Deletion>[];
  /** By name: the labels that it gets. */
  readonly #namespaces: ReadonlyMap<string, StringMap>;
  readonly #progress: WriteProgress;
  readonly #failed = new Set<ObjectKey>();
  /** By name: why there is none. */
  readonly #failedNamespaces = new Map<string, WriteFailure>();
  /** ClusterIPs of mirrors: as observed, and then as written. */
  readonly #addresses: Map<ObjectKey, string>;

  constructor(
    destination: Destination,
    decisions: readonly Decision[],
    namespaces: ReadonlyMap<string, string>,
    say: (line: string) => void,
  ) {
    this.#kubernetes = destination.kubernetes;
    const scoped = <T extends Decision>(change: T): Scoped<T> => ({
      scope: { ...destination, owner: ownerOf(change.part) },
      change,
    });
    this.#writes = decisions.filter(isWrite).map(scoped);
    this.#deletions = decisions.filter(isDeletion).map(scoped);
    this.#namespaces = new Map(
      [...namespaces].map(([name, part]) => [name, namespaceLabels(part)] as const),
    );
    this.#addresses = new Map(
      decisions.flatMap((decision) => {
        const address = isSkip(decision) ? undefined : addressOf(decision.live.service);
        return address === undefined ? [] : [[decision.key, address] as const];
      }),
    );
    const all = this.#writes.length + this.#deletions.length;
    this.#progress = new WriteProgress("mirroring", all, say, destination.time);
  }

  async createNamespaces(): Promise<void> {
    await this.#each([...this.#namespaces], async ([name, labels]) => {
      try {
        await this.#kubernetes.create(resources.namespaces, namespaceManifest(name, labels));
      } catch (error) {
        if (error instanceof KubernetesError && error.kind === "alreadyExists") return;
        this.#failedNamespaces.set(name, failureOf(error));
        throw error;
      }
    });
  }

  async writeServices(): Promise<void> {
    const possible = this.#writes.filter(({ change }) => {
      const failure = this.#failedNamespaces.get(change.wanted.namespace);
      if (failure === undefined) return true;
      this.#failed.add(change.key);
      this.failures.push({ key: change.key, ...failure });
      return false;
    });
    await this.#each(
      possible,
      async ({ scope, change }) => {
        const address = addressOf(await writeService(scope, change));
        if (address === undefined) this.#addresses.delete(change.key);
        else this.#addresses.set(change.key, address);
      },
      keyOfChange,
    );
  }

  async writeEndpoints(which: (change: Write) => boolean): Promise<void> {
    const writes = this.#writes.filter(
      ({ change }) => which(change) && !this.#failed.has(change.key),
    );
    await this.#each(
      writes,
      async ({ scope, change }) => {
        await writeEndpoints(scope, change, (key) => this.#addresses.get(key));
        this.#progress.step();
      },
      keyOfChange,
    );
  }

  async deleteMirrors(which: (kind: MirrorKind) => boolean): Promise<void> {
    const deletions = this.#deletions.filter(
      ({ change: { key, live, kind } }) => which(kind) && !this.#failed.has(rootOf(key, live)),
    );
    await this.#each(
      deletions,
      async ({ scope, change: { live } }) => {
        if (live.service !== undefined) await remove(scope, resources.services, live.service);
        if (live.endpoints !== undefined) await remove(scope, resources.endpoints, live.endpoints);
        this.#progress.step();
      },
      keyOfChange,
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
      this.failures.push(failureOf(result.reason, key));
    });
  }
}

function keyOfChange({ change }: Scoped<Change>): ObjectKey {
  return change.key;
}

/** A namespace made for mirrors says for which: those of one link, or federated Services. */
function namespaceLabels(part: string): StringMap {
  return part === federatedPart ? { [label.mirrored]: "true" } : ownerLabels(part);
}

/** Milliseconds between two lines. */
const interval = 1_000;

/** Says now and then how far a long piece of work has come; short work stays silent. */
export class WriteProgress {
  readonly #label: string;
  readonly #total: number;
  readonly #say: (line: string) => void;
  readonly #time: Pick<Time, "now">;
  #done = 0;
  #said: number;

  constructor(label: string, total: number, say: (line: string) => void, time: Pick<Time, "now">) {
    this.#label = label;
    this.#total = total;
    this.#say = say;
    this.#time = time;
    this.#said = time.now();
  }

  step(): void {
    this.#done += 1;
    const now = this.#time.now();
    if (now - this.#said < interval) return;
    this.#said = now;
    this.#say(`${this.#label}: ${String(this.#done)}/${String(this.#total)}`);
  }
}
