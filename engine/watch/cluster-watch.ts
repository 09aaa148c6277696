import { once } from "node:events";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import { type ObjectKey, objectKey } from "../kubernetes/objects/objects.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { backoff, type Backoff, type Time } from "../kubernetes/client/retry.ts";
import type { ObjectChange, Watching } from "../kubernetes/client/watching.ts";
import { messageOf } from "../message.ts";
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

/** Watches in one cluster what the mesh depends on, until the signal is aborted. Never rejects. */
export async function watchCluster(
  settings: ClusterWatchSettings,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, interest, observe } = settings;
  const isSource = interest.mirrorsOf !== undefined;
  const kinds = watchedKinds.filter((kind) => isSource || kind !== "links");
  const connection = new Connection(settings.connect);
  const services = new Services(interest);
  observe({ event: "clusterAdded", cluster, kinds });
  const watches = kinds.map((kind) => watchKind(kind, connection, services, settings, signal));
  await once(signal, "abort");
  // At once: its successor may be watched already when the last watch has ended.
  observe({ event: "clusterRemoved", cluster });
  connection.close();
  await Promise.all(watches);
}

/**
 * Watches all objects of a kind. A watch that the server has ended goes on where it was; after anything else
 * it begins anew, with a wait unless the server only no longer knows the version.
 */
async function watchKind(
  kind: WatchedKind,
  connection: Connection,
  services: Services,
  { cluster, time, observe }: ClusterWatchSettings,
  signal: AbortSignal,
): Promise<void> {
  const resource = resources[kind];
  const isOver = () => signal.aborted;
  let said: string | undefined;
  const changed = (change: ObjectChange) => {
    if (!services.concerns(kind, change)) return;
    const { namespace, name } = change.object.metadata;
    // A namespace is in none.
    const about = `${kind} ${[namespace, name].filter(Boolean).join("/")}`;
    observe({ event: "triggered", reason: "event", cluster, about });
  };
  for (let failures = 0; !isOver();) {
    const used = connection.get();
    try {
      const watching = await used;
      let version =
        kind === "services"
          ? services.replace(await watching.list(resource))
          : await watching.version(resource);
      let isOpen = false;
      const opened = () => {
        if (isOpen) return;
        isOpen = true;
        said = undefined;
        observe({ event: "watching", cluster, kind });
        observe({ event: "triggered", reason: "listed", cluster, about: kind });
      };
      while (!isOver()) {
        const begun = time.now();
        version = await watching.watch(resource, version, { opened, changed }, signal);
        if (time.now() - begun < shortest && !isOver())
          throw new Error(`cluster ${cluster} ends every watch at once`);
        failures = 0;
      }
    } catch (error) {
      if (isOver()) return;
      failures += 1;
      const { kind: why, status } = error instanceof KubernetesError ? error : {};
      // It does not answer, or no longer lets us in: its address or credentials may be others by now.
      if (error instanceof KubernetesError && (status === undefined || status === 401))
        connection.close(used);
      // Once is usual: the version was too old. A server that always says so is not asked all the time.
      const retryIn = why === "gone" && failures === 1 ? 0 : backoff(failures, watchBackoff, time);
      const sentence = messageOf(error);
      // Once for each thing that goes wrong, however often it is tried.
      if (sentence !== said) observe({ event: "watchLost", cluster, kind, why: sentence, retryIn });
      said = sentence;
      await time.sleep(retryIn, signal);
    }
  }
}

/**
 * The Services of interest, which is all that is remembered, since a change may be that one no longer is.
 * Where there are too many of them, every change is of interest.
 */
class Services {
  readonly #interest: Interest;
  #keys: Set<ObjectKey> | undefined = new Set();

  constructor(interest: Interest) {
    this.#interest = interest;
  }

  /** Begins anew with a list; returns its version. */
  replace({ items, resourceVersion }: Awaited<ReturnType<Watching["list"]>>): string {
    this.#keys = new Set();
    for (const object of items) this.concerns("services", { type: "ADDED", object });
    return resourceVersion;
  }

  concerns(kind: WatchedKind, { type, object: { metadata } }: ObjectChange): boolean {
    if (kind === "namespaces" || kind === "links") return true;
    const key = objectKey(metadata.namespace, metadata.name);
    const was = this.#keys?.has(key) ?? true;
    // Endpoints belong to the Service of their name.
    if (kind === "endpoints") return was;
    const is = isOfInterest(metadata, this.#interest);
    if (!is || type === "DELETED") this.#keys?.delete(key);
    else if (this.#keys?.add(key).size === mostServices) this.#keys = undefined;
    return was || is;
  }
}

/** One client for all kinds, with the kubeconfig read again for the next one. */
class Connection {
  readonly #connect: () => Promise<Watching>;
  #watching: Promise<Watching> | undefined;

  constructor(connect: () => Promise<Watching>) {
    this.#connect = connect;
  }

  get(): Promise<Watching> {
    this.#watching ??= this.#connect().catch((error: unknown) => {
      this.#watching = undefined;
      throw error;
    });
    return this.#watching;
  }

  /** Closes it, unless another has taken its place: once for all kinds that have lost the same one. */
  close(used = this.#watching): void {
    if (used !== this.#watching) return;
    this.#watching = undefined;
    used?.then((watching) => watching.close()).catch(() => undefined);
  }
}
