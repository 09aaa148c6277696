import { kubectlIn } from "../../../kubernetes/objects/names.ts";
import { namespaceOf, type ObjectKey } from "../../../kubernetes/objects/objects.ts";
import { count, listed } from "../../../base/message.ts";
import {
  type Decision,
  type HandOver,
  isSkip,
  isWanted,
  type Note,
} from "../../../model/decision.ts";
import { isLinkerdNamed, liveMirrors, metaOf } from "../../../model/live-mirrors.ts";
import { type Controllers, mayExist } from "../../../model/controller.ts";
import type { LinkSpec } from "../../../model/link.ts";
import { marksOn, othersAmong } from "../../../model/marks.ts";
import type { LiveMirror } from "../../../model/mirror.ts";
import { anyMirror, federated } from "../../../model/owner.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import type { GuardedDeletions } from "./deletions.ts";
import type { RemovedPart } from "./removed-links.ts";
import { whyExcluded } from "../../../model/selection.ts";

/** Holds the rights of this stack on the mirrors of one link (docs/decisions/0020-one-ownership-rule.md). */
export interface Authority {
  /** Marks under these names are this stack's, the current one first. */
  readonly names: readonly string[];
  /** Those, and names under which the link adopts: what this stack wants may carry such marks, and is taken over. */
  readonly takes: readonly string[];
  readonly covers: (namespace: string) => boolean;
  /** An unmarked mirror in such a namespace is deleted if no link wants it. */
  readonly deletesUnmarked: boolean;
  /** A mirror of a former name may go in the run that creates the one of the present name. */
  readonly deletesFormerNamesAtOnce?: boolean;
  /** Names the new owner of a link that is handed over: mirrors that it knows stay, without this stack's marks. */
  readonly successor?: string;
}

/** @param hidden if nobody can tell marked mirrors from others */
export function authorityOver(
  link: LinkSpec,
  {
    stacks,
    controllers,
  }: { readonly stacks: readonly string[]; readonly controllers: Controllers },
  hidden: boolean,
): Authority {
  return {
    names: stacks,
    takes: [...stacks, ...othersAmong(link.adoptFrom, stacks)],
    covers: (namespace) => whyExcluded(namespace, link) === undefined,
    // A link says nothing about who else has mirrors in the namespaces that it maps its own to.
    deletesUnmarked:
      !hidden &&
      !mayExist(controllers, link.target) &&
      Object.keys(link.mirrorNamespaces).length === 0,
    ...(link.formerNames === "delete" && { deletesFormerNamesAtOnce: true }),
  };
}

export function authorityOverRemoved(stacks: readonly string[], removed: RemovedPart): Authority {
  return {
    names: stacks,
    takes: stacks,
    covers: () => true,
    deletesUnmarked: false,
    ...(removed.disposition === "handOver" && { successor: removed.controller }),
  };
}

export function fateOf(
  mirror: LiveMirror,
  { names, covers, deletesUnmarked, successor }: Authority,
): { readonly verdict: "delete" } | Pick<HandOver, "verdict" | "keeper" | "mark"> {
  const { namespace, ...metadata } = metaOf(mirror);
  const { isOurs, others } = marksOn(metadata, names);
  const heir = successor !== undefined && isLinkerdNamed(mirror) ? successor : undefined;
  const keeper = heir ?? (others.length > 0 ? `stack ${others.join(", ")}` : undefined);
  if (keeper !== undefined) {
    const releases = isOurs && mirror.service !== undefined;
    return { verdict: "handOver", keeper, ...(releases && { mark: "release" }) };
  }
  return isOurs || (deletesUnmarked && covers(namespace))
    ? { verdict: "delete" }
    : { verdict: "handOver" };
}

/**
 * Notes which mirrors of a link stay with others, or are marked by another stack too. In namespaces that the link doesn't
 * cover, only unmarked mirrors are noted. Pure.
 *
 * @param context of the source, for the command
 * @param hasController whether Linkerd's controller may mirror the link
 */
export function ownershipNotes(
  part: string,
  decisions: readonly Decision[],
  { takes, covers, successor }: Authority,
  context: string,
  hasController: boolean,
): Note[] {
  const skipped = new Set(decisions.filter(isSkip).map(({ key }) => key));
  const left = decisions.filter(
    (decision): decision is HandOver =>
      decision.verdict === "handOver" && !skipped.has(decision.key),
  );
  const isCovered = ({ key }: HandOver) => covers(namespaceOf(key));
  const kept = left.filter((each) => each.keeper !== undefined && isCovered(each));
  const unmarked = left.filter(
    (each) => each.keeper === undefined && (isCovered(each) || !hasController),
  );
  const others = new Set(
    decisions
      .filter(isWanted)
      .flatMap(({ live }) => marksOn(live.service?.metadata ?? {}, takes).others),
  );
  const sentences: string[] = [];
  if (successor !== undefined)
    sentences.push(`its mirrors stay, because ${successor} mirrors it now`);
  else
    for (const [keeper = "", mirrors] of Map.groupBy(kept, (each) => each.keeper))
      sentences.push(staying(mirrors, `${keeper} keeps ${mirrors.length === 1 ? "it" : "them"}`));
  if (unmarked.length > 0) {
    const keys = unmarked.map(({ key }) => key);
    const why = `they carry no stack's mark, so they may belong to somebody else; delete them if they are no longer needed: ${deletionOf(keys, context)}`;
    sentences.push(staying(unmarked, why));
  }
  if (others.size > 0)
    sentences.push(
      `another stack mirrors this as well (${[...others].sort().join(", ")}): remove it from one of the two`,
    );
  return sentences.map((sentence): Note => [part, sentence]);
}

/** Names what only looks like a link's, and stays because a run would delete too much of such. */
export function doubtNotes(doubtful: GuardedDeletions["doubtful"], context: string): Note[] {
  return [...doubtful].map(([target, keys]): Note => {
    const all = [...keys];
    const them = all.length === 1 ? "it stays" : "they stay";
    const sentence = `${count(all.length, "object")} that no Service of ${target} needs (${listed(all)}) may be somebody else's, because state doesn't list ${all.length === 1 ? "it" : "them"}, and maxDeletions allows fewer such deletions, so ${them}: delete them if they are no longer needed: ${deletionOf(all, context)}`;
    return [target, sentence];
  });
}

/** Linkerd's controllers matter only if others may have written mirrors, or if there are federated Services. */
export function mayHaveOthers(source: ClusterSnapshot, stacks: readonly string[]): boolean {
  return [...liveMirrors(source, anyMirror).values()]
    .map(metaOf)
    .some((metadata) => federated.owns({ metadata }) || !marksOn(metadata, stacks).isOurs);
}

function staying(mirrors: readonly HandOver[], why: string): string {
  const { length } = mirrors;
  const keys = listed(mirrors.map(({ key }) => key));
  return `${count(length, "mirror")} ${length === 1 ? "stays" : "stay"}, because ${why} (${keys})`;
}

/** Names only the first namespace, because one command per namespace could fill a page. */
export function deletionOf(keys: readonly ObjectKey[], context: string): string {
  const [namespace = ""] = keys.map(namespaceOf);
  const names = keys
    .filter((key) => namespaceOf(key) === namespace)
    .map((key) => key.slice(namespace.length + 1));
  const shown = names.slice(0, 3).join(" ");
  return `${kubectlIn(context)} --namespace ${namespace} delete service ${shown}`;
}
