import { count, messageOf, UserError } from "@linkerd-multicluster/engine/base";
import type { GateArgs } from "@linkerd-multicluster/engine/admitting";
import {
  backoff,
  type Backoff,
  bounds,
  type ClusterAccess,
  closedClient,
  connectToWatch,
  KubernetesError,
  type ObjectChange,
  objectKey,
  type ObjectKey,
  resources,
  systemTime,
  type Time,
  type Watching,
} from "@linkerd-multicluster/engine/kubernetes";
import type { Inputs } from "@linkerd-multicluster/engine/mirroring";
import type { Observer, WatchedKind } from "./events.ts";
import { type Interest, type InterestIn, interestIn, interests, kindsOf } from "./interest.ts";

/** Each kind has a connection, and lists have one. */
const connections = 5;

/** The waits after failures in a row are in milliseconds. */
const watchBackoff: Backoff = { first: 500, longest: 30_000 };

/** This is in milliseconds. A server that ends a watch sooner fails, because the next one would follow without a pause. */
const shortest = 1_000;

/** Reasons for which one watch is lost, until it opens again. */
const mostReported = 5;

interface MeshWatchSettings {
  readonly observe: Observer;
  /** Receives every change, also one that does not concern the mesh. */
  readonly changed?: (cluster: string, kind: WatchedKind) => void;
  readonly time?: Time;
  readonly connect?: (access: ClusterAccess, cluster: string) => Promise<Watching>;
}

