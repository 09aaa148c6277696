import { deniedOf } from "../kubernetes/access-review.ts";
import { connect, type ConnectWith } from "../kubernetes/client/connect.ts";
import { cancelledWords } from "../kubernetes/client/deadline.ts";
import type { ConnectOptions, Kubernetes } from "../kubernetes/client/interface.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig/kubeconfig.ts";
import type { Node, Question, StatefulSet } from "../kubernetes/objects/objects.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { systemTime, type Time } from "../kubernetes/client/retry.ts";
import type { Controller } from "../mirroring/model/controller.ts";
import type { Routes } from "../mirroring/model/route.ts";
import type { ClusterSnapshot } from "../mirroring/model/snapshot.ts";
import { messageOf, unlessBug, UserError } from "../user-error.ts";
import { Cache } from "./cache.ts";
import { controllersIn } from "./linkerd.ts";
import { addressesOf } from "./names.ts";
import { routesIn } from "./routes.ts";
import { type Extent, observe } from "./snapshot.ts";

/** A process has one client and one reading for each cluster, which everybody shares. */
export class Clusters {
  readonly #options: ConnectOptions;
  readonly #clients = new Map<string, Promise<Kubernetes>>();
  readonly #clock = { now: () => this.time.now() };
  readonly #snapshots = new Cache<ClusterSnapshot>(this.#clock);
  readonly #controllers = new Cache<readonly Controller[]>(this.#clock);
  readonly #routes = new Cache<Routes>(this.#clock);
  readonly #statefulSets = new Cache<readonly StatefulSet[]>(this.#clock);
  readonly #nodes = new Cache<readonly Node[]>(this.#clock);
  readonly #addresses = new Cache<readonly string[]>(this.#clock);

  /** @param options how every cluster is connected to */
  constructor(options: ConnectOptions = {}) {
    this.#options = options;
  }

  get time(): Time {
    return this.#options.time ?? systemTime;
  }

  /** Tells whether the run was cancelled, so that nothing new may start. */
  get isCancelled(): boolean {
    return this.#options.cancellation?.stop.aborted === true;
  }

  /**
   * Makes a client that the caller has to close.
   *
   * @throws KubeconfigError where the kubeconfig does not have what is asked for
   */
  connect(to: ConnectWith, name: string): Promise<Kubernetes> {
    return connect(to, name, this.#options);
  }

  /** @throws KubeconfigError where the kubeconfig does not have what the access names */
  client(name: string, access: ClusterAccess): Promise<Kubernetes> {
    const key = accessKey(access);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = this.connect(access, name);
    this.#clients.set(key, client);
    return client;
  }

  /** @throws KubeconfigError | KubernetesError */
  snapshot(name: string, access: ClusterAccess, extent?: Extent): Promise<ClusterSnapshot> {
    return this.#snapshots.get(accessKey(access, extent), () =>
      this.#observe(name, access, extent),
    );
  }

  /**
   * Returns a snapshot that is no older than this call.
   *
   * @throws KubeconfigError | KubernetesError
   */
  refetch(name: string, access: ClusterAccess): Promise<ClusterSnapshot> {
    return this.#snapshots.refetch(accessKey(access), () => this.#observe(name, access));
  }

  /**
   * Lists Linkerd's controllers that write mirrors into a cluster.
   *
   * @throws KubeconfigError | KubernetesError
   */
  controllers(name: string, access: ClusterAccess): Promise<readonly Controller[]> {
    return this.#controllers.get(accessKey(access), async () =>
      controllersIn(await this.client(name, access)),
    );
  }

  /**
   * Asks whether the runner may do that in a cluster.
   *
   * @throws KubeconfigError | KubernetesError
   */
  async mayDo(name: string, access: ClusterAccess, question: Question): Promise<boolean> {
    const denied = await deniedOf([question], await this.client(name, access));
    return denied.length === 0;
  }

  /** @throws KubeconfigError | KubernetesError */
  routes(name: string, access: ClusterAccess): Promise<Routes> {
    return this.#routes.get(accessKey(access), async () =>
      routesIn(await this.client(name, access)),
    );
  }

  /** @throws KubeconfigError | KubernetesError */
  statefulSets(name: string, access: ClusterAccess): Promise<readonly StatefulSet[]> {
    return this.#statefulSets.get(accessKey(access), async () =>
      (await this.client(name, access)).list(resources.statefulSets),
    );
  }

  /** @throws KubeconfigError | KubernetesError */
  nodes(name: string, access: ClusterAccess): Promise<readonly Node[]> {
    return this.#nodes.get(accessKey(access), async () =>
      (await this.client(name, access)).list(resources.nodes),
    );
  }

  /** Marks the readings of a cluster as stale, because something was written to it. */
  markStale(access: ClusterAccess): void {
    for (const extent of extents) this.#snapshots.markStale(accessKey(access, extent));
  }

  /** Drops a cluster's stale readings, so that the next one starts again. */
  refresh(access: ClusterAccess): void {
    for (const extent of extents) this.#snapshots.refresh(accessKey(access, extent));
  }

  /** Resolves a hostname to all its addresses. It rejects if DNS has none or does not answer in time. */
  resolve(hostname: string): Promise<readonly string[]> {
    return this.#addresses.get(hostname, () => this.#lookUp(hostname));
  }

  /** Does the same with a new query, whose answer then holds for everybody. */
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

  /** Ends the connections to a cluster, if there are any. */
  async close(access: ClusterAccess): Promise<void> {
    const client = await this.#clients.get(accessKey(access))?.catch(unlessBug(undefined));
    await client?.close();
  }

  async #observe(name: string, access: ClusterAccess, extent?: Extent): Promise<ClusterSnapshot> {
    return observe(await this.client(name, access), name, extent);
  }
}

const extents: readonly Extent[] = [undefined, "mirrors"];

function accessKey({ context, kubeconfig = "" }: ClusterAccess, extent?: Extent): string {
  return JSON.stringify([kubeconfig, context, extent]);
}
