import { linkDefaults, type LinkSpec } from "../../../model/link.ts";
import type { ObjectKey, ObjectMeta } from "../../../kubernetes/objects/objects.ts";
import { metaOf } from "../../../model/live-mirrors.ts";
import { marksOn } from "../../../model/marks.ts";
import { federatedPart } from "../../../model/owner.ts";
import { clusterOfToken, tokensIn } from "../../../model/vocabulary.ts";
import type { ByPart, MirrorsArgs, RemovedLink } from "../../../model/state.ts";
import { type Decision, isChange, isSkip, isWrite } from "../../../model/decision.ts";
import { count, listed } from "../../../base/message.ts";

/** With so few mirrors, a percentage means nothing. */
const tooFewToJudge = 10;

export type DeletionLimit = Pick<
  LinkSpec,
  "source" | "target" | "maxDeletions" | "allowDeletions"
> & {
  /** A link that is no longer in the config has no setting that could allow deletions. */
  readonly removed?: boolean;
  /** The config asks for its members to leave. */
  readonly drained?: boolean;
};

/** A guard can judge nothing but a plan of the whole source. */
export interface CountedPlan {
  readonly decisions: readonly Decision[];
  /** The names of this stack, whose marks count. */
  readonly stacks: readonly string[];
  /** The target itself says that the pods of these mirrors are gone (absent-pods.ts). */
  readonly proven?: ReadonlySet<ObjectKey>;
  /** Returns whether state lists the mirror, or the federated Service, as one of this stack. */
  readonly isListed: (part: string, key: ObjectKey) => boolean;
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

export interface GuardedDeletions {
  /** The reason by target whose link deletes too much. */
  readonly refusals: ByPart<string>;
  /** By target, too many objects that look like mirrors of its link, or have members of it, and that state doesn't list. */
  readonly doubtful: ReadonlyMap<string, ReadonlySet<ObjectKey>>;
}

/**
 * Refuses to delete suspiciously much of a link. A wrong context or an empty answer looks as if everything had been
 * un-exported, and a typo in the config as if a link had been removed. The mirrors of the link count, and the members
 * of its target in federated Services, whether or not the Service is deleted with them. What another stack has marked
 * doesn't count, since no run of this stack deletes it. Nor does a mirror of a former name if there is one of the present
 * name, because the link has asked for that, or a mirror whose pod is provably gone, or a member of a drained cluster.
 *
 * What state doesn't list is counted apart and refuses nothing, because whoever may write a Service can write one that
 * looks like a mirror: over the limit, it stays.
 */
export function guardedDeletions(
  plan: CountedPlan,
  limits: readonly DeletionLimit[],
): GuardedDeletions {
  const refusals: Record<string, string> = {};
  const doubtful = new Map<string, ReadonlySet<ObjectKey>>();
  const ofListed = Map.groupBy(plan.decisions, ({ part, key }) => plan.isListed(part, key));
  // With many links, each looks only at its own decisions.
  const byPart = (isListed: boolean) =>
    Map.groupBy(ofListed.get(isListed) ?? [], ({ part }) => part);
  const [inState, beside] = [byPart(true), byPart(false)];
  for (const limit of limits) {
    const { source, target } = limit;
    const [known, unknown] = [lossesOf(target, plan, inState), lossesOf(target, plan, beside)];
    const guarded = ({ mirrors, members }: typeof known) =>
      [mirrors, ...(limit.drained === true ? [] : [members])].filter((losses) =>
        isOver(limit, losses),
      );
    const over = guarded(known);
    if (over.length > 0)
      refusals[target] = over.map((losses) => refusal(limit, losses, source)).join("; ");
    const left = guarded(unknown);
    if (left.length > 0) doubtful.set(target, new Set(left.flatMap(({ lost }) => lost)));
  }
  return { refusals, doubtful };
}

/** How many of the mirrors or members of a link exist, and of how many a run may delete a share. */
interface Losses {
  readonly what: string;
  readonly lost: readonly ObjectKey[];
  readonly all: number;
  readonly counted: number;
}

function lossesOf(
  target: string,
  plan: CountedPlan,
  byPart: ReadonlyMap<string, readonly Decision[]>,
) {
  const decisions = [target, federatedPart].flatMap((part) => byPart.get(part) ?? []);
  const counted = { ...plan, decisions };
  return { mirrors: mirrorsOf(target, counted), members: membersOf(target, counted) };
}

function mirrorsOf(target: string, { decisions, stacks, proven }: CountedPlan): Losses {
  const live = decisions.flatMap((each) => {
    if (each.part !== target || isSkip(each)) return [];
    const { service, endpoints } = each.live;
    const isCounted =
      each.verdict === "delete" || marksOn(metaOf(each.live), stacks).others.length === 0;
    return (service ?? endpoints) !== undefined && isCounted ? [each] : [];
  });
  const unproven = live.filter(({ key }) => proven?.has(key) !== true);
  const lost = unproven.filter((each) => each.verdict === "delete" && each.successor === undefined);
  return {
    what: count(unproven.length, "mirror"),
    lost: lost.map(({ key }) => key),
    all: live.length,
    counted: unproven.length,
  };
}

/** A federated Service has one member of each cluster, however often it lists it. */
function membersOf(target: string, { decisions, stacks }: CountedPlan): Losses {
  const members: ObjectKey[] = [];
  const lost: ObjectKey[] = [];
  for (const decision of decisions) {
    if (decision.part !== federatedPart || isSkip(decision)) continue;
    const { key, live } = decision;
    const { metadata } = live.service ?? {};
    if (!hasMember(metadata, target)) continue;
    const stays = isWrite(decision) && hasMember(decision.wanted, target);
    const leaves = isChange(decision) && !stays;
    if (leaves) lost.push(key);
    if (leaves || marksOn(metadata ?? {}, stacks, target).others.length === 0) members.push(key);
  }
  const { length } = members;
  return {
    what: `${count(length, "member")} of federated Services`,
    lost,
    all: length,
    counted: length,
  };
}

function hasMember(annotated: Pick<ObjectMeta, "annotations"> | undefined, target: string) {
  return tokensIn(annotated?.annotations ?? {}).some((token) => clusterOfToken(token) === target);
}

function isOver({ maxDeletions, allowDeletions }: DeletionLimit, losses: Losses): boolean {
  return !allowDeletions && losses.lost.length > mostOf(maxDeletions, losses);
}

function refusal(limit: DeletionLimit, losses: Losses, source: string): string {
  const { target, maxDeletions, removed = false } = limit;
  const link = `link ${source} → ${target}`;
  const cause = removed ? `${link} is no longer in the config, and the run` : link;
  const remedy = removed
    ? `set linkerd-multicluster:linkDefaults.allowDeletions to true for one run; if not, put the link back`
    : `set allowDeletions: true on the link for one run; if not, check that the context of ${target} points to the right cluster and that its Services are still exported`;
  return `${cause} would delete ${losses.lost.length} of its ${losses.what} on ${source}, and maxDeletions (${maxDeletions}) allows ${mostOf(maxDeletions, losses)} (${listed(losses.lost)}): if that is meant, ${remedy}`;
}

function mostOf(most: LinkSpec["maxDeletions"], { all, counted }: Losses): number {
  if (typeof most === "number") return most;
  if (all <= tooFewToJudge) return counted;
  return Math.floor((counted * Number(most.slice(0, -1))) / 100);
}
