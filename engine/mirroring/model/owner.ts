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

/**
 * The mark on each mirror that a stack has written, adopted or confirmed: a field manager of its own, which
 * changes nothing about the object. What has left the config is deleted by this mark alone, so a stack leaves
 * what another one keeps, and what others have made since.
 */

const prefix = "linkerd-multicluster/";

/** The API server allows this many characters. */
const longest = 128;

/** @param stack as `project/stack` */
export function managerOf(stack: string): string {
  return `${prefix}${stack}`.slice(0, longest);
}

/** The stack of this program that writes by that name: `project/stack`; undefined: none does. */
export function stackOf(manager = ""): string | undefined {
  return manager.startsWith(prefix) ? manager.slice(prefix.length) : undefined;
}

/**
 * The other stacks of this program that have written or confirmed an object.
 *
 * @param own the stack itself, and the names that it has had
 */
export function otherStacks(
  { managedFields = [] }: Pick<ObjectMeta, "managedFields">,
  own: readonly string[],
): string[] {
  const others: string[] = [];
  for (const { manager = "" } of managedFields) {
    const stack = stackOf(manager);
    if (stack === undefined || isOneOf(own, manager)) continue;
    if (!others.includes(stack)) others.push(stack);
  }
  return others.sort();
}

export function isMarkedBy(
  { managedFields = [] }: Pick<ObjectMeta, "managedFields">,
  own: readonly string[],
): boolean {
  return managedFields.some(({ manager = "" }) => isOneOf(own, manager));
}

/**
 * Whether an object is provably this stack's and nobody else's: all that may be deleted once no link of the
 * config asks for it. Its labels say which link it was for, and not who made it.
 */
export function isOnlyOurs(meta: ObjectMeta, own: readonly string[]): boolean {
  return isMarkedBy(meta, own) && otherStacks(meta, own).length === 0;
}

/** Asked of every mirror, where a set of the few names would take longer to make than to go through them. */
function isOneOf(stacks: readonly string[], manager: string): boolean {
  return stacks.some((stack) => managerOf(stack) === manager);
}
