import {
  type ClusterAccess,
  connectToWatch,
  systemTime,
  type Time,
  type Watching,
} from "@linkerd-multicluster/engine/kubernetes";
import type { Inputs } from "@linkerd-multicluster/engine/mirroring";
import { ClusterWatch } from "./cluster-watch.ts";
import type { Observer } from "./events.ts";
import { interests } from "./interest.ts";

/** Connections to a cluster: one for each kind, and one for lists. */
const connections = 5;

interface MeshWatchSettings {
  readonly observe: Observer;
  readonly time?: Time;
  readonly connect?: (access: ClusterAccess, cluster: string) => Promise<Watching>;
}

/** Watches every cluster that mirrors depend on. */
export class MeshWatch {
  readonly #settings;
  /** The watches by all that they depend on. */
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<void> }>();

  constructor({
    observe,
    time = systemTime,
    connect = (access, cluster) => connectToWatch(access, cluster, { connections, time }),
  }: MeshWatchSettings) {
    this.#settings = { observe, time, connect };
  }

  /** Begins with what is new, and ends what is not needed any more. */
  async update(sources: readonly Inputs[]): Promise<void> {
    const { connect, ...settings } = this.#settings;
    const wanted = new Map<string, (signal: AbortSignal) => Promise<void>>();
    for (const [cluster, interest] of interests(sources)) {
      const own = { cluster, interest, connect: () => connect(interest.access, cluster) };
      wanted.set(JSON.stringify([cluster, interest]), (signal) =>
        new ClusterWatch({ ...settings, ...own }).run(signal),
      );
    }
    const ending = [...this.#running].filter(([key]) => !wanted.has(key));
    for (const [key, { stop }] of ending) {
      this.#running.delete(key);
      stop.abort();
    }
    for (const [key, start] of wanted) {
      if (this.#running.has(key)) continue;
      const stop = new AbortController();
      this.#running.set(key, { stop, ended: start(stop.signal) });
    }
    await Promise.all(ending.map(([, { ended }]) => ended));
  }
}
