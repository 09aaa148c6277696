import type { WatchEvent } from "@linkerd-multicluster/engine/watch";

/**
 * Whether a watch has begun: the state was read, each cluster has been listed once, and each kind is
 * watched or has been tried. What is away later is told by metrics, and makes nothing unready.
 */
export class Readiness {
  #hasLooked = false;
  readonly #untried = new Set<string>();

  observe(event: WatchEvent): void {
    if (event.event === "looked") this.#hasLooked = true;
    if (event.event === "clusterAdded")
      for (const kind of event.kinds) this.#untried.add(`${event.cluster}: ${kind}`);
    if (event.event === "clusterRemoved")
      for (const each of [...this.#untried])
        if (each.startsWith(`${event.cluster}: `)) this.#untried.delete(each);
    if (event.event === "watching" || event.event === "watchLost")
      this.#untried.delete(`${event.cluster}: ${event.kind}`);
  }

  /** What is being waited for; empty once it is ready. */
  get missing(): readonly string[] {
    const look = this.#hasLooked ? [] : ["the state, or the first look at the clusters"];
    return [...look, ...[...this.#untried].map((each) => `the watch of ${each}`)];
  }
}
