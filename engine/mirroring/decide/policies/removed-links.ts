import { defined } from "../../../kubernetes/objects/defined.ts";
import type { ObjectKey, ObjectMeta, Service } from "../../../kubernetes/objects/objects.ts";
import { type Controllers, deploymentOf, running } from "../../model/controller.ts";
import { federated, isMarkedBy, isOnlyOurs, mirrorsOf, otherStacks } from "../../model/owner.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { clusterOfToken, label, tokensIn } from "../../model/vocabulary.ts";
import type { LiveMirror } from "../decision.ts";
import { liveMirrors } from "./ownership.ts";
import { count } from "../../model/text.ts";
import {
  type Before,
  type ByPart,
  type MirrorsArgs,
  type RemovedLink,
  stacksNow,
} from "../../model/state.ts";

/** What becomes of what a link has brought, once it has left the config. */
export type RemovedPart = {
  readonly link: RemovedLink;
  /** What there is to say of its mirrors that stay. */
  readonly notes: readonly string[];
} & (
  | {
      readonly disposition: "delete";
      /** Mirrors that carry the mark of another stack, or none of this one. */
      readonly retained: ReadonlySet<ObjectKey>;
    }
  /** A controller of Linkerd's mirrors the link from now on. */
  | { readonly disposition: "handOver"; readonly controller: string }
  /** Whether one does is not known. */
  | { readonly disposition: "unknown"; readonly why: string }
);

/** Links that the run before had, or had not done with, and that the config has no more. */
export function removedLinks(
  { source, links }: Pick<MirrorsArgs, "source" | "links">,
  before: Before,
): RemovedLink[] {
  const current = new Set(links.map(({ target }) => target));
  const former = [...(before.links ?? []), ...(before.removedLinks ?? [])]
    .filter(({ target }) => !current.has(target))
    .map(({ target, maxDeletions }) => ({ source, target, ...defined({ maxDeletions }) }));
  return [...new Map(former.map((link) => [link.target, link])).values()].sort((a, b) =>
    a.target < b.target ? -1 : 1,
  );
}

/** Links that have left the config, and of which the source has anything that carries a mark of this stack. Pure. */
export function linksLeft(
  source: ClusterSnapshot,
  args: MirrorsArgs,
  before: Before,
): RemovedLink[] {
  const stacks = stacksNow(before, args);
  const former = removedLinks(args, before);
  const noted = new Set(former.map(({ target }) => target));
  return [
    ...former.filter(({ target }) => hasLeft(source, target, stacks)),
    ...unnotedLinks(args, source, stacks).filter(({ target }) => !noted.has(target)),
  ];
}

/**
 * Links that no run has noted: a run that fails leaves the inputs of the one before, and one that is killed leaves
 * none. Their mirrors carry this stack's mark, and are of no link of the config.
 */
function unnotedLinks(
  { source: name, links, controllerLinks = [] }: MirrorsArgs,
  source: ClusterSnapshot,
  stacks: readonly string[],
): RemovedLink[] {
  const others = new Set([...links.map(({ target }) => target), ...controllerLinks]);
  const found = [...source.services.values()].flatMap((service) => {
    const target = service.metadata.labels?.[label.cluster];
    if (target === undefined || others.has(target) || !mirrorsOf(target).owns(service)) return [];
    return isMarkedBy(service.metadata, stacks) ? [target] : [];
  });
  return [...new Set(found)].sort().map((target) => ({ source: name, target }));
}

function hasLeft(source: ClusterSnapshot, target: string, stacks: readonly string[]): boolean {
  const mirrors = [...liveMirrors(source, mirrorsOf(target)).values()];
  const isMember = ({ metadata: { annotations = {} } }: Service) =>
    tokensIn(annotations).some((token) => clusterOfToken(token) === target);
  return (
    mirrors.some((mirror) => isMarkedBy(metaOf(mirror), stacks)) ||
    [...source.services.values()].some(
      (service) =>
        federated.owns(service) && isOnlyOurs(service.metadata, stacks) && isMember(service),
    )
  );
}

