import type { ObjectKey } from "../../kubernetes/objects.ts";
import type { LinkSpec } from "../model/link.ts";
import { clusterOfToken, tokensIn } from "../model/vocabulary.ts";
import type { Change, LiveMirror } from "./change.ts";
import { count } from "./text.ts";

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
 * The sentence that stops a run which would delete suspiciously many of a link's mirrors: a wrong
 * context or an empty answer looks just like everything having been un-exported, and a slip in the
 * config like a link that has been removed.
 */
export function tooManyDeletions(
  limit: DeletionLimit,
  deletions: number,
  live: number,
): string | undefined {
  return refusal(limit, deletions, live, `${count(live, "mirror")} on ${limit.source}`);
}

/**
 * The same for the federated Services of a source, of which each link brings the members of its
 * target: a member that leaves counts as a deletion, whether or not the Service goes with it.
 *
 * @returns sentences by target
 */
export function tooManyLeave(
  limits: readonly DeletionLimit[],
  changes: readonly Change[],
  live: ReadonlyMap<ObjectKey, LiveMirror>,
): ReadonlyMap<string, string> {
  const before = membersByTarget([...live.values()].map(({ service }) => service?.metadata));
  const leaving = membersByTarget(
    changes.map(({ live: { service } }) => service?.metadata),
    changes.map((change) => ("wanted" in change ? change.wanted : undefined)),
  );
  const sentences = limits.flatMap((limit) => {
    const { target, source } = limit;
    const members = before.get(target) ?? 0;
    const what = `${count(members, "member")} of federated Services on ${source}`;
    const sentence = refusal(limit, leaving.get(target) ?? 0, members, what);
    return sentence === undefined ? [] : [[target, sentence] as const];
  });
  return new Map(sentences);
}

type Annotated = { readonly annotations?: Readonly<Record<string, string>> } | undefined;

/** How many members of each cluster there are, less those that stay. */
function membersByTarget(
  live: readonly Annotated[],
  wanted: readonly Annotated[] = [],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  live.forEach((each, index) => {
    const stay = new Set(tokensIn(wanted[index]?.annotations ?? {}));
    for (const token of tokensIn(each?.annotations ?? {})) {
      if (stay.has(token)) continue;
      const cluster = clusterOfToken(token);
      counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
    }
  });
  return counts;
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
