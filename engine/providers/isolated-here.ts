/**
 * The clusters that this run must not contact, since they are no longer trusted. A resource whose
 * cluster has left the config is told nothing but its own state when it is deleted, and so would go
 * there. One process serves one phase of one operation, and checks everything before it deletes.
 */
export class IsolatedHere {
  readonly #names = new Set<string>();

  add(cluster: string): void {
    this.#names.add(cluster);
  }

  has(cluster: string): boolean {
    return this.#names.has(cluster);
  }
}

export const isolatedHere = new IsolatedHere();
