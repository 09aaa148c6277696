import type { ObjectKey, StringMap } from "../../../kubernetes/objects/objects.ts";
import { type Refusal } from "./refuse.ts";
import { type Mirror, mirrorKey } from "../../model/mirror.ts";
import { federatedPart, ownerOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { annotation } from "../../model/vocabulary.ts";

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
): (Refusal & { readonly part: string })[] {
  const refused = (claim: NameClaim, sentence: string) => ({
    ...claim,
    reason: "CollidingName" as const,
    sentence,
  });
  const encroaching = new Map(
    claims.flatMap((claim) => {
      const of = entitled(claim, targets);
      return of === undefined || holds(claim, source) ? [] : [[claim, of] as const];
    }),
  );
  const both = contested(claims.filter((claim) => !encroaching.has(claim)));
  return [
    ...[...encroaching].map(([claim, of]) =>
      refused(
        claim,
        `${words(claim)} would be named ${mirrorKey(claim.mirror)} on ${source.cluster}, and names that end in -${of} are for the mirrors of cluster ${of}: rename it`,
      ),
    ),
    ...both.flatMap(([key, rivals]) => {
      const wanted = rivals.map(words).sort().join(" and ");
      const all = rivals.length === 2 ? "both" : "all";
      const sentence = `${wanted} would ${all} be named ${key} on ${source.cluster}: rename one of them`;
      return rivals
        .filter((claim) => !holds(claim, source))
        .map((claim) => refused(claim, sentence));
    }),
  ];
}

/** The cluster whose mirrors' names end like this one, if it is another: that with the longest name. */
function entitled({ part, mirror }: NameClaim, targets: readonly string[]): string | undefined {
  return targets
    .filter((target) => target.endsWith(`-${part}`) && mirror.name.endsWith(`-${target}`))
    .sort((a, b) => b.length - a.length)
    .at(0);
}

/** The names that several claim, in their order; of any number of claims, nearly all are the only one of theirs. */
function contested(claims: readonly NameClaim[]): [ObjectKey, readonly NameClaim[]][] {
  const names = new Set<ObjectKey>();
  const several = new Map<ObjectKey, NameClaim[]>();
  for (const { mirror } of claims) {
    const key = mirrorKey(mirror);
    if (names.has(key)) several.set(key, []);
    else names.add(key);
  }
  if (several.size > 0)
    for (const claim of claims) several.get(mirrorKey(claim.mirror))?.push(claim);
  return [...several].sort(([a], [b]) => (a < b ? -1 : 1));
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
