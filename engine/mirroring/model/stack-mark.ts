import type { ObjectMeta } from "../../kubernetes/objects.ts";

/**
 * How a stack marks the mirrors that its runs write or confirm: as a field manager of its own, which
 * changes nothing about the object. So a stack that is destroyed leaves what another one keeps.
 */

const prefix = "linkerd-multicluster/";

/** The API server allows this many characters. */
const longest = 128;

/** @param stack as `project/stack` */
export function managerOf(stack: string): string {
  return `${prefix}${stack}`.slice(0, longest);
}

/** Whether a stack of this program, this or another, has written by that name. */
export function isOurManager(manager: string | undefined): boolean {
  return manager?.startsWith(prefix) === true;
}

/**
 * The other stacks of this program that have written or confirmed an object.
 *
 * @param own the stack itself, and the names that it has had
 */
export function otherStacks({ managedFields = [] }: ObjectMeta, own: readonly string[]): string[] {
  const others: string[] = [];
  for (const { manager = "" } of managedFields) {
    if (!manager.startsWith(prefix) || isOneOf(own, manager)) continue;
    const stack = manager.slice(prefix.length);
    if (!others.includes(stack)) others.push(stack);
  }
  return others.sort();
}

export function isMarkedBy({ managedFields = [] }: ObjectMeta, own: readonly string[]): boolean {
  return managedFields.some(({ manager = "" }) => isOneOf(own, manager));
}

/** Asked of every mirror, where a set of the few names would take longer to make than to go through them. */
function isOneOf(stacks: readonly string[], manager: string): boolean {
  return stacks.some((stack) => managerOf(stack) === manager);
}
