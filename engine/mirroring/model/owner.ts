import { annotation, federatedName, label } from "./vocabulary.ts";
import type { ObjectMeta } from "../../kubernetes/objects/objects.ts";

/** Whose an object is: only what is provably ours may be changed or deleted. */
export interface Owner {
  /** How to say it: `a mirror of west`. */
  readonly words: string;
  readonly owns: (object: { readonly metadata: ObjectMeta }) => boolean;
}

/**
 * Mirrors of one link, by their labels. Linkerd's own controller writes the same ones, so that
 * what it made is taken over.
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

/** Federated Services have no cluster of their own, but members (linkerd-behaviour.md 4.1). */
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

/** The part of a source's mirrors that all links feed together; no cluster may be called that. */
export const federatedPart = "federated";

/** @param part the name of a link's target, or `federated` */
export function ownerOf(part: string): Owner {
  return part === federatedPart ? federated : mirrorsOf(part);
}
