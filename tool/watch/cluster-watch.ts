import { once } from "node:events";
import {
  type Backoff,
  backoff,
  KubernetesError,
  messageOf,
  type ObjectChange,
  type ObjectKey,
  objectKey,
  resources,
  type Time,
  type Watching,
} from "@linkerd-multicluster/engine/kubernetes";
import { type Observer, type WatchedKind, watchedKinds } from "./events.ts";
import { type Interest, isOfInterest } from "./interest.ts";

/** Far more Services than a cluster exports; each takes a few hundred bytes. */
const mostServices = 20_000;

/** Milliseconds of wait after each failure in a row. */
const watchBackoff: Backoff = { first: 500, longest: 30_000 };

/** Milliseconds: a watch that the server ends sooner is a failure, or it would be begun without pause. */
const shortest = 1_000;

export interface ClusterWatchSettings {
  readonly cluster: string;
  readonly interest: Interest;
  readonly connect: () => Promise<Watching>;
  readonly time: Time;
  readonly observe: Observer;
}

/** Watches in one cluster what the mesh depends on. */
export class ClusterWatch {
  readonly #settings: ClusterWatchSettings;
  /** One client for all kinds, with the kubeconfig read again for the next one. */
  #connected: Promise<Watching> | undefined;
  /**
   * The Services of interest, which is all that is remembered, since a change may be that one no longer is.
   * Where there are too many of them, every change is of interest, and nothing is remembered.
   */
  #services: Set<ObjectKey> | undefined = new Set();

  constructor(settings: ClusterWatchSettings) {
    this.#settings = settings;
  }

  /** Goes on until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { cluster, interest, observe } = this.#settings;
    const isSource = interest.mirrorsOf !== undefined;
    const kinds = watchedKinds.filter((kind) => isSource || kind !== "links");
    observe({ event: "clusterAdded", cluster, kinds });
    const watches = kinds.map((kind) => this.#watch(kind, signal));
    await once(signal, "abort");
    // At once: its successor may be watched already when the last watch has ended.
    observe({ event: "clusterRemoved", cluster });
    this.#disconnect(this.#connected);
    await Promise.all(watches);
  }

  /**
   * Watches all objects of a kind. A watch that the server has ended goes on where it was; after anything else
   * it begins anew, with a wait unless the server only no longer knows the version.
   */
  async #watch(kind: WatchedKind, signal: AbortSignal): Promise<void> {
    const { cluster, time, observe } = this.#settings;
    const resource = resources[kind];
    const isOver = () => signal.aborted;
    let said: string | undefined;
    for (let failures = 0; !isOver();) {
      const used = this.#connect();
      try {
        const watching = await used;
        let version = await this.#begin(kind, watching);
        let isOpen = false;
        const opened = () => {
          if (isOpen) return;
          isOpen = true;
          said = undefined;
          observe({ event: "watching", cluster, kind });
          observe({ event: "triggered", reason: "listed", cluster, about: kind });
        };
        const changed = this.#changed.bind(this, kind);
        while (!isOver()) {
          const begun = time.now();
          version = await watching.watch(resource, version, { opened, changed }, signal);
          const lasted = time.now() - begun;
          if (lasted < shortest && !isOver())
            throw new Error(`cluster ${cluster} ends every watch at once`);
          // One that lasts a little while each time is not begun, and told of, without pause.
          if (lasted >= watchBackoff.longest) failures = 0;
        }
      } catch (error) {
        if (isOver()) return;
        failures += 1;
        const { kind: why, status } = error instanceof KubernetesError ? error : {};
        // It does not answer, or no longer lets us in: its address or credentials may be others by now.
        if (why !== undefined && (status === undefined || status === 401)) this.#disconnect(used);
        // Once is usual: the version was too old. A server that always says so is not asked all the time.
        const isUsual = why === "gone" && failures === 1;
        const retryIn = isUsual ? 0 : backoff(failures, watchBackoff, time);
        const sentence = messageOf(error);
        // Once for each thing that goes wrong, however often it is tried.
        if (sentence !== said)
          observe({ event: "watchLost", cluster, kind, why: sentence, retryIn });
        said = sentence;
        await time.sleep(retryIn, signal);
      }
    }
  }

  /** Returns the version from which a watch tells of all that is not known yet. */
  async #begin(kind: WatchedKind, watching: Watching): Promise<string> {
    if (kind !== "services") return watching.version(resources[kind]);
    const { items, resourceVersion } = await watching.list(resources[kind]);
    this.#services = new Set();
    for (const object of items) this.#concerns(kind, { type: "ADDED", object });
    return resourceVersion;
  }

  #changed(kind: WatchedKind, change: ObjectChange): void {
    if (!this.#concerns(kind, change)) return;
    const { cluster, observe } = this.#settings;
    const { namespace, name } = change.object.metadata;
    // A namespace is in none.
    const about = `${kind} ${[namespace, name].filter(Boolean).join("/")}`;
    observe({ event: "triggered", reason: "event", cluster, about });
  }

  #concerns(kind: WatchedKind, { type, object: { metadata } }: ObjectChange): boolean {
    if (kind === "namespaces" || kind === "links") return true;
    const key = objectKey(metadata.namespace, metadata.name);
    const was = this.#services?.has(key) ?? true;
    // Endpoints belong to the Service of their name.
    if (kind === "endpoints") return was;
    const is = isOfInterest(metadata, this.#settings.interest);
    if (!is || type === "DELETED") this.#services?.delete(key);
    else if (this.#services?.add(key).size === mostServices) this.#services = undefined;
    return was || is;
  }

  #connect(): Promise<Watching> {
    this.#connected ??= this.#settings.connect().catch((error: unknown) => {
      this.#connected = undefined;
      throw error;
    });
    return this.#connected;
  }

  /** Closes a connection, unless another has taken its place: once for all kinds that have lost the same one. */
  #disconnect(used: Promise<Watching> | undefined): void {
    if (used !== this.#connected) return;
    this.#connected = undefined;
    used?.then((watching) => watching.close()).catch(() => undefined);
  }
}
