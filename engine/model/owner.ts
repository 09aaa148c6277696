import { annotation, federatedName, label } from "./vocabulary.ts";
import type { ObjectMeta, StringMap } from "../kubernetes/objects/objects.ts";

/** Tells whose an object is: only objects that are provably ours may be changed or deleted. */
export interface Owner {
  readonly words: string;
  readonly owns: (object: { readonly metadata: ObjectMeta }) => boolean;
}

/** Linkerd's own controller writes the same labels, so its mirrors can be adopted. */
export function mirrorsOf(target: string): Owner {
  return {
    words: `a mirror of ${target}`,
    owns: ({ metadata: { labels = {} } }) =>
      labels[label.cluster] === target &&
      (isProbe(labels) ||
        (labels[label.mirrored] === "true" && labels[label.mirroredGateway] === undefined)),
  };
}

/**
 * Linkerd's tools find a gateway by this label, and take only `mirrored-service: "true"` for a mirror: they neither count nor
 * remove the Service that a prober asks. With any value, a list by that label has it (snapshot.ts).
 */
export const probeLabels = { [label.mirrored]: "false", [label.mirroredGateway]: "true" } as const;

/** The probe Services of Linkerd's charts have no label `mirrored-service`. */
export function isProbe(labels: StringMap = {}): boolean {
  return Object.entries(probeLabels).every(([key, value]) => labels[key] === value);
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

/** Recognizes mirrors of any target, probes of gateways and federated Services, whoever writes them. */
export const anyMirror: Pick<Owner, "owns"> = {
  owns: ({ metadata: { labels = {} } }) => labels[label.mirrored] === "true" || isProbe(labels),
};

/** All links contribute to this part; no cluster may have its name. */
export const federatedPart = "federated";

export function ownerOf(part: string): Owner {
  return part === federatedPart ? federated : mirrorsOf(part);
}

export function ownerLabels(target: string): StringMap {
  return { [label.mirrored]: "true", [label.cluster]: target };
}
