import { annotation, federatedName, label } from "./vocabulary.ts";
import type { ObjectMeta, StringMap } from "../../kubernetes/objects/objects.ts";

/** Tells whose an object is: only objects that are provably ours may be changed or deleted. */
export interface Owner {
  /** The owner in words: `a mirror of west`. */
  readonly words: string;
  readonly owns: (object: { readonly metadata: ObjectMeta }) => boolean;
}

/**
 * Recognizes mirrors of one link by their labels. Linkerd's own controller writes the same labels, so its mirrors can
 * be adopted.
 */
export function mirrorsOf(target: string): Owner {
  return {
    words: `a mirror of ${target}`,
    owns: ({ metadata: { labels = {} } }) =>
      labels[label.mirrored] === "true" &&
      labels[label.cluster] === target &&
      labels[label.mirroredGateway] === undefined,
  };
}

/** Federated Services belong to no single cluster but have members (linkerd-behaviour.md 4.1). */
export const federated: Owner = {
  words: "a federated Service",
  owns: ({ metadata: { name, labels = {}, annotations = {} } }) =>
    name.endsWith(federatedName("")) &&
    labels[label.mirrored] === "true" &&
    labels[label.cluster] === undefined &&
    labels[label.mirroredGateway] === undefined &&
    (annotations[annotation.remoteMembers] !== undefined ||
      annotations[annotation.localMember] !== undefined),
};

/** Mirrors of any target and federated Services, whoever writes them. */
export const anyMirror: Pick<Owner, "owns"> = {
  owns: ({ metadata: { labels = {} } }) => labels[label.mirrored] === "true",
};

/** The name of the part to which all links contribute; no cluster may have this name. */
export const federatedPart = "federated";

/** @param part the name of a link's target, or `federated` */
export function ownerOf(part: string): Owner {
  return part === federatedPart ? federated : mirrorsOf(part);
}

/** The labels that identify a mirror as this link's. */
export function ownerLabels(target: string): StringMap {
  return { [label.mirrored]: "true", [label.cluster]: target };
}
