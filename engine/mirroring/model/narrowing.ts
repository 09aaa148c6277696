import { createHash } from "node:crypto";
import type { ObjectMeta, ServicePort, StringMap } from "../../kubernetes/objects/objects.ts";
import type { MetadataRules } from "./link.ts";
import { localMember, managerOf, marksOn, stackOf } from "./marks.ts";

/**
 * A federated Service has no port that a member's exporter omits, whichever stack lists the member. So each stack says in
 * an annotation what it narrows, and all apply the union (docs/decisions/0022-what-members-omit.md).
 */
export interface Narrowing {
  /** A port is `9090/TCP`. */
  readonly ports: ReadonlySet<string>;
  /** Labels and annotations of the local member are copied by all of these rules. */
  readonly rules: readonly MetadataRules[];
}

/** A stack without a record copies as by default. */
const ordinary: MetadataRules = { excludedLabels: [], excludedAnnotations: [], copiedMetadata: [] };

const prefix = "linkerd-multicluster/narrows-";

export function isNarrowingKey(key: string): boolean {
  return key.startsWith(prefix);
}

/** @param stack as a mark names it */
function keyFor(stack: string): string {
  return `${prefix}${createHash("sha256").update(stack).digest("hex").slice(0, 16)}`;
}

export function portKey({ port, protocol = "TCP" }: ServicePort): string {
  return `${port}/${protocol}`;
}

export interface OthersNarrowing extends Narrowing {
  /** They have marked a member that is listed. A record of any other stack counts for nothing. */
  readonly stacks: ReadonlySet<string>;
}

/** @param namesOf marks of a member under these names are this stack's */
export function othersNarrowing(
  metadata: Pick<ObjectMeta, "annotations" | "managedFields">,
  listed: Iterable<string>,
  namesOf: (cluster: string) => readonly string[],
): OthersNarrowing {
  const ports = new Set<string>();
  const rules: MetadataRules[] = [];
  const stacks = new Set<string>();
  for (const cluster of listed)
    for (const stack of marksOn(metadata, namesOf(cluster), cluster).others) {
      stacks.add(stack);
      const found = narrowingOf(metadata, stack);
      for (const port of found.ports) ports.add(port);
      if (cluster === localMember)
        rules.push(...(found.rules.length > 0 ? found.rules : [ordinary]));
    }
  return { stacks, ports, rules };
}

/** A record that can't be read narrows nothing, and its stack writes it again. */
export function narrowingOf(
  { annotations = {} }: Pick<ObjectMeta, "annotations">,
  stack: string,
): Narrowing {
  const record = parsed(annotations[keyFor(marked(stack))] ?? "");
  const rules = fieldOf(record, "rules");
  return {
    ports: new Set(texts(fieldOf(record, "ports"))),
    rules: Array.isArray(rules) ? rules.map(rulesIn) : [],
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function rulesIn(value: unknown): MetadataRules {
  return {
    excludedLabels: texts(fieldOf(value, "excludedLabels")),
    excludedAnnotations: texts(fieldOf(value, "excludedAnnotations")),
    copiedMetadata: texts(fieldOf(value, "copiedMetadata")),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Returns no annotation for a stack that narrows nothing. */
export function recordOf(stack: string, { ports, rules }: Narrowing): StringMap {
  const texts = new Set(
    rules.map(({ excludedLabels, excludedAnnotations, copiedMetadata }) =>
      JSON.stringify({ excludedLabels, excludedAnnotations, copiedMetadata }, withoutEmpty),
    ),
  );
  const isOrdinary = [...texts].every((text) => text === "{}");
  if (ports.size === 0 && isOrdinary) return {};
  const all: unknown[] = isOrdinary
    ? []
    : [...texts].sort().map((text): unknown => JSON.parse(text));
  const record = { ports: [...ports].sort(), rules: all };
  return { [keyFor(marked(stack))]: JSON.stringify(record, withoutEmpty) };
}

function withoutEmpty(_key: string, value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

/** Returns the records of these stacks as they are. */
export function recordsOf(
  { annotations = {} }: Pick<ObjectMeta, "annotations">,
  stacks: ReadonlySet<string>,
): StringMap {
  const keys = new Set([...stacks].map(keyFor));
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => keys.has(key)));
}

/** A mark may shorten a name. */
function marked(stack: string): string {
  return stackOf(managerOf(stack)) ?? stack;
}
