import type { LinkResource } from "../../kubernetes/objects/link-resource.ts";
import { objectKey, type ObjectKey } from "../../kubernetes/objects/objects.ts";
import type { Decided, SourceObservation } from "../decide/decide.ts";
import { type Decision, isSkip, isWanted, type Skipped } from "../decide/decision.ts";
import type { Mirror } from "../model/mirror.ts";
import { federatedPart } from "../model/owner.ts";
import { reasons } from "../model/reasons.ts";
import { makesLinks } from "../model/state.ts";
import { clusterOfToken, tokensIn } from "../model/vocabulary.ts";
import { type LinkStatusList, type StatusEntry, statusUpdate } from "./service-status.ts";

/** A status that is to be kept, of a Link resource that there is. */
export interface KeptLinkStatus extends LinkStatusList {
  readonly live: LinkResource;
  /** The Link does not say so already. */
  readonly isDue: boolean;
}

export type LinkStatuses = readonly KeptLinkStatus[];

/** The status of every Link resource into the source that is this stack's to keep. Pure. */
export function statusesOf(
  { args, source, links, removed, now }: SourceObservation,
  { judged, united }: Decided,
): LinkStatuses {
  const { statusIn } = args;
  if (statusIn === undefined) return [];
  // A Link of somebody else's stays when its link leaves the stack, and would go on naming its mirrors.
  const left = makesLinks(args)
    ? []
    : removed.filter(
        ({ disposition, link }) =>
          disposition === "delete" &&
          !(judged.get(link.target) ?? []).some(({ verdict }) => verdict === "handOver"),
      );
  const read = links.filter(({ target }) => target !== undefined);
  const joined = judged.get(federatedPart) ?? [];
  return [...read, ...left].flatMap(({ link: { target } }) => {
    const key = objectKey(statusIn, target);
    const own = judged.get(target);
    const live = source.links?.get(key);
    // Without the Link resource there is no status to keep.
    if (live === undefined || own === undefined) return [];
    return [mirrorStatus(key, own), federatedStatus(key, target, united, joined)].map((status) => {
      return { ...status, live, isDue: statusUpdate(status, live, new Map(), now) !== undefined };
    });
  });
}

/** `status.mirrorServices` of a link, by the decisions about it; endpoint mirrors belong to their headless one. */
export function mirrorStatus(link: ObjectKey, decisions: readonly Decision[]) {
  const mirrored = decisions
    .filter(isWanted)
    .filter(({ kind }) => kind !== "endpoint")
    .map(({ key, wanted: { origin } }) => ({ remote: origin, local: key }));
  const entries = [...mirrored, ...problems(decisions.filter(isSkip))];
  return { link, list: "mirrorServices", entries } as const;
}

/**
 * `status.federatedServices` of one of the links that feed the federated Services.
 *
 * @param desired all federated Services, those that cannot be had included: that is every member's problem
 */
export function federatedStatus(
  link: ObjectKey,
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
  return { link, list: "federatedServices", entries: [...entries, ...problems(own)] } as const;
}

/** A Service that asks for nothing this link does has no place in its status. */
function problems(skips: readonly Skipped[]): StatusEntry[] {
  return skips
    .filter(({ hostname }) => hostname === undefined)
    .map(({ key, origin, reason, sentence }) => ({
      ...{ remote: origin, local: key },
      problem: { reason: reasons[reason].status, sentence },
    }));
}
