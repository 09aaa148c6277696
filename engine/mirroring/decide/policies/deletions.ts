import type { LinkSpec } from "../../model/link.ts";
import type { ObjectMeta } from "../../../kubernetes/objects/objects.ts";
import { federatedPart } from "../../model/owner.ts";
import { clusterOfToken, tokensIn } from "../../model/vocabulary.ts";
import { type Decision, isChange, isDeletion, isSkip, isWrite } from "../decision.ts";
import { count } from "../../model/text.ts";

/** Up to this many, a share of them says nothing. */
const tooFewToJudge = 10;

/** What decides how much one run may take away of what a link has brought. */
export type DeletionLimit = Pick<
  LinkSpec,
  "source" | "target" | "maxDeletions" | "allowDeletions"
> & {
  /** The link is no longer in the config, where it could be given leave to delete. */
  readonly removed?: boolean;
};

/**
 * The sentences that stop a link of which a run would delete suspiciously much: a wrong context or an empty answer
 * looks just like everything having been un-exported, and a slip in the config like a link that has been removed.
 * Counted are the mirrors of the link, and in federated Services the members of its target: a member that leaves
 * counts as a deletion, whether or not the Service goes with it.
 *
 * @param decisions about the whole source
 */
export function tooManyDeletions(limit: DeletionLimit, decisions: readonly Decision[]): string[] {
  const { source, target } = limit;
  const own = decisions.flatMap((each) => (each.part !== target || isSkip(each) ? [] : [each]));
  const live = own.filter(({ live: { service, endpoints } }) => service ?? endpoints).length;
  const { members, leaving } = membersOf(target, decisions);
  const union = `${count(members, "member")} of federated Services`;
  return [
    refusal(limit, own.filter(isDeletion).length, live, `${count(live, "mirror")} on ${source}`),
    refusal(limit, leaving, members, `${union} on ${source}`),
  ].flatMap((sentence) => sentence ?? []);
}

/** How many members a cluster has in federated Services, and how many of them leave. */
function membersOf(target: string, decisions: readonly Decision[]) {
  let members = 0;
  let leaving = 0;
  for (const decision of decisions) {
    if (decision.part !== federatedPart || isSkip(decision)) continue;
    const listed = tokensOf(decision.live.service?.metadata, target);
    members += listed.length;
    if (!isChange(decision)) continue;
    const stay = isWrite(decision) ? tokensOf(decision.wanted, target) : [];
    leaving += listed.filter((token) => !stay.includes(token)).length;
  }
  return { members, leaving };
}

function tokensOf(annotated: Pick<ObjectMeta, "annotations"> | undefined, target: string) {
  return tokensIn(annotated?.annotations ?? {}).filter((token) => clusterOfToken(token) === target);
}

function refusal(
  limit: DeletionLimit,
  deletions: number,
  live: number,
  what: string,
): string | undefined {
  const { source, target, maxDeletions, allowDeletions, removed = false } = limit;
  const most = mostOf(maxDeletions, live);
  if (allowDeletions || deletions <= most) return undefined;
  const link = `link ${source}/${target}`;
  const cause = removed ? `${link} is no longer in the config, and the run` : link;
  const remedy = removed
    ? `set linkerd-multicluster:linkDefaults.allowDeletions to true for one run; if not, put the link back`
    : `set allowDeletions: true on the link for one run; if not, see whether ${target} is the cluster you think and its Services are still exported`;
  return `${cause} would delete ${deletions} of its ${what}, and maxDeletions (${maxDeletions}) allows ${most}: if that is meant, ${remedy}`;
}

function mostOf(most: LinkSpec["maxDeletions"], live: number): number {
  if (typeof most === "number") return most;
  if (live <= tooFewToJudge) return live;
  return Math.floor((live * Number(most.slice(0, -1))) / 100);
}
