import { keyOf, objectKey, type Service } from "../../kubernetes/objects.ts";
import type { LinkSpec } from "../model/link.ts";
import type { Mirror } from "../model/mirror.ts";
import { federated, mirrorsOf } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { federatedName, memberToken, tokensIn } from "../model/vocabulary.ts";
import { mirrorKey, type Refusal } from "./refuse.ts";

/**
 * How much one target may bring into a source. Almost every mirror takes one of the source's ClusterIPs, of
 * which a cluster may have no more than a few thousand: a target must not be able to use them up.
 * What exists stays; of what is new, the first by name fit in.
 */

/** Why a mirror, or a member of a federated Service, is one too many. */
type TooMany = Pick<Refusal, "reason" | "sentence">;

/** The mirrors of a link that are beyond its `maxMirrors`. */
export function beyondLimit(
  mirrors: readonly Mirror[],
  link: LinkSpec,
  source: ClusterSnapshot,
): Refusal[] {
  const { owns } = mirrorsOf(link.target);
  const isThere = (mirror: Mirror) => {
    const live = source.services.get(mirrorKey(mirror));
    return live !== undefined && owns(live);
  };
  return beyond(mirrors, isThere, link).map((mirror) => ({
    mirror,
    ...tooMany(link, `${mirrors.length} mirrors`),
  }));
}

/** The Services of a link's target that would be members beyond its `maxMirrors`, each with why. */
export function membersBeyondLimit(
  services: readonly Service[],
  link: LinkSpec,
  source: ClusterSnapshot,
): ReadonlyMap<Service, TooMany> {
  const isThere = ({ metadata: { namespace, name } }: Service) => {
    const live = source.services.get(objectKey(namespace, federatedName(name)));
    const token = memberToken(name, link.target);
    return (
      live !== undefined &&
      federated.owns(live) &&
      tokensIn(live.metadata.annotations ?? {}).includes(token)
    );
  };
  const sorted = services.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const why = tooMany(link, `${services.length} members of federated Services`);
  return new Map(beyond(sorted, isThere, link).map((service) => [service, why]));
}

function beyond<T>(
  all: readonly T[],
  isThere: (one: T) => boolean,
  { maxMirrors }: LinkSpec,
): readonly T[] {
  if (all.length <= maxMirrors) return [];
  const added = all.filter((one) => !isThere(one));
  const room = Math.max(0, maxMirrors - (all.length - added.length));
  return added.slice(room);
}

/** One sentence for all of a link, so that it is told once. */
function tooMany({ source, target, maxMirrors }: LinkSpec, what: string): TooMany {
  return {
    reason: "TooManyMirrors",
    sentence: `${target} exports what would be ${what} on ${source}, and maxMirrors of link ${source}/${target} allows ${maxMirrors}: see whether all of that is meant to be exported, and raise maxMirrors on the link if it is`,
  };
}
