import { type Answered, Clusters, type Unheard } from "@linkerd-multicluster/engine/check";
import type { ClusterAccess } from "@linkerd-multicluster/engine/kubernetes";

/** The prober of a link, and what the last dry run heard of it. */
export interface KnownProber {
  readonly source: string;
  readonly target: string;
  readonly access: ClusterAccess;
  readonly isDown: boolean;
  readonly ask: (clusters: Clusters) => Promise<Answered | Unheard>;
}

/** Asks probers between dry runs. A watch would report each renewal of their Leases, and all Leases of other programs. */
export class Probers {
  #clusters = new Clusters();
  #known: readonly KnownProber[] = [];
  #isAsking = false;

  /** Receives what a dry run has heard. Clients are opened again, since credentials may have changed. */
  update(known: readonly KnownProber[], clusters = new Clusters()): void {
    void this.close();
    this.#clusters = clusters;
    this.#known = known;
  }

  /** Returns the probers that no longer say the same. One that is silent finds nothing down, and one that can't be read may. */
  async changed(): Promise<readonly KnownProber[]> {
    if (this.#isAsking) return [];
    this.#isAsking = true;
    const [known, clusters] = [this.#known, this.#clusters];
    const heard = await Promise.all(
      known.map(async (each) => {
        const answer = await each.ask(clusters);
        if (!("why" in answer)) return { ...each, isDown: answer.down !== undefined };
        return answer.isSilent === true ? { ...each, isDown: false } : each;
      }),
    ).finally(() => (this.#isAsking = false));
    // A dry run may have asked them meanwhile.
    if (known !== this.#known) return [];
    this.#known = heard;
    return heard.filter(({ isDown }, index) => isDown !== known[index]?.isDown);
  }

  async close(): Promise<void> {
    const [known, clusters] = [this.#known, this.#clusters];
    this.#known = [];
    await Promise.all(known.map(({ access }) => clusters.close(access)));
  }
}
