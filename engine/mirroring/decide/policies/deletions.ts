import { linkDefaults, type LinkSpec } from "../../model/link.ts";
import type { ObjectMeta } from "../../../kubernetes/objects/objects.ts";
import { federatedPart } from "../../model/owner.ts";
import { clusterOfToken, tokensIn } from "../../model/vocabulary.ts";
import type { ByPart, MirrorsArgs, RemovedLink } from "../../model/state.ts";
import { type Decision, isChange, isSkip, isWrite } from "../../model/decision.ts";
import { count } from "../../../message.ts";

/** With so few mirrors, a percentage means nothing. */
const tooFewToJudge = 10;

export type DeletionLimit = Pick<
  LinkSpec,
  "source" | "target" | "maxDeletions" | "allowDeletions"
> & {
  /** A link that is no longer in the config has no setting that could allow deletions. */
  readonly removed?: boolean;
};

export function limitOfRemoved(
  { source, target, maxDeletions = linkDefaults.maxDeletions }: RemovedLink,
  args: MirrorsArgs,
): DeletionLimit {
  return {
    source,
    target,
    maxDeletions,
    removed: true,
    // The link's own `allowDeletions` was meant for the runs in which it was still in the config.
    allowDeletions: args.allowDeletions === true || args.revokedTargets?.includes(target) === true,
  };
}

export function deletionRefusals(
  decisions: readonly Decision[],
  limits: readonly DeletionLimit[],
): ByPart<string> {
  return Object.fromEntries(
    limits.flatMap((limit) => {
      const sentences = tooManyDeletions(limit, decisions);
      return sentences.length === 0 ? [] : [[limit.target, sentences.join("; ")] as const];
    }),
  );
}

/**
 * Refuses to delete suspiciously much of a link. A wrong context or an empty answer looks as if everything had been
 * un-exported, and a typo in the config as if a link had been removed. The mirrors of the link count, and the members
 * of its target in federated Services, whether or not the Service is deleted with them. A mirror of a former name
 * doesn't count if there is one of the present name, because the link has asked for that.
 *
 * @param decisions about the whole source
 */
export function tooManyDeletions(limit: DeletionLimit, decisions: readonly Decision[]): string[] {
  const { source, target } = limit;
  const own = decisions.flatMap((each) => (each.part !== target || isSkip(each) ? [] : [each]));
  const live = own.filter(({ live: { service, endpoints } }) => service ?? endpoints).length;
  const lost = own.filter((each) => each.verdict === "delete" && each.successor === undefined);
  const { members, leaving } = membersOf(target, decisions);
  const union = `${count(members, "member")} of federated Services`;
  return [
    refusal(limit, lost.length, live, `${count(live, "mirror")} on ${source}`),
    refusal(limit, leaving, members, `${union} on ${source}`),
  ].flatMap((sentence) => sentence ?? []);
}

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
  const link = `link ${source} → ${target}`;
  const cause = removed ? `${link} is no longer in the config, and the run` : link;
  const remedy = removed
    ? `set linkerd-multicluster:linkDefaults.allowDeletions to true for one run; if not, put the link back`
    : `set allowDeletions: true on the link for one run; if not, check that the context of ${target} points to the right cluster and that its Services are still exported`;
  return `${cause} would delete ${deletions} of its ${what}, and maxDeletions (${maxDeletions}) allows ${most}: if that is meant, ${remedy}`;
}

function mostOf(most: LinkSpec["maxDeletions"], live: number): number {
  if (typeof most === "number") return most;
  if (live <= tooFewToJudge) return live;
  return Math.floor((live * Number(most.slice(0, -1))) / 100);
}
