import { count, listed } from "../../../base/message.ts";
import type { ObjectKey } from "../../../kubernetes/objects/objects.ts";
import { printable } from "../../../kubernetes/objects/printable.ts";
import { type Controllers, deploymentOf } from "../../../model/controller.ts";
import { managerOf, marksOn } from "../../../model/marks.ts";
import type { Decision, Note } from "../../../model/decision.ts";
import { linkDefaults } from "../../../model/link.ts";
import { anyMirror, federated, federatedPart, mirrorsOf } from "../../../model/owner.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import {
  type Before,
  type ByPart,
  type MirrorsArgs,
  type RemovedLink,
  stacksNow,
} from "../../../model/state.ts";
import { clusterOfToken, label, tokensIn } from "../../../model/vocabulary.ts";
import { liveMirrors, metaOf } from "../../../model/live-mirrors.ts";
import { limitOfRemoved } from "./deletions.ts";

export type RemovedPart = { readonly link: RemovedLink } & (
  | { readonly disposition: "delete" }
  /** Linkerd's controller mirrors the link from now on. */
  | { readonly disposition: "handOver"; readonly controller: string }
  /** The controllers couldn't be read, so everything stays for now. */
  | { readonly disposition: "unknown"; readonly why: string }
);

/**
 * Finds links that this stack no longer mirrors: those of the previous run, and those it had not finished removing. If the
 * source can be read, only those count of which a mark is left. A mark alone proves nothing, because whoever may write a
 * Service can forge one, unless the config says that the target is revoked. Pure.
 */
export function removedLinks(
  args: Pick<MirrorsArgs, "source" | "links" | "stack" | "revokedTargets">,
  before: Before,
  source?: ClusterSnapshot,
): RemovedLink[] {
  // Earlier versions also noted links of which they knew nothing but marks, so without a limit.
  const unfinished = (before.removedLinks ?? []).filter((link) => link.maxDeletions !== undefined);
  const noted = [...(before.links ?? []), ...unfinished];
  const { maxDeletions } = linkDefaults;
  const known = new Map(noted.map((link) => [link.target, { maxDeletions, ...link }] as const));
  const revoked = source === undefined ? [] : (args.revokedTargets ?? []);
  const marked =
    source && new Set(marksIn(source, stacksNow(before, args), known).map(({ target }) => target));
  const current = new Set(args.links.map(({ target }) => target));
  return [...new Set([...known.keys(), ...revoked])]
    .filter((target) => !current.has(target) && target !== federatedPart)
    .filter((target) => marked?.has(target) ?? true)
    .sort()
    .map((target) => ({
      source: args.source,
      target,
      maxDeletions: known.get(target)?.maxDeletions ?? maxDeletions,
    }));
}

/** Reports marks of this stack for links of which neither the config nor state knows anything. Pure. */
export function unknownMarks(
  { links, source }: Pick<MirrorsArgs, "links" | "source">,
  removed: readonly Pick<RemovedPart, "link">[],
  live: ClusterSnapshot,
  stacks: readonly string[],
): Note[] {
  const known = new Set([...links, ...removed.map(({ link }) => link)].map(({ target }) => target));
  const strays = marksIn(live, stacks).filter(({ target }) => !known.has(target));
  if (strays.length === 0) return [];
  const objects = listed(strays.map(({ key, target }) => `${key} for ${printable(target, 63)}`));
  const sentence = `${count(strays.length, "mark")} of this stack in ${source} ${strays.length === 1 ? "is" : "are"} for a cluster to which neither its config nor its state has a link (${objects}), so ${strays.length === 1 ? "the object stays" : "the objects stay"}, because anybody can write such a mark: to have what a failed run left deleted, put the link back for one run and then remove it, or set revoked: true on the cluster`;
  return [[federatedPart, sentence]];
}

interface Marked {
  readonly key: ObjectKey;
  readonly target: string;
}

/** @param known links for which a mark counts that an earlier version set on a whole federated Service */
function marksIn(
  source: ClusterSnapshot,
  stacks: readonly string[],
  known?: ReadonlyMap<string, RemovedLink>,
): Marked[] {
  return [...liveMirrors(source, anyMirror)].flatMap(([key, live]): Marked[] => {
    const metadata = metaOf(live);
    const target = metadata.labels?.[label.cluster];
    if (target !== undefined) {
      const isOurs = mirrorsOf(target).owns({ metadata }) && marksOn(metadata, stacks).isOurs;
      return isOurs ? [{ key, target }] : [];
    }
    if (!federated.owns({ metadata })) return [];
    const managers = new Set((metadata.managedFields ?? []).map(({ manager }) => manager));
    return tokensIn(metadata.annotations ?? {})
      .map(clusterOfToken)
      .filter((cluster) =>
        known?.has(cluster) === true
          ? marksOn(metadata, stacks, cluster).isOurs
          : stacks.some((stack) => managers.has(managerOf(stack, cluster))),
      )
      .map((cluster) => ({ key, target: cluster }));
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

/**
 * Refuses to hand a link over as long as mirrors of it have names or namespaces that Linkerd's controller can't give them:
 * it deletes some when it starts, and leaves others for ever.
 */
export function handOverRefusals(
  removed: readonly RemovedPart[],
  decisions: readonly Decision[],
  args: MirrorsArgs,
): ByPart<string> {
  return Object.fromEntries(
    removed.flatMap((part) => {
      const { source, target } = part.link;
      const isAllowed = limitOfRemoved(part.link, args).allowDeletions;
      if (part.disposition !== "handOver" || isAllowed) return [];
      const left = decisions.filter(
        (each) => each.part === target && each.verdict === "delete" && each.kind !== "probe",
      );
      if (left.length === 0) return [];
      const mirrors = `${count(left.length, "mirror")} of link ${source} → ${target} (${listed(left.map(({ key }) => key))})`;
      const sentence = `${mirrors} can't be handed over to ${part.controller}, which knows a mirror only as <service>-${target} in the namespace of its Service: set mirroring: pulumi on the link, without names and mirrorNamespaces, until a run has replaced them`;
      return [[target, sentence]];
    }),
  );
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
