import type { ObjectKey } from "../../../kubernetes/objects/objects.ts";
import {
  federated,
  federatedPart,
  isMarkedBy,
  isOnlyOurs,
  otherStacks,
} from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { type Decision, isListed, isWanted, type Note } from "../decision.ts";
import { liveMirrors } from "./ownership.ts";
import { retainedMirrors } from "./removed-links.ts";

/** Federated Services that are not this stack's alone: others may link the same clusters as this one did. */
export function sharedIn({ services }: ClusterSnapshot, stacks: readonly string[]): Set<ObjectKey> {
  return new Set(
    [...services].flatMap(([key, service]) =>
      federated.owns(service) && !isOnlyOurs(service.metadata, stacks) ? [key] : [],
    ),
  );
}

/**
 * Two stacks that mirror one link: each would undo what the other does when they disagree.
 *
 * @param unread parts of targets that can't be read
 */
export function sharedNotes(
  decisions: readonly Decision[],
  unread: ReadonlySet<string>,
  stacks: readonly string[],
): Note[] {
  const keepers = new Map<string, Set<string>>();
  for (const { part, live } of decisions.filter(isWanted)) {
    if (unread.has(part)) continue;
    for (const other of otherStacks(live.service?.metadata ?? {}, stacks))
      keepers.set(part, (keepers.get(part) ?? new Set()).add(other));
  }
  return [...keepers].map(([part, names]) => [
    part,
    `another stack mirrors this as well (${[...names].sort().join(", ")}): take it out of one of the two`,
  ]);
}

/** Notes which mirrors that stay are to get this stack's mark, and which are to lose it, left to another stack. */
export function withMark(decision: Decision, stacks: readonly string[]): Decision {
  const meta = "live" in decision ? decision.live.service?.metadata : undefined;
  if (meta === undefined) return decision;
  const isMarked = isMarkedBy(meta, stacks);
  if (decision.verdict === "handOver") {
    const isTheirs = decision.part !== federatedPart || otherStacks(meta, stacks).length > 0;
    return isTheirs && isMarked ? { ...decision, mark: "release" } : decision;
  }
  const isKept = decision.verdict === "keep" || decision.verdict === "update";
  return isKept && !isMarked && isWanted(decision) && isListed(decision)
    ? { ...decision, mark: "confirm" }
    : decision;
}

/** Where no link is left in the config, the federated Services that are not provably this stack's alone. */
export function othersAmongFederated(
  source: ClusterSnapshot,
  links: readonly unknown[],
  stacks: readonly string[],
): ReturnType<typeof retainedMirrors> {
  return links.length > 0
    ? { retained: new Set(), notes: [] }
    : retainedMirrors(liveMirrors(source, federated), stacks);
}
