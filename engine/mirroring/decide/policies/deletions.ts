import { linkDefaults, type LinkSpec } from "../../model/link.ts";
import type { ObjectKey, ObjectMeta } from "../../../kubernetes/objects/objects.ts";
import { metaOf } from "../../model/live-mirrors.ts";
import { marksOn } from "../../model/marks.ts";
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

/** A guard can judge nothing but a plan of the whole source. */
export interface CountedPlan {
  readonly decisions: readonly Decision[];
  /** The names of this stack, whose marks count. */
  readonly stacks: readonly string[];
  /** The target itself says that the pods of these mirrors are gone (absent-pods.ts). */
  readonly proven?: ReadonlySet<ObjectKey>;
}

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
  plan: CountedPlan,
  limits: readonly DeletionLimit[],
): ByPart<string> {
  return Object.fromEntries(
    limits.flatMap((limit) => {
      const sentences = tooManyDeletions(limit, plan);
      return sentences.length === 0 ? [] : [[limit.target, sentences.join("; ")] as const];
    }),
  );
}

/**
 * Refuses to delete suspiciously much of a link. A wrong context or an empty answer looks as if everything had been
 * un-exported, and a typo in the config as if a link had been removed. The mirrors of the link count, and the members
 * of its target in federated Services, whether or not the Service is deleted with them. What another stack has marked
 * doesn't count, since no run of this stack deletes it. Nor does a mirror of a former name if there is one of the present
 * name, because the link has asked for that, or a mirror whose pod is provably gone.
 */
export function tooManyDeletions(limit: DeletionLimit, plan: CountedPlan): string[] {
  const { source, target } = limit;
  const { decisions, stacks, proven } = plan;
  const live = decisions.flatMap((each) => {
    if (each.part !== target || isSkip(each)) return [];
    const { service, endpoints } = each.live;
    const isCounted =
      each.verdict === "delete" || marksOn(metaOf(each.live), stacks).others.length === 0;
    return (service ?? endpoints) !== undefined && isCounted ? [each] : [];
  });
  const unproven = live.filter(({ key }) => proven?.has(key) !== true);
  const lost = unproven.filter((each) => each.verdict === "delete" && each.successor === undefined);
  const { members, leaving } = membersOf(target, plan);
  const union = `${count(members, "member")} of federated Services`;
  const mirrors = `${count(unproven.length, "mirror")} on ${source}`;
  return [
    refusal(limit, lost.length, { all: live.length, counted: unproven.length }, mirrors),
    refusal(limit, leaving, { all: members, counted: members }, `${union} on ${source}`),
  ].flatMap((sentence) => sentence ?? []);
}

function membersOf(target: string, { decisions, stacks }: CountedPlan) {
  let members = 0;
  let leaving = 0;
  for (const decision of decisions) {
    if (decision.part !== federatedPart || isSkip(decision)) continue;
    const { metadata } = decision.live.service ?? {};
    const listed = tokensOf(metadata, target);
    const stay = isWrite(decision) ? tokensOf(decision.wanted, target) : [];
    const left = isChange(decision) ? listed.filter((token) => !stay.includes(token)).length : 0;
    const isCounted = marksOn(metadata ?? {}, stacks, target).others.length === 0;
    members += isCounted ? listed.length : left;
    leaving += left;
  }
  return { members, leaving };
}

function tokensOf(annotated: Pick<ObjectMeta, "annotations"> | undefined, target: string) {
  return tokensIn(annotated?.annotations ?? {}).filter((token) => clusterOfToken(token) === target);
}

function refusal(
  limit: DeletionLimit,
  deletions: number,
  live: Live,
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

/** How many exist, and of how many this run may delete a share. */
interface Live {
  readonly all: number;
  readonly counted: number;
}

function mostOf(most: LinkSpec["maxDeletions"], { all, counted }: Live): number {
  if (typeof most === "number") return most;
  if (all <= tooFewToJudge) return counted;
  return Math.floor((counted * Number(most.slice(0, -1))) / 100);
}