/**
 * Decides about links that have left. Once a controller of Linkerd's mirrors one the mirrors are the
 * controller's, and it would not make them again for minutes; so nothing may be deleted before the
 * source's Deployments have been read. Pure.
 *
 * @param left as `linksLeft` has found them
 */
export function dispositionsOf(
  left: readonly RemovedLink[],
  source: ClusterSnapshot,
  args: MirrorsArgs,
  before: Before,
  controllers: Controllers,
): RemovedPart[] {
  const stacks = stacksNow(before, args);
  const noted = new Set(removedLinks(args, before).map(({ target }) => target));
  return (
    left
      .map((link): RemovedPart => {
        const { target } = link;
        const owner = newOwnerOf(target, args, controllers);
        if (owner === undefined) {
          const mirrors = liveMirrors(source, mirrorsOf(target));
          return { link, disposition: "delete", ...retainedMirrors(mirrors, stacks) };
        }
        if ("why" in owner) {
          const { why } = owner;
          return {
            ...{ link, disposition: "unknown", why },
            notes: [`its mirrors stay for now, because ${why}`],
          };
        }
        const { controller } = owner;
        return {
          ...{ link, disposition: "handOver", controller },
          notes: [`its mirrors stay, because ${controller} mirrors it now`],
        };
      })
      // What nobody has noted stays, without a word, where it is another's by now or may be.
      .filter(({ disposition, link }) => disposition === "delete" || noted.has(link.target))
  );
}

/** The controller of Linkerd's that mirrors a link by now, or why that is not known; undefined: none does. */
function newOwnerOf(
  target: string,
  { source, controllerLinks }: MirrorsArgs,
  controllers: Controllers,
): { readonly controller: string } | { readonly why: string } | undefined {
  if (controllerLinks?.includes(target) === true)
    return { controller: "Linkerd's controller (mirroring: controller)" };
  if ("why" in controllers) return controllers;
  const [controller] = running(controllers.found, target);
  return controller && { controller: deploymentOf(source, controller) };
}

/** By the source, which somebody has to see to: the sentences for links that nothing could be decided about. */
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

/** Mirrors that are not to be deleted, since they are not provably this stack's, and what to say of them. */
export function retainedMirrors(
  mirrors: ReadonlyMap<ObjectKey, LiveMirror>,
  stacks: readonly string[],
): { readonly retained: ReadonlySet<ObjectKey>; readonly notes: readonly string[] } {
  const keepers = new Set<string>();
  const kept: ObjectKey[] = [];
  const unmarked: ObjectKey[] = [];
  for (const [key, mirror] of mirrors) {
    const others = otherStacks(metaOf(mirror), stacks);
    for (const other of others) keepers.add(other);
    if (others.length > 0) kept.push(key);
    else if (!isMarkedBy(metaOf(mirror), stacks)) unmarked.push(key);
  }
  const names = [...keepers].sort().join(", ");
  return {
    retained: new Set([...kept, ...unmarked]),
    notes: [
      ...noteOn(
        kept,
        `another stack keeps them (${names}): destroy it as well, or, if it no longer exists, delete them with kubectl`,
      ),
      ...noteOn(
        unmarked,
        "they do not carry the mark of this stack: others have made them since its last run; if nobody needs them, delete them with kubectl",
      ),
    ],
  };
}

function noteOn({ length }: readonly ObjectKey[], why: string): string[] {
  return length === 0
    ? []
    : [`${count(length, "mirror")} ${length === 1 ? "stays" : "stay"}, because ${why}`];
}

function metaOf({ service, endpoints }: LiveMirror): ObjectMeta {
  // A live mirror consists of at least one of the two.
  return (service ?? endpoints)?.metadata ?? { name: "", namespace: "" };
}