/** Watches every cluster on which mirrors depend. */
export class MeshWatch {
  readonly #settings: Required<MeshWatchSettings>;
  #watched = "[]";
  #stop = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  constructor({
    observe,
    changed = () => undefined,
    time = systemTime,
    connect = (access, cluster) => connectToWatch(access, cluster, { connections, time }),
  }: MeshWatchSettings) {
    this.#settings = { observe, changed, time, connect };
  }

  /** Watches what the mirrors of these sources and closed gateways depend on, and nothing else from now on. */
  update(sources: readonly Inputs[], gates: readonly GateArgs[] = []): void {
    const wanted = [...interests(sources, gates)];
    const watched = JSON.stringify(wanted);
    if (watched === this.#watched) return;
    this.#watched = watched;
    this.#stop.abort();
    this.#stop = new AbortController();
    const kinds = wanted.map(([cluster, interest]) => [cluster, kindsOf(interest)] as const);
    this.#settings.observe({ event: "clusters", kinds: Object.fromEntries(kinds) });
    const watches = wanted.map(([cluster, interest]) =>
      watchCluster({ ...this.#settings, cluster, interest }, this.#stop.signal),
    );
    this.#ended = Promise.all([this.#ended, ...watches]);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}

interface ClusterWatchSettings extends Required<MeshWatchSettings> {
  readonly cluster: string;
  readonly interest: Interest;
  readonly mostServices?: number;
}

/**
 * Watches in one cluster everything that the mesh depends on, until the signal is aborted.
 *
 * @throws only bugs: a cluster that fails is watched again
 */
export async function watchCluster(
  {
    cluster,
    interest,
    connect,
    time,
    observe,
    changed: seen,
    mostServices = bounds.items.most,
  }: ClusterWatchSettings,
  stop: AbortSignal,
): Promise<void> {
  /** All kinds share one client. A new client reads the kubeconfig again. */
  let connected: Promise<Watching> | undefined;
  /**
   * These Services are of interest, and the Endpoints of some of them. A change may be that one no longer is of interest,
   * which may last for a moment: `kubectl replace --force`, Helm and Argo CD delete and create.
   */
  let services = new Map<ObjectKey, InterestIn>();

  /** Closes a connection, unless another kind has already replaced it. */
  const disconnect = (used: Promise<Watching> | undefined) => {
    if (used !== connected) return;
    connected = undefined;
    used?.then((watching) => watching.close()).catch(() => undefined);
  };

  const concerns = (
    kind: WatchedKind,
    { type, object: { metadata } }: ObjectChange,
  ): "changed" | "gone" | undefined => {
    const change = type === "DELETED" ? "gone" : "changed";
    if (kind === "namespaces" || kind === "links") return change;
    const key = objectKey(metadata.namespace, metadata.name);
    const was = services.get(key);
    // Endpoints belong to the Service with their name.
    if (kind === "endpoints") return was?.endpoints === true ? change : undefined;
    const is = interestIn(metadata, interest);
    if (is === undefined || type === "DELETED") services.delete(key);
    else services.set(key, is);
    // A list may have so many. A cluster that goes on adding Services would fill the memory.
    if (services.size > mostServices)
      throw new UserError(`cluster ${cluster} has more than ${count(mostServices, "Service")}`);
    if (is !== undefined) return change;
    return was === undefined ? undefined : "gone";
  };

  /** Returns the version from which a watch reports every change that is not known yet. */
  const begin = async (kind: WatchedKind, watching: Watching): Promise<string> => {
    if (kind !== "services") return watching.version(resources[kind]);
    const { items, resourceVersion } = await watching.list(resources[kind]);
    services = new Map();
    for (const object of items) concerns(kind, { type: "ADDED", object });
    return resourceVersion;
  };

  /**
   * Watches all objects of a kind. A watch that the server ends continues from the version that it reached. After any
   * other end it starts again: at once if the server no longer knows the version, else after a wait.
   */
  const watch = async (kind: WatchedKind): Promise<void> => {
    const isOver = () => stop.aborted;
    const reported = new Set<string>();
    const changed = (change: ObjectChange) => {
      seen(cluster, kind);
      const concern = concerns(kind, change);
      if (concern === undefined) return;
      const { namespace, name } = change.object.metadata;
      // A namespace has no namespace.
      const about = `${kind} ${[namespace, name].filter(Boolean).join("/")}`;
      const gone = concern === "gone" && { gone: true as const };
      observe({ event: "triggered", reason: "event", cluster, about, ...gone });
    };
    for (let failures = 0; !isOver();) {
      const used = (connected ??= connect(interest.access, cluster));
      let watching: Watching | undefined;
      try {
        watching = await used;
        let version = await begin(kind, watching);
        let isOpen = false;
        const opened = () => {
          if (isOpen) return;
          isOpen = true;
          reported.clear();
          observe({ event: "watching", cluster, kind });
          observe({ event: "triggered", reason: "listed", cluster, about: kind });
        };
        while (!isOver()) {
          const begun = time.now();
          version = await watching.watch(resources[kind], version, { opened, changed }, stop);
          const lasted = time.now() - begun;
          if (lasted < shortest && !isOver())
            throw new UserError(`cluster ${cluster} ends every watch at once`);
          // Until then, failures count as failures in a row, so that they are reported with growing waits.
          if (lasted >= watchBackoff.longest) failures = 0;
        }
      } catch (error) {
        const why = messageOf(error);
        if (isOver()) return;
        // Another kind has closed the client that all share, and reports why.
        if (watching !== undefined && used !== connected && isClosed(error)) continue;
        failures += 1;
        const failure = error instanceof KubernetesError ? error : undefined;
        // A cluster that does not respond or rejects the credentials may have another address or other credentials.
        const isLost = failure !== undefined && [undefined, 401].includes(failure.status);
        if (watching === undefined || isLost) disconnect(used);
        // An expired version is usual once. A server that always reports it is not asked without a pause.
        const isExpired = failure?.kind === "gone" && failures === 1;
        const retryIn = isExpired ? 0 : backoff(failures, watchBackoff, time);
        // Each failure is reported once until the watch opens again, and no cluster fills the log with ever new ones.
        if (reported.size < mostReported && !reported.has(why)) {
          reported.add(why);
          observe({ event: "watchLost", cluster, kind, why, retryIn });
        }
        await time.sleep(retryIn, stop);
      }
    }
  };

  stop.addEventListener("abort", () => {
    disconnect(connected);
  });
  await Promise.all(kindsOf(interest).map(watch));
}

function isClosed(error: unknown): boolean {
  return error instanceof KubernetesError && closedClient.has(error.reason ?? "");
}
