import type { ObjectKey } from "../../kubernetes/objects.ts";
import { mirrorKey } from "../desired/refuse.ts";
import { federated } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { isMarkedBy, isOnlyOurs, otherStacks } from "../model/stack-mark.ts";
import type { SourcePlan } from "../plan/change.ts";
import type { ByPart } from "./state.ts";

/** Federated Services that are not this stack's alone: others may link the same clusters as this one did. */
export function sharedIn({ services }: ClusterSnapshot, stacks: readonly string[]): Set<ObjectKey> {
  return new Set(
    [...services].flatMap(([key, service]) =>
      federated.owns(service) && !isOnlyOurs(service.metadata, stacks) ? [key] : [],
    ),
  );
}

/** By part, mirrors that are right and do not carry this stack's mark yet. */
export function unconfirmedIn(
  parts: SourcePlan,
  { services }: ClusterSnapshot,
  stacks: readonly string[],
): ByPart<readonly ObjectKey[]> {
  return Object.fromEntries(
    [...parts].flatMap(([part, { wanted, mirrors, changes }]) => {
      // A change may be about the Endpoints alone.
      const written = new Set(
        changes.flatMap(({ action, key }) => (action === "update" ? [] : [key])),
      );
      const keys = wanted.map(mirrorKey).filter((key) => {
        const meta = services.get(key)?.metadata;
        const isOurs = meta !== undefined && mirrors[key] !== undefined;
        return isOurs && !written.has(key) && !isMarkedBy(meta, stacks);
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
