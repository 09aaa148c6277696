import { createHash } from "node:crypto";
import { limited, list, map, parse, text, Wrong } from "../kubernetes/objects/checks.ts";
import type { ObjectMeta, ServicePort, StringMap } from "../kubernetes/objects/objects.ts";
import type { MetadataRules } from "./link.ts";
import { localMember, managerOf, marksOn, stackOf } from "./marks.ts";

/**
 * A federated Service has no port that a member's exporter omits, whichever stack lists the member. So each stack says in
 * an annotation what it narrows, and all apply the union (docs/decisions/0022-what-members-omit.md).
 */
export interface Narrowing {
  /** A port is `9090/TCP`. */
  readonly ports: ReadonlySet<string>;
  /** Labels and annotations of the local member are copied if all of these rules copy them. */
  readonly rules: readonly MetadataRules[];
}

const words = list(text("text"));
const rule = { excludedLabels: words, excludedAnnotations: words, copiedMetadata: words };
/** A stack has a rule for each of its links, and whoever may write the Service can write such a record. */
const mostRules = 2_000;
const record = map({
  ports: words,
  rules: limited(list(map(rule)), " are too many", ({ length }) => length <= mostRules),
});

/** A stack without a record copies as by default. */
const ordinary: MetadataRules = { excludedLabels: [], excludedAnnotations: [], copiedMetadata: [] };

const prefix = "linkerd-multicluster/narrows-";

export function isNarrowingKey(key: string): boolean {
  return key.startsWith(prefix);
}

/** A mark may shorten a stack's name. */
function keyFor(stack: string): string {
  const marked = stackOf(managerOf(stack)) ?? stack;
  return `${prefix}${createHash("sha256").update(marked).digest("hex").slice(0, 16)}`;
}

export function portKey({ port, protocol = "TCP" }: ServicePort): string {
  return `${port}/${protocol}`;
}

/**
 * Returns what other stacks narrow that have marked a listed member, with their records.
 *
 * @param namesOf marks of a member under these names are this stack's
 */
export function othersNarrowing(
  metadata: Pick<ObjectMeta, "annotations" | "managedFields">,
  listed: Iterable<string>,
  namesOf: (cluster: string) => readonly string[],
): Narrowing & { readonly records: StringMap } {
  const ports = new Set<string>();
  const rules: MetadataRules[] = [];
  const records: Record<string, string> = {};
  for (const cluster of listed)
    for (const stack of marksOn(metadata, namesOf(cluster), cluster).others) {
      const found = narrowingOf(metadata, stack);
      for (const port of found.ports) ports.add(port);
      if (cluster === localMember)
        for (const rule of found.rules.length > 0 ? found.rules : [ordinary]) rules.push(rule);
      const text = metadata.annotations?.[keyFor(stack)];
      if (text !== undefined) records[keyFor(stack)] = text;
    }
  return { ports, rules, records };
}

/** A record that can't be read narrows nothing, and its stack writes it again. */
export function narrowingOf({ annotations }: Partial<ObjectMeta>, stack: string): Narrowing {
  const found = record(parse(annotations?.[keyFor(stack)] ?? ""));
  const { ports = [], rules = [] } = found instanceof Wrong ? {} : found;
  return { ports: new Set(ports), rules: rules.map((each) => ({ ...ordinary, ...each })) };
}

/** Returns no annotation for a stack that narrows nothing. */
export function recordOf(stack: string, narrowing: Narrowing): StringMap {
  const ports = [...narrowing.ports].sort();
  const rules = narrowing.rules.map(({ excludedLabels, excludedAnnotations, copiedMetadata }) =>
    JSON.stringify({ excludedLabels, excludedAnnotations, copiedMetadata }),
  );
  const isOrdinary = rules.every((each) => each === JSON.stringify(ordinary));
  if (ports.length === 0 && isOrdinary) return {};
  const special = isOrdinary ? [] : [...new Set(rules)].map(parse);
  return { [keyFor(stack)]: JSON.stringify({ ports, rules: special }) };
}
