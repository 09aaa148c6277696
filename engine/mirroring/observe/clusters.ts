import { lookup } from "node:dns/promises";
import { connect } from "../../kubernetes/connect.ts";
import type { Kubernetes } from "../../kubernetes/interface.ts";
import type { ClusterAccess } from "../../kubernetes/kubeconfig.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { type Controller, controllersIn } from "./controllers.ts";
import { observe } from "./observe.ts";
import { Readings } from "./cache.ts";

/** The clusters as this process sees them: one client and one reading for each, for all links. */
export class World {
  readonly #clients = new Map<string, Promise<Kubernetes>>();
  readonly #readings = new Readings<ClusterSnapshot>();
  readonly #controllers = new Readings<readonly Controller[]>();

  /** @throws KubeconfigError where the kubeconfig does not have what the access names */
  client(name: string, access: ClusterAccess): Promise<Kubernetes> {
    const key = accessKey(access);
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = connect(access, name);
    this.#clients.set(key, client);
    return client;
  }

  /** @throws KubeconfigError | KubernetesError */
  snapshot(name: string, access: ClusterAccess): Promise<ClusterSnapshot> {
    return this.#readings.get(accessKey(access), () => this.#observe(name, access));
  }

  /**
   * A snapshot that knows of everything that was there when it was asked for.
   *
   * @throws KubeconfigError | KubernetesError
   */
  anew(name: string, access: ClusterAccess): Promise<ClusterSnapshot> {
    return this.#readings.anew(accessKey(access), () => this.#observe(name, access));
  }

  /**
   * Linkerd's controllers that mirror into a cluster.
   *
   * @throws KubeconfigError | KubernetesError
   */
  controllers(name: string, access: ClusterAccess): Promise<readonly Controller[]> {
    return this.#controllers.get(accessKey(access), async () =>
      controllersIn(await this.client(name, access)),
    );
  }

  /** What was read of a cluster no longer holds in all: it has been written to. */
  outdate(access: ClusterAccess): void {
    this.#readings.outdate(accessKey(access));
  }

  /** Lets the next reading of a cluster begin anew, if it has been written to since the last one. */
  renew(access: ClusterAccess): void {
    this.#readings.renew(accessKey(access));
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
