import type { ObjectKey } from "../../../kubernetes/objects/objects.ts";
import {
  federated,
  federatedPart,
  isMarkedBy,
  isOnlyOurs,
  otherStacks,
} from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { type Decision, isWanted } from "../decision.ts";
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

/** Two stacks that mirror one link: each would undo what the other does when they disagree. */
export function sharedNotes(
  decisions: readonly Decision[],
  stacks: readonly string[],
): (readonly [part: string, sentence: string])[] {
  const keepers = new Map<string, Set<string>>();
  for (const { part, live } of decisions.filter(isWanted))
    for (const other of otherStacks(live.service?.metadata ?? {}, stacks))
      keepers.set(part, (keepers.get(part) ?? new Set()).add(other));
  return [...keepers].map(([part, names]) => [
    part,
    `another stack mirrors this as well (${[...names].sort().join(", ")}): take it out of one of the two`,
  ]);
}

/** The mirrors that are left to another stack and carry a mark of this one, which is to be taken off. */
export function releasedIn(decisions: readonly Decision[], stacks: readonly string[]): ObjectKey[] {
  return decisions.flatMap((decision) => {
    if (decision.verdict !== "handOver") return [];
    const { part, key, live } = decision;
    const meta = live.service?.metadata ?? {};
    const isTheirs = part !== federatedPart || otherStacks(meta, stacks).length > 0;
    return isTheirs && isMarkedBy(meta, stacks) ? [key] : [];
  });
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
