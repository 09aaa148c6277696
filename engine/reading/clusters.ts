import { deniedOf } from "../kubernetes/access-review.ts";
import { connect, type ConnectWith } from "../kubernetes/client/connect.ts";
import { cancelledWords } from "../kubernetes/client/deadline.ts";
import type { ConnectOptions, Kubernetes } from "../kubernetes/client/interface.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { Node } from "../kubernetes/objects/objects.ts";
import type { StatefulSet } from "../kubernetes/objects/workload-resource.ts";
import type { Question } from "../kubernetes/objects/review-resource.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { systemTime, type Time } from "../kubernetes/client/retry.ts";
import type { Controller } from "../model/controller.ts";
import type { Routes } from "../model/route.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { aboutCluster, messageOf, unlessBug, UserError } from "../base/user-error.ts";
import { Cache } from "./cache.ts";
import { controllersIn, routesIn } from "./linkerd.ts";
import { addressesOf } from "./names.ts";
import { type Reader, sharedReader } from "./shared-reader.ts";
import { type Extent, observe, type RouteExtent, withEndpoints } from "./snapshot.ts";

/** A process has one client and one reading for each cluster. Methods throw KubeconfigError and KubernetesError. */
export class Clusters {
  readonly #options: ConnectOptions;
  readonly #away: Readonly<Record<string, string>>;
  readonly #clients = new Map<string, Promise<Kubernetes>>();
  readonly #readers = new Map<string, Promise<Reader>>();
  readonly #clock = { now: () => this.time.now() };
  readonly #snapshots = new Cache<ClusterSnapshot>(this.#clock);
  readonly #controllers = new Cache<readonly Controller[]>(this.#clock);
  readonly #routes = new Cache<Routes>(this.#clock);
  readonly #statefulSets = new Cache<readonly StatefulSet[]>(this.#clock);
  readonly #nodes = new Cache<readonly Node[]>(this.#clock);
  readonly #addresses = new Cache<readonly string[]>(this.#clock);

  /** @param away says why these clusters don't answer; nothing is read of them */
  constructor(options: ConnectOptions = {}, away: Readonly<Record<string, string>> = {}) {
    this.#options = options;
    this.#away = away;
  }

  get time(): Time {
    return this.#options.time ?? systemTime;
  }

  get isCancelled(): boolean {
    return this.#options.cancellation?.stop.aborted === true;
  }

  /** The caller has to close this client. */
  connect(to: ConnectWith, name: string): Promise<Kubernetes> {
    return connect(to, name, this.#options);
  }

  client(name: string, access: ClusterAccess): Promise<Kubernetes> {
    const key = accessKey(access);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = this.connect(access, name);
    this.#clients.set(key, client);
    return client;
  }

  /** Each answer serves a phase, unless it has written to the cluster. */
  reader(name: string, access: ClusterAccess): Promise<Reader> {
    const key = accessKey(access);
    const known = this.#readers.get(key);
    if (known !== undefined) return known;
    const reader = this.client(name, access).then((client) => sharedReader(client, this.#clock));
    this.#readers.set(key, reader);
    return reader;
  }

  /** A reading serves those who ask for less of the cluster, and what it lacks is read for those who ask for more. */
  snapshot(name: string, access: ClusterAccess, extent?: Extent): Promise<ClusterSnapshot> {
    const services = this.#snapshots.fresh(accessKey(access, "services"));
    const all = extent === "services" && this.#snapshots.fresh(accessKey(access));
    if (services === undefined && all) return all;
    return this.#snapshots.get(accessKey(access, extent), () =>
      this.#read(name, access, async (client) =>
        extent === undefined && services !== undefined
          ? withEndpoints(client, await services)
          : observe(client, name, extent),
      ),
    );
  }

  /** Returns a snapshot that is no older than this call. */
  refetch(name: string, access: ClusterAccess): Promise<ClusterSnapshot> {
    this.#snapshots.drop(accessKey(access, "services"));
    return this.#snapshots.refetch(accessKey(access), () =>
      this.#read(name, access, (client) => observe(client, name)),
    );
  }

  controllers(name: string, access: ClusterAccess): Promise<readonly Controller[]> {
    return this.#cached(this.#controllers, name, access, controllersIn);
  }

  routes(name: string, access: ClusterAccess, extent?: RouteExtent): Promise<Routes> {
    return this.#routes.get(accessKey(access, extent), () =>
      this.#read(name, access, (client) => routesIn(client, extent)),
    );
  }

  statefulSets(name: string, access: ClusterAccess): Promise<readonly StatefulSet[]> {
    return this.#cached(this.#statefulSets, name, access, (client) =>
      client.list(resources.statefulSets),
    );
  }

  nodes(name: string, access: ClusterAccess): Promise<readonly Node[]> {
    return this.#cached(this.#nodes, name, access, (client) => client.list(resources.nodes));
  }

  #cached<T>(
    cache: Cache<T>,
    name: string,
    access: ClusterAccess,
    read: (client: Kubernetes) => Promise<T>,
  ): Promise<T> {
    return cache.get(accessKey(access), () => this.#read(name, access, read));
  }

  #read<T>(name: string, access: ClusterAccess, read: (client: Kubernetes) => Promise<T>) {
    const why = this.#away[name];
    if (why !== undefined) return Promise.reject(new UserError(why));
    return aboutCluster(name, async () => read(await this.client(name, access)));
  }

  async mayDo(name: string, access: ClusterAccess, question: Question): Promise<boolean> {
    const denied = await deniedOf([question], await this.client(name, access));
    return denied.length === 0;
  }

  markStale(access: ClusterAccess): void {
    this.#readers.delete(accessKey(access));
    for (const cache of [this.#snapshots, this.#routes])
      for (const extent of extents) cache.markStale(accessKey(access, extent));
  }

  refresh(access: ClusterAccess): void {
    for (const cache of [this.#snapshots, this.#routes])
      for (const extent of extents) cache.refresh(accessKey(access, extent));
  }

  /** Rejects if DNS has no address or does not answer in time. */
  resolve(hostname: string): Promise<readonly string[]> {
    return this.#addresses.get(hostname, () => this.#lookUp(hostname));
  }

  /** The answer of this new query then holds for everybody. */
  resolveAgain(hostname: string): Promise<readonly string[]> {
    return this.#addresses.refetch(hostname, () => this.#lookUp(hostname));
  }

  async #lookUp(hostname: string): Promise<readonly string[]> {
    const { stop } = this.#options.cancellation ?? {};
    if (this.isCancelled) throw new UserError(cancelledWords);
    return addressesOf(hostname, { stop }).catch((error: unknown) => {
      const why = messageOf(error);
      throw new UserError(this.isCancelled ? cancelledWords : why);
    });
  }

  async close(access: ClusterAccess): Promise<void> {
    const client = await this.#clients.get(accessKey(access))?.catch(unlessBug(undefined));
    await client?.close();
  }
}

const extents = [undefined, "mirrors", "services", "httpRoutes"] as const;

function accessKey(
  { context, kubeconfig = "" }: ClusterAccess,
  extent?: Extent | RouteExtent,
): string {
  return JSON.stringify([kubeconfig, context, extent]);
}
