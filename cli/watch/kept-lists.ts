import {
  type Kubernetes,
  type ListOptions,
  type Resource,
  resources,
} from "@linkerd-multicluster/engine/kubernetes";
import { type WatchedKind, watchedKinds, type WatchEvent } from "./events.ts";

interface Kept {
  list?: Promise<unknown[]>;
}

/** Keeps the lists of a dry run for the next one. A list is used as long as a watch of its kind is open and reports no change. */
export class KeptLists {
  /** Each kind whose watch is open, by its cluster, has a new entry since its last change. */
  readonly #since = new Map<string, Kept>();

  observe(event: WatchEvent): void {
    if (event.event === "clusters") this.#since.clear();
    if (event.event === "watching") this.#since.set(keyOf(event.cluster, event.kind), {});
    if (event.event === "watchLost") this.#since.delete(keyOf(event.cluster, event.kind));
  }

  changed(cluster: string, kind: WatchedKind): void {
    const key = keyOf(cluster, kind);
    if (this.#since.has(key)) this.#since.set(key, {});
  }

  /** Whether a cluster is watched, so that a change there would be seen, but not that it answers again. */
  watches(cluster: string): boolean {
    return watchedKinds.some((kind) => this.#since.has(keyOf(cluster, kind)));
  }

  /** The next dry run lists everything. */
  forget(): void {
    for (const key of this.#since.keys()) this.#since.set(key, {});
  }

  /** Returns a client that lists whole kinds only if they may have changed. */
  serving(client: Kubernetes): Kubernetes {
    const list = <T>(resource: Resource<T>, options: ListOptions = {}): Promise<T[]> => {
      const { keep: _, ...part } = options;
      const kind = watchedKinds.find((each) => resources[each].kind === resource.kind);
      const kept = kind && this.#since.get(keyOf(client.cluster, kind));
      if (kept === undefined || Object.keys(part).length > 0) return client.list(resource, options);
      // The entry is the kind's, and so of its type.
      const known = kept.list as Promise<T[]> | undefined;
      const listed = known ?? client.list(resource, options);
      kept.list = listed;
      listed.catch(() => {
        delete kept.list;
      });
      return listed;
    };
    return { ...client, list };
  }
}

function keyOf(cluster: string, kind: WatchedKind): string {
  return `${kind} ${cluster}`;
}
