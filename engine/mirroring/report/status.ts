import { valueIn } from "../../base/result.ts";
import type { LinkResource } from "../../kubernetes/objects/link-resource.ts";
import { objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import type { Decided } from "../decide/decide.ts";
import type { SourceObservation } from "../decide/desired.ts";
import { type Decision, isSkip, isWanted, type Skipped } from "../../model/decision.ts";
import { kinds, type Mirror } from "../../model/mirror.ts";
import { federatedPart } from "../../model/owner.ts";
import { reasons } from "../../model/reasons.ts";
import { makesLinks } from "../../model/state.ts";
import { markedByOthers, othersEntries } from "./others-status.ts";
import { clusterOfToken, tokensIn } from "../../model/vocabulary.ts";
import { type StatusEntry, statusUpdate } from "../../model/service-status.ts";
import {
  type TrustRoots,
  type TrustRootsStatus,
  trustRootsUpdate,
} from "../../model/trust-roots.ts";
import type { LinkStatusPart } from "./outcome.ts";

export function statusesOf(
  { args, source, links, removed, now, stacks }: SourceObservation,
  { decisionsByPart, federatedMirrors }: Decided,
): readonly LinkStatusPart[] {
  const { statusIn } = args;
  if (statusIn === undefined) return [];
  // Somebody else's Link stays when its link is removed from the stack, and must no longer name its mirrors.
  const left = makesLinks(args)
    ? []
    : removed.filter(
        ({ disposition, link }) =>
          disposition === "delete" &&
          !(decisionsByPart.get(link.target) ?? []).some(({ verdict }) => verdict === "handOver"),
      );
  const joined = decisionsByPart.get(federatedPart) ?? [];
  return [...links, ...left].flatMap((each) => {
    const { target } = each.link;
    const link = objectKey(statusIn, target);
    const own = decisionsByPart.get(target);
    const live = source.links?.get(link);
    if (live === undefined || own === undefined) return [];
    const marked = markedByOthers(target, source, stacks);
    const statuses = [mirrorStatus(own), federatedStatus(target, federatedMirrors, joined)];
    const roots = "trustRoots" in each ? valueIn(each.trustRoots) : undefined;
    const trust = roots === undefined ? [] : [trustRootsStatus(link, roots, live, now)];
    const lists = statuses.map((lists) => {
      const others = othersEntries(lists, live, "target" in each ? each : undefined, marked);
      const status = { ...lists, others };
      const isDue = statusUpdate(status, live, new Map(), now) !== undefined;
      return { link, ...status, live, isDue };
    });
    return [...lists, ...trust];
  });
}

function trustRootsStatus(
  link: ObjectKey,
  roots: TrustRoots,
  live: LinkResource,
  now: Date,
): TrustRootsStatus {
  const isDue = trustRootsUpdate(roots, live, now) !== undefined;
  return { link, list: "trustRoots", roots, live, isDue };
}

/** Endpoint mirrors are part of their headless mirror's entry. */
export function mirrorStatus(decisions: readonly Decision[]) {
  const mirrored = decisions
    .filter(isWanted)
    .filter(({ kind }) => !kinds[kind].isOfPod && kind !== "probe")
    .map(({ key, wanted: { origin } }) => ({ remote: origin, local: key }));
  const entries = [...mirrored, ...problems(decisions.filter(isSkip))];
  return { list: "mirrorServices", entries } as const;
}

/** @param desired includes federated Services that can't be created: each member's status reports that */
export function federatedStatus(
  target: string,
  desired: readonly Mirror[],
  decisions: readonly Decision[],
) {
  const listing = desired.filter(({ annotations }) =>
    tokensIn(annotations).some((token) => clusterOfToken(token) === target),
  );
  const origins = new Set(listing.map(({ origin }) => origin));
  const joined = decisions.filter(isWanted).filter(({ wanted }) => origins.has(wanted.origin));
  const own = decisions
    .filter(isSkip)
    .filter(({ cluster, origin }) =>
      cluster === undefined ? origins.has(origin) : cluster === target,
    );
  const entries = joined.map(({ key, wanted }) => ({ remote: wanted.origin, local: key }));
  return { list: "federatedServices", entries: [...entries, ...problems(own)] } as const;
}

/** A Service that isn't labelled for this link has no entry in its status. */
function problems(skips: readonly Skipped[]): StatusEntry[] {
  return skips
    .filter(({ hostname }) => hostname === undefined)
    .map(({ key, origin, reason, sentence }) => ({
      remote: origin,
      local: key,
      problem: { reason: reasons[reason].status, sentence },
    }));
}
