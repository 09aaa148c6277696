import type { ObjectKey } from "../../kubernetes/objects.ts";
import { mirrorKey } from "../desired/refuse.ts";
import { federated } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { isMarkedBy, otherStacks } from "../model/stack-mark.ts";
import type { SourcePlan } from "../plan/change.ts";
import type { ByPart } from "./state.ts";

/** Federated Services that another stack keeps, which may link the same clusters as this one did. */
export function sharedIn({ services }: ClusterSnapshot, stacks: readonly string[]): Set<ObjectKey> {
  return new Set(
    [...services].flatMap(([key, service]) =>
      federated.owns(service) && otherStacks(service.metadata, stacks).length > 0 ? [key] : [],
    ),
  );
}

/** By part, mirrors that are right, but so far confirmed by another stack alone. */
export function unconfirmedIn(
  parts: SourcePlan,
  { services }: ClusterSnapshot,
  stacks: readonly string[],
): ByPart<readonly ObjectKey[]> {
  return Object.fromEntries(
    [...parts].flatMap(([part, { wanted, changes }]) => {
      const written = new Set(changes.map(({ key }) => key));
      const keys = wanted.map(mirrorKey).filter((key) => {
        const meta = services.get(key)?.metadata;
        return (
          meta !== undefined &&
          !written.has(key) &&
          otherStacks(meta, stacks).length > 0 &&
          !isMarkedBy(meta, stacks)
        );
      });
      return keys.length === 0 ? [] : [[part, keys] as const];
    }),
  );
}

/** Two stacks that mirror one link: each would undo what the other does when they disagree. */
export function sharedNotes(
  parts: SourcePlan,
  source: ClusterSnapshot,
  stacks: readonly string[],
): (readonly [string, string])[] {
  return [...parts].flatMap(([part, { wanted }]) => {
    const keepers = new Set(
      wanted.flatMap((mirror) => {
        const meta = source.services.get(mirrorKey(mirror))?.metadata;
        return meta === undefined ? [] : otherStacks(meta, stacks);
      }),
    );
    if (keepers.size === 0) return [];
    const names = [...keepers].sort().join(", ");
    return [
      [
        part,
        `another stack mirrors this as well (${names}): take it out of one of the two`,
      ] as const,
    ];
  });
}
