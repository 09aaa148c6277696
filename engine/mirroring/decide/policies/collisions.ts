import { type Mirror, mirrorKey } from "../../model/mirror.ts";
import { federatedPart, ownerOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { remotePath } from "../../model/vocabulary.ts";
import type { Refusal } from "./rules.ts";

export interface NameClaim {
  /** Names the link's target, or is `federated`. */
  readonly part: string;
  readonly mirror: Mirror;
}

/**
 * Finds mirrors that may not have their names.
 * A name means one thing, whoever exports what and whoever was first: `web-eu-west` belongs to cluster `eu-west`, and
 * never to `web-eu` of cluster `west`, which could otherwise take it on purpose. So names can collide only within one
 * target, as pod `db-0` and Service `db-0` do. Then neither gets the name, so that the result doesn't depend on an
 * order. An existing mirror keeps its name.
 *
 * @param targets whose mirrors have Linkerd's names, including those that are unreachable or mirrored by others
 */
export function colliding(
  claims: readonly NameClaim[],
  source: ClusterSnapshot,
  targets: readonly string[],
): (Refusal & NameClaim)[] {
  const reason = "CollidingName";
  const refused: (Refusal & NameClaim)[] = [];
  const rightful = claims.filter((claim) => {
    const of = rightfulOwner(claim, targets);
    if (of === undefined || holds(claim, source)) return true;
    const sentence = `${words(claim)} would be named ${mirrorKey(claim.mirror)} on ${source.cluster}, and names that end in -${of} are for the mirrors of cluster ${of}: rename it`;
    refused.push({ ...claim, reason, sentence });
    return false;
  });
  for (const [key, rivals] of Map.groupBy(rightful, ({ mirror }) => mirrorKey(mirror))) {
    if (rivals.length === 1) continue;
    const wanted = rivals.map(words).sort().join(" and ");
    const all = rivals.length === 2 ? "both" : "all";
    const sentence = `${wanted} would ${all} be named ${key} on ${source.cluster}: rename one of them`;
    for (const claim of rivals)
      if (!holds(claim, source)) refused.push({ ...claim, reason, sentence });
  }
  return refused;
}

/** Returns the cluster with the longest name that fits the end of this mirror's name, if it is another one. */
function rightfulOwner(
  { part, mirror }: NameClaim,
  targets: readonly string[],
): string | undefined {
  const isOwnSuffix = part === federatedPart || mirror.name.endsWith(`-${part}`);
  return targets
    .filter((target) => target !== part && (!isOwnSuffix || target.endsWith(`-${part}`)))
    .filter((target) => mirror.name.endsWith(`-${target}`))
    .sort((a, b) => b.length - a.length)
    .at(0);
}

function holds({ mirror, part }: NameClaim, source: ClusterSnapshot): boolean {
  const live = source.services.get(mirrorKey(mirror));
  return (
    live !== undefined &&
    ownerOf(part).owns(live) &&
    remotePath(live.metadata.annotations) === remotePath(mirror.annotations)
  );
}

function words({ mirror, part }: NameClaim): string {
  if (part === federatedPart) return `the federated Service of ${mirror.origin}`;
  const what = mirror.hostname === undefined ? "" : `pod ${mirror.hostname} of `;
  return `${what}${mirror.origin} of cluster ${part}`;
}
