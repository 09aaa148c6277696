import { KubernetesError } from "../kubernetes/errors.ts";
import { type ObjectKey, objectKey, type ObjectMeta } from "../kubernetes/objects.ts";
import { type ObjectName, resources } from "../kubernetes/resources.ts";
import type { Time } from "../kubernetes/retry.ts";
import type { Change, Watching } from "../kubernetes/watching.ts";
import type { Observer, WatchedKind } from "./events.ts";
import { type Interest, isOfInterest } from "./interest.ts";
import { stream } from "./stream.ts";

/** Far more Services than a cluster exports; each takes a few hundred bytes. */
const mostServices = 20_000;

export interface ClusterWatchSettings {
  readonly cluster: string;
  readonly interest: Interest;
  readonly connect: () => Promise<Watching>;
  readonly time: Time;
  readonly observe: Observer;
}

/**
 * Watches in one cluster what the mesh depends on, each kind by a watch of its own. Of all objects it
 * remembers nothing but which Services are of interest, since a change may be that one no longer is;
 * where there are too many of them, every change is of interest.
 */
export class ClusterWatch {
  readonly #settings: ClusterWatchSettings;
  readonly #stopped = new AbortController();
  readonly #streams: Promise<unknown>;
  #services: Set<ObjectKey> | undefined = new Set();
  #watching: Promise<Watching> | undefined;

  constructor(settings: ClusterWatchSettings) {
    this.#settings = settings;
    const kinds: readonly WatchedKind[] =
      settings.interest.mirrorsOf === undefined
        ? ["services", "endpoints", "namespaces"]
        : ["services", "endpoints", "namespaces", "links"];
    settings.observe({ event: "clusterAdded", cluster: settings.cluster, kinds });
    this.#streams = Promise.all(kinds.map((kind) => this.#follow(kind)));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    // At once: what is to follow on it may be watched already when the last stream has ended.
    this.#settings.observe({ event: "clusterRemoved", cluster: this.#settings.cluster });
    const watching = await this.#watching?.catch(() => undefined);
    await watching?.close();
    await this.#streams;
  }

  async #follow(kind: WatchedKind): Promise<void> {
    const { cluster, time, observe } = this.#settings;
    let said: string | undefined;
    let used: Promise<Watching> | undefined;
    await stream(
      {
        watching: () => (used = this.#connected()),
        resource: resources[kind],
        lists: kind === "services",
        time,
        signal: this.#stopped.signal,
      },
      {
        listed: (items) => {
          this.#services = new Set();
          for (const { metadata } of items)
            if (isOfInterest(metadata, this.#settings.interest)) this.#remember(metadata);
        },
        opened: () => {
          said = undefined;
          observe({ event: "watching", cluster, kind });
          observe({ event: "triggered", reason: "listed", cluster, about: kind });
        },
        lost: (error, retryIn) => {
          if (concernsCluster(error)) this.#disconnect(used);
          const why = error instanceof Error ? error.message : String(error);
          // Once for each thing that goes wrong, however often it is tried.
          if (why !== said) observe({ event: "watchLost", cluster, kind, why, retryIn });
          said = why;
        },
        changed: (change) => {
          if (!this.#concerns(kind, change)) return;
          const about = `${kind} ${nameOf(change.object.metadata)}`;
          observe({ event: "triggered", reason: "event", cluster, about });
        },
      },
    );
  }

  #concerns(kind: WatchedKind, { type, object: { metadata } }: Change): boolean {
    if (kind === "namespaces" || kind === "links") return true;
    const key = objectKey(metadata.namespace, metadata.name);
    const was = this.#services?.has(key) ?? true;
    // Endpoints belong to the Service of their name.
    if (kind === "endpoints") return was;
    const is = isOfInterest(metadata, this.#settings.interest);
    if (is && type !== "DELETED") this.#remember(metadata);
    else this.#services?.delete(key);
    return was || is;
  }

  #remember({ namespace, name }: ObjectMeta): void {
    if (this.#services?.add(objectKey(namespace, name)).size === mostServices)
      this.#services = undefined;
  }

  /** One client for all kinds, made again if it could not be made. */
  #connected(): Promise<Watching> {
    this.#watching ??= this.#settings.connect().catch((error: unknown) => {
      this.#watching = undefined;
      throw error;
    });
    return this.#watching;
  }

  /** Lets the kubeconfig be read again, once for all kinds that have lost the same connection. */
  #disconnect(used: Promise<Watching> | undefined): void {
    if (used === undefined || used !== this.#watching) return;
    this.#watching = undefined;
    used.then((watching) => watching.close()).catch(() => undefined);
  }
}

/** It does not answer, or no longer lets us in: its address or credentials may be others by now. */
function concernsCluster(error: unknown): boolean {
  return error instanceof KubernetesError && (error.status === undefined || error.status === 401);
}

function nameOf({ name, namespace }: ObjectName): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
