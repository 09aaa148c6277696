import { omitUndefined } from "../../../kubernetes/objects/omit-undefined.ts";
import { type Controllers, deploymentOf } from "../../model/controller.ts";
import { managerOf, marksOn } from "../../model/marks.ts";
import { anyMirror, federated, mirrorsOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import {
  type Before,
  type ByPart,
  type MirrorsArgs,
  type RemovedLink,
  stacksNow,
} from "../../model/state.ts";
import { clusterOfToken, label, tokensIn } from "../../model/vocabulary.ts";
import { liveMirrors, metaOf } from "../../model/live-mirrors.ts";

export type RemovedPart = { readonly link: RemovedLink } & (
  | { readonly disposition: "delete" }
  /** Linkerd's controller mirrors the link from now on. */
  | { readonly disposition: "handOver"; readonly controller: string }
  /** The controllers couldn't be read, so everything stays for now. */
  | { readonly disposition: "unknown"; readonly why: string }
);

/**
 * Finds links that this stack no longer mirrors. If the source can be read, marks alone decide, because a failed run
 * leaves the inputs of the run before, and a killed one leaves none. Otherwise the previous run's links decide, and
 * those it had not finished removing. Pure.
 */
export function removedLinks(
  args: Pick<MirrorsArgs, "source" | "links" | "stack">,
  before: Before,
  source?: ClusterSnapshot,
): RemovedLink[] {
  const noted = new Map(
    [...(before.links ?? []), ...(before.removedLinks ?? [])].map(({ target, maxDeletions }) => [
      target,
      { source: args.source, target, ...omitUndefined({ maxDeletions }) },
    ]),
  );
  const stacks = stacksNow(before, args);
  const current = new Set(args.links.map(({ target }) => target));
  const targets = source === undefined ? noted.keys() : markedTargets(source, stacks, noted);
  return [...new Set(targets)]
    .filter((target) => !current.has(target))
    .sort()
    .map((target) => noted.get(target) ?? { source: args.source, target });
}

/** @param noted links for which a mark counts that an earlier version set on a whole federated Service */
function markedTargets(
  source: ClusterSnapshot,
  stacks: readonly string[],
  noted: ReadonlyMap<string, RemovedLink>,
): string[] {
  return [...liveMirrors(source, anyMirror).values()].map(metaOf).flatMap((metadata) => {
    const target = metadata.labels?.[label.cluster];
    if (target !== undefined) {
      const isOurs = mirrorsOf(target).owns({ metadata }) && marksOn(metadata, stacks).isOurs;
      return isOurs ? [target] : [];
    }
    if (!federated.owns({ metadata })) return [];
    const managers = new Set((metadata.managedFields ?? []).map(({ manager }) => manager));
    return tokensIn(metadata.annotations ?? {})
      .map(clusterOfToken)
      .filter((cluster) =>
        noted.has(cluster)
          ? marksOn(metadata, stacks, cluster).isOurs
          : stacks.some((stack) => managers.has(managerOf(stack, cluster))),
      );
  });
}

/**
 * If Linkerd's controller for a link exists, even scaled to zero, the mirrors belong to it, and it would take minutes
 * to recreate them. So nothing may be deleted before the source's Deployments were read. Pure.
 */
export function dispositionsOf(
  removed: readonly RemovedLink[],
  { source, controllerLinks }: MirrorsArgs,
  controllers: Controllers,
): RemovedPart[] {
  return removed.map((link): RemovedPart => {
    const { target } = link;
    if (controllerLinks?.includes(target) === true) {
      const controller = "Linkerd's controller (mirroring: controller)";
      return { link, disposition: "handOver", controller };
    }
    if ("why" in controllers) return { link, disposition: "unknown", why: controllers.why };
    const found = controllers.value.find((each) => each.target === target);
    return found === undefined
      ? { link, disposition: "delete" }
      : { link, disposition: "handOver", controller: deploymentOf(source, found) };
  });
}

export function undecided(source: string, removed: readonly RemovedPart[]): ByPart<string> {
  const whys = removed.flatMap((part) =>
    part.disposition === "unknown"
      ? [
          `the mirrors of the removed link ${source} → ${part.link.target} stay, because it is unknown whether Linkerd's controller mirrors it now: ${part.why}`,
        ]
      : [],
  );
  return whys.length === 0 ? {} : { [source]: whys.join("; ") };
}
