import { isHeadless, type ObjectMeta } from "../../../kubernetes/objects/objects.ts";
import { type Mirror, mirrorKey, type LiveMirror } from "../../model/mirror.ts";
import { type Owner } from "../../model/owner.ts";
import type { Why } from "../../model/reasons.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { label } from "../../model/vocabulary.ts";
import { anothersMirror, marksOn } from "../../model/marks.ts";
import type { HandOver } from "../../model/decision.ts";
import type { Refusal } from "./rules.ts";
import { metaOf } from "../../model/live-mirrors.ts";

/** Holds the rights of this stack on the mirrors of one link (docs/decisions/0020-one-ownership-rule.md). */
export interface Authority {
  /** Marks under these names are this stack's, the current one first. */
  readonly names: readonly string[];
  /** Returns whether the link covers a namespace. */
  readonly covers: (namespace: string) => boolean;
  /** An unmarked mirror in such a namespace is deleted if no link wants it. */
  readonly deletesUnmarked: boolean;
  /** A mirror of a former name stays in the run that creates the one of the present name. */
  readonly keepsFormerNames?: boolean;
  /** Names the new owner of a link that is handed over: no mirror is deleted, and this stack's marks are removed. */
  readonly successor?: string;
}

export function fateOf(
  mirror: LiveMirror,
  { names, covers, deletesUnmarked, successor }: Authority,
): { readonly verdict: "delete" } | Pick<HandOver, "verdict" | "keeper" | "mark"> {
  const { namespace, ...metadata } = metaOf(mirror);
  const { isOurs, others } = marksOn(metadata, names);
  const keeper = successor ?? (others.length > 0 ? `stack ${others.join(", ")}` : undefined);
  if (keeper !== undefined) {
    const releases = isOurs && mirror.service !== undefined;
    return { verdict: "handOver", keeper, ...(releases && { mark: "release" }) };
  }
  return isOurs || (deletesUnmarked && covers(namespace))
    ? { verdict: "delete" }
    : { verdict: "handOver" };
}

/**
 * Finds mirrors whose name is taken by another owner's object or another stack's mirror, or by an object that is being
 * deleted and so can be neither written nor created.
 *
 * @param names of the stack, for mirrors of a link
 */
export function unwritable(
  mirrors: readonly Mirror[],
  source: ClusterSnapshot,
  owner: Owner,
  names?: readonly string[],
): Refusal[] {
  return mirrors.flatMap((mirror) => {
    const why = whyUnwritable(mirror, source, owner) ?? heldByOthers(mirror, source, names);
    return why === undefined ? [] : [{ mirror, ...why }];
  });
}

function heldByOthers(
  mirror: Mirror,
  { cluster, services }: ClusterSnapshot,
  names: readonly string[] | undefined,
): Why | undefined {
  const key = mirrorKey(mirror);
  const service = services.get(key);
  if (service === undefined || names === undefined) return undefined;
  const { isOurs, others } = marksOn(service.metadata, names);
  const isReplaced = isHeadless(service) !== (mirror.kind === "headless");
  if (others.length === 0 || (isOurs && !isReplaced)) return undefined;
  return {
    reason: "NotOurs",
    sentence: anothersMirror(`${cluster}/${key}`, others),
    // Marks of earlier versions don't name the organization, and adoptFrom needs it.
    ...(others.every((name) => name.split("/").length === 3) && {
      fix: `adoptFrom: [${others.join(", ")}]`,
    }),
  };
}

function whyUnwritable(mirror: Mirror, source: ClusterSnapshot, owner: Owner): Why | undefined {
  const key = mirrorKey(mirror);
  const { cluster } = source;
  const service = source.services.get(key);
  // Kubernetes creates Endpoints for a federated Service if somebody gives it a selector. They carry no labels of ours
  // and must not prevent the selector from being removed.
  const isHarmless = mirror.kind === "federated" && service !== undefined;
  const objects = {
    Service: service,
    Endpoints: isHarmless ? undefined : source.endpoints.get(key),
  };
  for (const [kind, object] of Object.entries(objects))
    if (object !== undefined && !owner.owns(object))
      return {
        reason: "NotOurs",
        sentence: `${cluster} already has ${belongs(object.metadata)} ${kind} ${key}: rename or delete it, or rename what is exported`,
      };
  if (service?.metadata.deletionTimestamp === undefined) return undefined;
  return {
    reason: "BeingDeleted",
    sentence: `the Service ${key} on ${cluster} is being deleted, but a finalizer keeps it: remove the finalizer and run again`,
    fix: {
      cluster,
      kubectl: `--namespace ${mirror.namespace} patch service ${mirror.name} --type merge --patch '{"metadata":{"finalizers":null}}'`,
    },
  };
}

function belongs({ labels = {} }: ObjectMeta): string {
  const cluster = labels[label.cluster];
  return labels[label.mirrored] === "true" && cluster !== undefined
    ? `cluster ${cluster}'s mirror, the`
    : "a foreign";
}
