import { omitUndefined } from "../../../base/omit-undefined.ts";
import type { ObjectKey } from "../../../kubernetes/objects/objects.ts";
import { type Decision, type Deletion, isWanted } from "../../../model/decision.ts";
import { metaOf, rootOf } from "../../../model/live-mirrors.ts";
import { type Mirror, mirrorKey } from "../../../model/mirror.ts";
import { federatedPart } from "../../../model/owner.ts";

/** Names of mirrors that this run would delete, and that another link claims. */
export type FreedNames = ReadonlyMap<ObjectKey, Deletion>;

export const noneFreed: FreedNames = new Map();

/**
 * Finds mirrors that go from one link to another, which relabels them: deleted now and created by the next run, nobody
 * would have them in between.
 *
 * @param stays returns whether a mirror stays where it is, whatever its link decides
 */
export function freedNames(
  decisions: readonly Decision[],
  claims: readonly { readonly mirror: Mirror }[],
  stays: (decision: Deletion) => boolean,
): FreedNames {
  const going = new Map(
    decisions
      .filter((each) => each.verdict === "delete")
      .filter((each) => each.part !== federatedPart && !stays(each))
      .map((each) => [each.key, each]),
  );
  const freed = claims.flatMap(({ mirror }) => {
    const given = going.get(mirrorKey(mirror));
    return given === undefined ? [] : [[given.key, given] as const];
  });
  const claimed = new Set(freed.map(([key]) => key));
  // A headless mirror that goes by itself must not name another link's mirror in the meantime.
  const isNamed = ({ key, live }: Deletion) => {
    const root = rootOf(key, metaOf(live));
    return going.has(root) && !claimed.has(root);
  };
  return new Map(freed.filter(([, given]) => !isNamed(given)));
}

/** Says of each deletion which link takes the mirror over in its place. */
export function withTakers(decisions: readonly Decision[], freed: FreedNames): Decision[] {
  const takers = new Map(
    decisions.filter(isWanted).flatMap(({ key, part }) => (freed.has(key) ? [[key, part]] : [])),
  );
  return decisions.map((each) =>
    each.verdict === "delete"
      ? { ...each, ...omitUndefined({ takenBy: takers.get(each.key) }) }
      : each,
  );
}
