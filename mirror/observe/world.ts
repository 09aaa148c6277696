import { lookup } from "node:dns/promises";
import { connect } from "../kubernetes/connect.ts";
import type { Kubernetes } from "../kubernetes/interface.ts";
import type { ClusterAccess } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { observe } from "./observe.ts";

/** Milliseconds for which a reading serves all links of a run; longer than a phase's checks. */
const fresh = 60_000;

/** Milliseconds within which reading a cluster once more would tell nothing new. */
const recent = 2_000;

interface Entry {
  readonly at: number;
  readonly snapshot: Promise<ClusterSnapshot>;
}

/**
 * The clusters as this process sees them. Lists grow with clusters and not with links: each
 * cluster is read once, all at the same time, and every link of the phase shares the reading. A
 * failure is shared too, so that an unreachable cluster costs its time-out once.
 */
export class World {
  readonly #clients = new Map<string, Promise<Kubernetes>>();
  readonly #readings = new Map<string, Entry>();
  readonly #outdated = new Set<string>();

  /** @throws AccessError where the kubeconfig does not have what the access names */
  client(name: string, access: ClusterAccess): Promise<Kubernetes> {
    const key = accessKey(access);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = connect(access, name);
    this.#clients.set(key, client);
    return client;
  }

  /** @throws AccessError | KubernetesError */
  snapshot(name: string, access: ClusterAccess): Promise<ClusterSnapshot> {
    const key = accessKey(access);
    const known = this.#readings.get(key);
    if (known !== undefined && Date.now() - known.at < fresh) return known.snapshot;
    const snapshot = this.#observe(name, access);
    // Prefetched readings may fail before anybody waits for them.
    snapshot.catch(() => undefined);
    this.#readings.set(key, { at: Date.now(), snapshot });
    return snapshot;
  }

  /** What was read of a cluster no longer holds in all: it has been written to. */
  outdate(access: ClusterAccess): void {
    this.#outdated.add(accessKey(access));
  }

  /** Lets the next reading of a cluster begin anew, if it has been written to since the last one. */
  renew(access: ClusterAccess): void {
    const key = accessKey(access);
    if (this.#outdated.delete(key)) this.#readings.delete(key);
  }

  /** Lets the next reading begin anew unless this one is of just now. Returns whether it does. */
  retake(access: ClusterAccess): boolean {
    const key = accessKey(access);
    const known = this.#readings.get(key);
    if (known === undefined || Date.now() - known.at < recent) return false;
    return this.#readings.delete(key);
  }

  async resolve(hostname: string): Promise<readonly string[]> {
    return (await lookup(hostname, { all: true })).map(({ address }) => address);
  }

  async #observe(name: string, access: ClusterAccess): Promise<ClusterSnapshot> {
    return observe(await this.client(name, access), name);
  }
}

function accessKey({ context, kubeconfig = "" }: ClusterAccess): string {
  return JSON.stringify([kubeconfig, context]);
}
