import { mirrorsOf } from "../model/owner.ts";
import { isListed } from "../model/decision.ts";
import { liveMirrors } from "../model/live-mirrors.ts";
import { routeKey } from "../model/route.ts";
import type { PlannedOutcome } from "./report/outcome.ts";

/**
 * Holds the mirrors that the resources of one process want, by the cluster's identity. Pulumi creates a resource under
 * its new name before it deletes the one with the old name, and both then have the same mirrors: the deletion of one
 * must not remove what the other wants.
 */
export class KeysWantedInThisRun {
  readonly #keys = new Map<string, Set<string>>();
  /** An entry is undefined if even the identity of a source that couldn't be read is unknown. */
  readonly #unread: (string | undefined)[] = [];

  /** Records what a resource wants, and what it keeps because it can't judge it now. */
  add({ source, links, decided: { decisions, failover, refusals } }: PlannedOutcome): void {
    const keys = this.#keys.get(source.identity) ?? new Set();
    const add = (all: Iterable<string>) => {
      for (const key of all) keys.add(key);
    };
    add(decisions.filter(isListed).map(({ key }) => key));
    add(failover.routes.flatMap(({ verdict, key }) => (verdict === "delete" ? [] : routeKey(key))));
    for (const target of Object.keys(refusals)) add(liveMirrors(source, mirrorsOf(target)).keys());
    for (const { link, target } of links)
      if ("why" in target) add(liveMirrors(source, mirrorsOf(link.target)).keys());
    this.#keys.set(source.identity, keys);
  }

  /** @param identity of a source that can't be read, as the previous run knew it */
  addUnread(identity: string | undefined): void {
    this.#unread.push(identity);
  }

  /** Returns whether a resource that can't read its source may mean this very cluster. */
  mayWantMore(identity: string): boolean {
    return this.#unread.some((unread) => unread === undefined || unread === identity);
  }

  has(identity: string, key: string): boolean {
    return this.#keys.get(identity)?.has(key) === true;
  }
}
