import { isDeepStrictEqual } from "node:util";
import { connectToWatch } from "../kubernetes/connect.ts";
import type { ClusterAccess } from "../kubernetes/kubeconfig.ts";
import { systemTime, type Time } from "../kubernetes/retry.ts";
import type { Watching } from "../kubernetes/watching.ts";
import type { Inputs } from "../mirroring/model/state.ts";
import { ClusterWatch } from "./cluster-watch.ts";
import type { Observer } from "./events.ts";
import { GatewayProbes } from "./gateway-probes.ts";
import { type Interest, interests } from "./interest.ts";

/** One for each kind, and one for lists. */
const connections = 5;

export interface MeshWatchSettings {
  readonly observe: Observer;
  readonly time?: Time;
  readonly connect?: (access: ClusterAccess, cluster: string) => Promise<Watching>;
}

/** Watches every cluster that mirrors depend on, and the gateways that are probed. */
export class MeshWatch {
  readonly #settings: Required<MeshWatchSettings>;
  readonly #gateways: GatewayProbes;
  readonly #clusters = new Map<string, { readonly interest: Interest; watch: ClusterWatch }>();

  constructor({
    observe,
    time = systemTime,
    connect = (access, cluster) => connectToWatch(access, cluster, { connections, time }),
  }: MeshWatchSettings) {
    this.#settings = { observe, time, connect };
    this.#gateways = new GatewayProbes({ observe, time });
  }

  /** Begins to watch what is new, and no longer watches what is not needed any more. */
  async update(sources: readonly Inputs[]): Promise<void> {
    this.#gateways.update(sources);
    const wanted = interests(sources);
    const ending: Promise<void>[] = [];
    for (const [name, { interest, watch }] of this.#clusters) {
      if (isDeepStrictEqual(wanted.get(name), interest)) continue;
      this.#clusters.delete(name);
      ending.push(watch.stop());
    }
    const { observe, time, connect } = this.#settings;
    for (const [cluster, interest] of wanted) {
      if (this.#clusters.has(cluster)) continue;
      const own = { cluster, interest, time, observe };
      const watch = new ClusterWatch({ ...own, connect: () => connect(interest.access, cluster) });
      this.#clusters.set(cluster, { interest, watch });
    }
    await Promise.all(ending);
  }

  async stop(): Promise<void> {
    await this.update([]);
  }
}
