import type { ObjectKey } from "../../kubernetes/objects.ts";
import { type Controllers, deploymentOf, running } from "../model/controller.ts";
import { federated, mirrorsOf } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { isMarkedBy, otherStacks } from "../model/stack-mark.ts";
import { clusterOfToken, tokensIn } from "../model/vocabulary.ts";
import type { LiveMirror } from "../plan/change.ts";
import { liveMirrors } from "../plan/ownership.ts";
import { count } from "../plan/text.ts";
import { type Before, type MirrorsArgs, type RemovedLink, stacksNow } from "./state.ts";

/** What becomes of what a link has brought, once it has left the config. */
export type RemovedPart = { readonly link: RemovedLink } & (
  | {
      readonly fate: "goes";
      /** Mirrors that another stack has written or confirmed, and so keeps. */
      readonly spared: ReadonlySet<ObjectKey>;
      readonly notes: readonly string[];
    }
  /** A controller of Linkerd's mirrors the link from now on. */
  | { readonly fate: "stays"; readonly controller: string }
  /** Whether one does is not known. */
  | { readonly fate: "unknown"; readonly why: string }
);

/** Links that the run before had, or had not done with, and that the config has no more. */
export function removedLinks(
  { source, links }: Pick<MirrorsArgs, "source" | "links">,
  before: Before,
): RemovedLink[] {
  const current = new Set(links.map(({ target }) => target));
  const former = [...(before.links ?? []), ...(before.removedLinks ?? [])];
  const byTarget = new Map(
    former
      .filter(({ target }) => !current.has(target))
      .map(({ target, maxDeletions, allowDeletions }): [string, RemovedLink] => [
        target,
        {
          ...{ source, target },
          ...(maxDeletions !== undefined && { maxDeletions }),
          ...(allowDeletions !== undefined && { allowDeletions }),
        },
      ]),
  );
  return [...byTarget.values()].sort((a, b) => (a.target < b.target ? -1 : 1));
}

/** Whether the source has anything left of a link that this stack has still to take away. Pure. */
export function hasLeft(
  source: ClusterSnapshot,
  target: string,
  stacks: readonly string[],
): boolean {
  const mirrors = liveMirrors(source, mirrorsOf(target));
  const leftOver = [...mirrors.values()].some(
    (mirror) => !isSpared(mirror, stacks) || isOwn(mirror, stacks),
  );
  return leftOver || membersOf(source, stacks).has(target);
}

/** The clusters listed by federated Services that no other stack keeps. */
function membersOf({ services }: ClusterSnapshot, stacks: readonly string[]): ReadonlySet<string> {
  return new Set(
    [...services.values()]
      .filter((service) => federated.owns(service) && !isSpared({ service }, stacks))
      .flatMap(({ metadata }) => tokensIn(metadata.annotations ?? {}).map(clusterOfToken)),
  );
}

/**
 * Decides about a removed link. Once a controller of Linkerd's mirrors it the mirrors are the
 * controller's, and it would not make them again for minutes; so nothing may be deleted before the
 * source's Deployments have been read. Pure.
 */
export function fateOf(
  link: RemovedLink,
  args: MirrorsArgs,
  before: Before,
  source: ClusterSnapshot,
  controllers: Controllers,
): RemovedPart {
  const { target } = link;
  if (args.controllerLinks?.includes(target) === true)
    return { link, fate: "stays", controller: "Linkerd's controller (mirroring: controller)" };
  if ("why" in controllers) return { link, fate: "unknown", why: controllers.why };
  const [controller] = running(controllers.found, target);
  if (controller !== undefined)
    return { link, fate: "stays", controller: deploymentOf(args.source, controller) };
  const stacks = stacksNow(before, args);
  const { spared, notes } = sparedMirrors(liveMirrors(source, mirrorsOf(target)), stacks);
  return { link, fate: "goes", spared, notes };
}

/** Mirrors that are not to be deleted, since another stack keeps them, and what to say of them. */
export function sparedMirrors(
  mirrors: ReadonlyMap<ObjectKey, LiveMirror>,
  stacks: readonly string[],
): { readonly spared: ReadonlySet<ObjectKey>; readonly notes: readonly string[] } {
  const keepers = new Set<string>();
  const spared = new Set<ObjectKey>();
  for (const [key, { service }] of mirrors) {
    const others = service === undefined ? [] : otherStacks(service.metadata, stacks);
    if (others.length === 0) continue;
    spared.add(key);
    for (const other of others) keepers.add(other);
  }
  const names = [...keepers].sort().join(", ");
  return {
    spared,
    notes:
      spared.size === 0
        ? []
        : [
            `${count(spared.size, "mirror")} ${spared.size === 1 ? "stays" : "stay"}, because another stack keeps them (${names}): destroy it as well, or, if it no longer exists, delete them with kubectl`,
          ],
  };
}

/** Those of the mirrors that carry a mark of this stack. */
export function markedAmong(
  keys: ReadonlySet<ObjectKey>,
  { services }: ClusterSnapshot,
  stacks: readonly string[],
): ObjectKey[] {
  return [...keys].filter((key) => isOwn({ service: services.get(key) }, stacks));
}

function isSpared({ service }: LiveMirror, stacks: readonly string[]): boolean {
  return service !== undefined && otherStacks(service.metadata, stacks).length > 0;
}

function isOwn(
  { service }: { readonly service?: LiveMirror["service"] | undefined },
  stacks: readonly string[],
): boolean {
  return service !== undefined && isMarkedBy(service.metadata, stacks);
}
