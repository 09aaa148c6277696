import { mirrorKey, type Refusal } from "../desired/refuse.ts";
import type { Mirror } from "../model/mirror.ts";
import type { ObjectKey, StringMap } from "../../kubernetes/objects.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { federated, mirrorsOf } from "../model/owner.ts";
import { annotation } from "../model/vocabulary.ts";

/** A mirror together with the cluster whose link asks for it; a federated Service has none. */
export interface Claim {
  readonly target?: string;
  readonly mirror: Mirror;
}

/**
 * Names that more than one mirror would have, in one link or across all links into a source:
 * `a-b` of cluster `c` and `a` of cluster `b-c`, or pod `db-0` and Service `db-0`. Whoever has the
 * name already keeps it; otherwise nobody gets it, so that the outcome never depends on an order.
 */
export function colliding(
  own: readonly Claim[],
  others: readonly Claim[],
  source: ClusterSnapshot,
): Refusal[] {
  const byKey = new Map<ObjectKey, Claim[]>();
  for (const claim of [...own, ...others]) {
    const key = mirrorKey(claim.mirror);
    const claims = byKey.get(key);
    if (claims === undefined) byKey.set(key, [claim]);
    else claims.push(claim);
  }
  return own.flatMap((claim) => {
    const key = mirrorKey(claim.mirror);
    const rivals = (byKey.get(key) ?? []).filter((other) => other !== claim);
    if (rivals.length === 0 || holds(claim, source)) return [];
    const wanted = [claim, ...rivals].map(words).sort().join(" and for ");
    const sentence = `the name ${key} on ${source.cluster} is wanted for ${wanted}: rename one of them`;
    return [{ mirror: claim.mirror, reason: "CollidingName" as const, sentence }];
  });
}

function holds({ mirror, target }: Claim, source: ClusterSnapshot): boolean {
  const live = source.services.get(mirrorKey(mirror));
  const owner = target === undefined ? federated : mirrorsOf(target);
  return (
    live !== undefined &&
    owner.owns(live) &&
    withoutDomain(live.metadata.annotations) === withoutDomain(mirror.annotations)
  );
}

/** The domain is the link's to change, and changes nothing about whose the name is. */
function withoutDomain(annotations: StringMap = {}): string | undefined {
  return annotations[annotation.remoteName]?.replace(/\.svc\..*/, "");
}

function words({ mirror, target }: Claim): string {
  if (target === undefined) return `the federated Service of ${mirror.origin}`;
  const what = mirror.hostname === undefined ? "" : `pod ${mirror.hostname} of `;
  return `${what}${mirror.origin} of cluster ${target}`;
}
