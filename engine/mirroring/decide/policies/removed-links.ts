import { omitUndefined } from "../../../kubernetes/objects/omit-undefined.ts";
import type { ObjectMeta } from "../../../kubernetes/objects/objects.ts";
import { type Controllers, deploymentOf } from "../../model/controller.ts";
import { managerOf, marksOn } from "../../model/marks.ts";
import { federated, mirrorsOf } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import {
  type Before,
  type ByPart,
  type MirrorsArgs,
  type RemovedLink,
  stacksNow,
} from "../../model/state.ts";
import { clusterOfToken, label, tokensIn } from "../../model/vocabulary.ts";
import { liveMirrors, metaOf } from "./ownership.ts";

/** What happens to the mirrors of a link that this stack no longer mirrors. */
export type RemovedPart = { readonly link: RemovedLink } & (
  | { readonly disposition: "delete" }
  /** A controller of Linkerd's mirrors the link from now on. */
  | { readonly disposition: "handOver"; readonly controller: string }
  /** Whether one does is not known. */
  | { readonly disposition: "unknown"; readonly why: string }
);

/** Links that the previous run had or had not finished removing, and that this stack no longer mirrors. */
export function removedLinks(
  { source, links }: Pick<MirrorsArgs, "source" | "links">,
  before: Before,
): RemovedLink[] {
  const current = new Set(links.map(({ target }) => target));
  const former = [...(before.links ?? []), ...(before.removedLinks ?? [])]
    .filter(({ target }) => !current.has(target))
    .map(({ target, maxDeletions }) => ({ source, target, ...omitUndefined({ maxDeletions }) }));
  return [...new Map(former.map((link) => [link.target, link])).values()].sort((a, b) =>
    a.target < b.target ? -1 : 1,
  );
}

/**
 * Finds links that this stack no longer mirrors and whose marks are still in the source. Marks alone decide, because
 * a failed run leaves the inputs of the run before, and a killed one leaves none. Pure.
 */
export function linksWithMarks(
  source: ClusterSnapshot,
  args: MirrorsArgs,
  before: Before,
): RemovedLink[] {
  const stacks = stacksNow(before, args);
  const current = new Set(args.links.map(({ target }) => target));
  const noted = new Map(removedLinks(args, before).map((link) => [link.target, link]));
  const targets = new Set([
    ...[...noted.keys()].filter((target) => hasMarked(source, target, stacks)),
    ...[...source.services.values()].flatMap((service) => targetsMarked(service, stacks)),
  ]);
  return [...targets]
    .filter((target) => !current.has(target))
    .sort()
    .map((target) => noted.get(target) ?? { source: args.source, target });
}

/** Whether anything of a link carries a mark, including Endpoints without a Service. */
function hasMarked(source: ClusterSnapshot, target: string, stacks: readonly string[]): boolean {
  const mirrors = [...liveMirrors(source, mirrorsOf(target)).values()];
  return (
    mirrors.some((mirror) => marksOn(metaOf(mirror), stacks).isOurs) ||
    [...source.services.values()].some(
      (service) =>
        federated.owns(service) &&
        clustersIn(service.metadata).includes(target) &&
        marksOn(service.metadata, stacks, target).isOurs,
    )
  );
}

/** Returns the targets whose mirrors or members a Service stands for and that this stack has marked. */
function targetsMarked(
  { metadata }: { readonly metadata: ObjectMeta },
  stacks: readonly string[],
): string[] {
  const target = metadata.labels?.[label.cluster];
  if (target !== undefined)
    return mirrorsOf(target).owns({ metadata }) && marksOn(metadata, stacks).isOurs ? [target] : [];
  if (!federated.owns({ metadata })) return [];
  const managers = new Set((metadata.managedFields ?? []).map(({ manager }) => manager));
  return clustersIn(metadata).filter((cluster) =>
    stacks.some((stack) => managers.has(managerOf(stack, cluster))),
  );
}

function clustersIn({ annotations = {} }: ObjectMeta): string[] {
  return tokensIn(annotations).map(clusterOfToken);
}

/**
 * Decides about removed links. If Linkerd's controller for a link exists, even scaled to zero, the mirrors belong to
 * it, and it would take minutes to recreate them. So nothing may be deleted before the source's Deployments were
 * read. Pure.
 *
 * @param left as `linksLeft` has found them
 */
export function dispositionsOf(
  left: readonly RemovedLink[],
  { source, controllerLinks }: MirrorsArgs,
  controllers: Controllers,
): RemovedPart[] {
  return left.map((link): RemovedPart => {
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

/** Returns by source the sentences for links about which nothing could be decided. */
export function undecided(source: string, removed: readonly RemovedPart[]): ByPart<string> {
  const whys = removed.flatMap((part) =>
    part.disposition === "unknown"
      ? [
          `the mirrors of the removed link ${source}/${part.link.target} stay, because it is not known whether a controller of Linkerd's mirrors it now: ${part.why}`,
        ]
      : [],
  );
  return whys.length === 0 ? {} : { [source]: whys.join("; ") };
}
