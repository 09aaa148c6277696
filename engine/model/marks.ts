import { createHash } from "node:crypto";
import type { ManagedFields, ObjectMeta } from "../kubernetes/objects/objects.ts";

/**
 * A stack's mark is a field manager, which changes nothing about the object and survives writes by others
 * (docs/decisions/0020-one-ownership-rule.md). A mirror of a link carries `<program>/<stack>`, a federated Service one
 * mark per member, `<program>/<stack>#<member>`.
 */

/** Writes to federated Services use a field manager that marks nothing, since their marks are per member. */
export const federatedWriter = "linkerd-multicluster-federated";

const prefix = "linkerd-multicluster/";

/** The API server allows 128 characters; these remain for the names of a stack and a member. */
const longest = { stack: 85, member: 21 } as const;

/** This stands for the source itself as a member; no cluster's name begins with a dot. */
export const localMember = ".local";

/** @param stack is `organization/project/stack`; state of earlier versions has `project/stack` */
export function managerOf(stack: string, member?: string): string {
  const whole = `${prefix}${fitting(stack, longest.stack)}`;
  return member === undefined ? whole : `${whole}#${fitting(member, longest.member)}`;
}

function fitting(name: string, most: number): string {
  if (name.length <= most) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 8);
  return `${name.slice(0, most - hash.length - 1)}~${hash}`;
}

/** Returns undefined if another program writes under that name. */
export function stackOf(manager = ""): string | undefined {
  return manager.startsWith(prefix) ? manager.slice(prefix.length).split("#", 1)[0] : undefined;
}

export function wholeMarks({ managedFields = [] }: Pick<ObjectMeta, "managedFields">): string[] {
  return managedFields.flatMap(({ manager = "" }) => manager.split("#", 1));
}

export function isOfProgram(manager: string | undefined): boolean {
  return manager === federatedWriter || stackOf(manager) !== undefined;
}

export interface Marks {
  readonly isOurs: boolean;
  readonly others: readonly string[];
}

/**
 * @param names of this stack: its own, its former ones, and those of stacks that it adopts from
 * @param member of a federated Service; versions before 0.2 marked the Service, which counts for each member
 */
export function marksOn(
  { managedFields = [] }: Pick<ObjectMeta, "managedFields">,
  names: readonly string[],
  member?: string,
): Marks {
  const others = new Set<string>();
  let isOurs = false;
  for (const { manager = "" } of managedFields) {
    const stack = stackOf(manager);
    if (stack === undefined) continue;
    const [whole = "", marked] = manager.split("#");
    if (
      marked !== undefined &&
      (member === undefined || marked !== fitting(member, longest.member))
    )
      continue;
    if (names.some((name) => managerOf(name) === whole || isAnyOf(name, stack))) isOurs = true;
    else others.add(stack);
  }
  return { isOurs, others: [...others].sort() };
}

/**
 * Returns whether any stack has marked a member of the federated Service. Members and marks may both be many, so the
 * marks are read once.
 */
export function memberMarks({
  managedFields = [],
}: Pick<ObjectMeta, "managedFields">): (member: string) => boolean {
  const marks = managedFields.flatMap(({ manager = "" }) =>
    stackOf(manager) === undefined ? [] : [manager.split("#")[1]],
  );
  const members = new Set(marks);
  return (member) =>
    members.has(undefined) || (members.size > 0 && members.has(fitting(member, longest.member)));
}

/** A stack that adopted from itself would renew its own marks in every run. */
export function othersAmong(names: readonly string[], own: readonly string[]): string[] {
  return names.filter(
    (name) => !marksOn({ managedFields: [{ manager: managerOf(name) }] }, own).isOurs,
  );
}

/** A reader that doesn't know its stack's organization uses `*`/project/stack, which matches all. */
function isAnyOf(name: string, stack: string): boolean {
  return name.startsWith("*") && `/${stack}`.endsWith(name.slice(1));
}

/** Lists keep only a part of each entry; `find` returns all of it. */
type Entry = ManagedFields & { readonly subresource?: string };

/**
 * Updates this stack's marks. A mark under a former name is renamed rather than replaced, because the entry also
 * records which labels and annotations the stack has written.
 *
 * @param names as in `marksOn`, the current one first
 * @param wanted managers that must be among the entries
 * @param become returns the new manager of an entry of this stack; undefined removes the entry
 */
export function remarked(
  entries: readonly Entry[],
  names: readonly string[],
  wanted: readonly string[],
  become: (manager: string, member: string | undefined) => string | undefined,
): Entry[] {
  const own = new Set(names.map((name) => managerOf(name)));
  const result = new Map<string, Entry>();
  for (const entry of entries) {
    const [whole = "", member] = (entry.manager ?? "").split("#");
    const manager = own.has(whole) ? become(entry.manager ?? "", member) : entry.manager;
    if (own.has(whole) && manager === undefined) continue;
    const key = JSON.stringify([manager, entry.operation, entry.subresource]);
    const { fieldsV1 } = result.get(key) ?? {};
    const fields = fieldsV1 === undefined ? entry.fieldsV1 : union(fieldsV1, entry.fieldsV1);
    result.set(key, { ...entry, ...(manager !== undefined && { manager }), fieldsV1: fields });
  }
  const managers = new Set([...result.values()].map(({ manager }) => manager));
  const missing = wanted.filter((manager) => !managers.has(manager));
  return [...result.values(), ...missing.map(newMark)];
}

/** Every update of a Service sends its ClusterIP back unchanged, so nobody takes this field over. */
function newMark(manager: string): Entry {
  const fieldsV1 = { "f:spec": { "f:clusterIP": {} } };
  const mark = { manager, operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 };
  return mark;
}

function union(left: unknown, right: unknown): unknown {
  if (!isTree(left)) return right;
  if (!isTree(right)) return left;
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return Object.fromEntries(keys.map((key) => [key, union(left[key], right[key])]));
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/**
 * Returns whether an API server, or a proxy in front of it, trims `managedFields`, so that nobody knows whose a mirror
 * is. Kubernetes itself sets them on its own Service.
 */
export function hidesMarks(services: Iterable<{ readonly metadata: ObjectMeta }>): boolean {
  for (const { metadata } of services) if (metadata.managedFields?.length) return false;
  return true;
}

/** Compares marks; fields change with every write, managers don't. */
export function sameManagers(
  entries: readonly ManagedFields[] = [],
  others: readonly ManagedFields[] = [],
): boolean {
  return (
    entries.length === others.length &&
    entries.every(({ manager }, index) => manager === others[index]?.manager)
  );
}

export function marksHidden(source: string): string {
  return `cluster ${source} returns objects without managedFields, which tell this stack's mirrors from those of others, so no mirror is deleted there: check what its context points to (a proxy that trims answers, for example)`;
}

export function anothersMirror(where: string, others: readonly string[]): string {
  return `stack ${others.join(", ")} owns the mirror ${where}: remove its link or its namespace from one of the two stacks, or set adoptFrom on the link to take it over`;
}
