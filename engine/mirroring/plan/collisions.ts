import type { ObjectKey, StringMap } from "../../kubernetes/objects.ts";
import { mirrorKey, type Refusal } from "../desired/refuse.ts";
import type { Mirror } from "../model/mirror.ts";
import { federatedPart, ownerOf } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { annotation } from "../model/vocabulary.ts";

/** A mirror together with the part of the source's mirrors that asks for it. */
export interface Claim {
  /** Name of the link's target, or `federated`. */
  readonly part: string;
  readonly mirror: Mirror;
}

/**
 * Names that more than one mirror would have, in one link or across all links into a source:
 * `a-b` of cluster `c` and `a` of cluster `b-c`, or pod `db-0` and Service `db-0`. Whoever has the
 * name already keeps it; otherwise nobody gets it, so that the outcome never depends on an order.
 *
 * @returns the refusals, each with the part whose mirror it is about
 */
export function colliding(
  claims: readonly Claim[],
  source: ClusterSnapshot,
): (Refusal & { readonly part: string })[] {
  return contested(claims).flatMap(([key, rivals]) => {
    const wanted = rivals.map(words).sort().join(" and ");
    const sentence = `${wanted} would all be named ${key} on ${source.cluster}: rename one of them`;
    const refused = rivals.filter((claim) => !holds(claim, source));
    return refused.map(({ part, mirror }) => ({
      part,
      mirror,
      reason: "CollidingName" as const,
      sentence: rivals.length === 2 ? sentence.replace("would all be", "would both be") : sentence,
    }));
  });
}

/** The names that several claim, in their order; of any number of claims, nearly all are the only one of theirs. */
function contested(claims: readonly Claim[]): [ObjectKey, readonly Claim[]][] {
  const names = new Set<ObjectKey>();
  const several = new Map<ObjectKey, Claim[]>();
  for (const { mirror } of claims) {
    const key = mirrorKey(mirror);
    if (names.has(key)) several.set(key, []);
    else names.add(key);
  }
  if (several.size > 0)
    for (const claim of claims) several.get(mirrorKey(claim.mirror))?.push(claim);
  return [...several].sort(([a], [b]) => (a < b ? -1 : 1));
}

function holds({ mirror, part }: Claim, source: ClusterSnapshot): boolean {
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

function words({ mirror, part }: Claim): string {
  if (part === federatedPart) return `the federated Service of ${mirror.origin}`;
  const what = mirror.hostname === undefined ? "" : `pod ${mirror.hostname} of `;
  return `${what}${mirror.origin} of cluster ${part}`;
}
