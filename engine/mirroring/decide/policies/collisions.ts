import type { StringMap } from "../../../kubernetes/objects/objects.ts";
import { type Mirror, mirrorKey } from "../../model/mirror.ts";
import { federatedPart, ownerOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { annotation } from "../../model/vocabulary.ts";
import type { Refusal } from "./rules.ts";

/** A mirror together with the part of the source's mirrors that asks for it. */
export interface NameClaim {
  /** Name of the link's target, or `federated`. */
  readonly part: string;
  readonly mirror: Mirror;
}

/**
 * Mirrors that may not have their names, each with the part that asks for it.
 *
 * A name has one meaning, whoever exports what, and whoever came first: `web-eu-west` is cluster
 * `eu-west`'s, and never that of `web-eu` of cluster `west`, which could take it on purpose. So names can
 * only collide within one target, as pod `db-0` and Service `db-0` do. Then nobody gets it, so that
 * the outcome never depends on an order. A mirror that has its name already keeps it.
 *
 * @param targets of the links into the source, those that are away or mirrored by others included
 */
export function colliding(
  claims: readonly NameClaim[],
  source: ClusterSnapshot,
  targets: readonly string[],
): (Refusal & NameClaim)[] {
  const reason = "CollidingName";
  const refused: (Refusal & NameClaim)[] = [];
  const rightful = claims.filter((claim) => {
    const of = entitled(claim, targets);
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

/** The cluster whose mirrors' names end like this one, if it is another: that with the longest name. */
function entitled({ part, mirror }: NameClaim, targets: readonly string[]): string | undefined {
  return targets
    .filter((target) => target.endsWith(`-${part}`) && mirror.name.endsWith(`-${target}`))
    .sort((a, b) => b.length - a.length)
    .at(0);
}

function holds({ mirror, part }: NameClaim, source: ClusterSnapshot): boolean {
  const live = source.services.get(mirrorKey(mirror));
  return (
    live !== undefined &&
    ownerOf(part).owns(live) &&
    withoutDomain(live.metadata.annotations) === withoutDomain(mirror.annotations)
  );
}

/** The domain is the link's to change, and changes nothing about whose the name is. */
function withoutDomain(annotations: StringMap = {}): string | undefined {
  return annotations[annotation.remoteName]?.replace(/\.svc\..*/, "");
}

function words({ mirror, part }: NameClaim): string {
  if (part === federatedPart) return `the federated Service of ${mirror.origin}`;
  const what = mirror.hostname === undefined ? "" : `pod ${mirror.hostname} of `;
  return `${what}${mirror.origin} of cluster ${part}`;
}
