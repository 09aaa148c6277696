import {
  isHeadless,
  type Endpoints,
  type ManagedFields,
  type ObjectMeta,
  type Service,
  type StringMap,
} from "../../kubernetes/objects/objects.ts";
import type { Mirror, FieldChange } from "./mirror.ts";
import { isOfProgram } from "./marks.ts";
import { listed } from "../../message.ts";
import { annotation, label } from "./vocabulary.ts";
import { liveTexts, portsText, wantedTexts, type AddressOf } from "./canonical.ts";
import { printable } from "../../kubernetes/objects/printable.ts";

export const nothing = "none";

/**
 * Compares every field that this program manages, except `remote-resource-version`, which changes with every heartbeat
 * of the target and serves only Linkerd's tools.
 */
export function serviceFields({ metadata, spec }: Service, wanted: Mirror): FieldChange[] {
  const { labels, annotations } = wanted;
  const addressOf = (isHeadless: boolean) => (isHeadless ? "None" : "an address");
  return [
    ...changed(
      "clusterIP",
      addressOf(isHeadless({ metadata, spec })),
      addressOf(wanted.kind === "headless"),
    ),
    ...changed("type", spec.type ?? "ClusterIP", "ClusterIP"),
    ...changed("selector", mapText(spec.selector), nothing),
    ...changed("ports", portsText(spec.ports), portsText(wanted.ports)),
    ...mapFields("label", metadata, "labels", labels),
    ...mapFields("annotation", metadata, "annotations", annotations),
  ];
}

/** Returns whether the Service has to be deleted and created again. */
export function mustReplace(fields: readonly FieldChange[]): boolean {
  return fields.some(({ field }) => field === "clusterIP");
}

export function endpointsFields(
  live: Endpoints | undefined,
  { endpoints: wanted }: Mirror,
  addressOf: AddressOf,
): FieldChange[] {
  const is = live && liveTexts(live.subsets);
  const should = wanted && wantedTexts(wanted.subsets, addressOf);
  const differs = JSON.stringify(is) !== JSON.stringify(should);
  const addresses = changed("endpoints", listText(is, should), listText(should, is), differs);
  if (live === undefined || wanted === undefined) return addresses;
  const { metadata } = live;
  return [
    ...addresses,
    ...mapFields("endpoints label", metadata, "labels", wanted.labels),
    ...mapFields("endpoints annotation", metadata, "annotations", wanted.annotations),
  ];
}

function mapFields(
  word: string,
  live: ObjectMeta,
  field: KeyField,
  wanted: StringMap,
): FieldChange[] {
  // It is a Map, because a key may be the name of a property that every object inherits, such as `constructor`.
  const is = new Map(Object.entries(live[field] ?? {}));
  const differing = Object.entries(wanted).flatMap(([key, value]) =>
    key === annotation.remoteResourceVersion || is.get(key) === value
      ? []
      : changed(`${word} ${key}`, quoted(is.get(key)), quoted(value)),
  );
  const going = staleKeys(field, live, wanted).flatMap((key) =>
    changed(`${word} ${key}`, quoted(is.get(key)), nothing),
  );
  return [...differing, ...going].sort((a, b) => (a.field < b.field ? -1 : 1));
}

function changed(
  field: string,
  live: string,
  wanted: string,
  differs = live !== wanted,
): FieldChange[] {
  return differs ? [{ field, live: shortened(live), wanted: shortened(wanted) }] : [];
}

/** Pulumi cuts lines of a diff after 150 characters, and a line has to hold two of these texts. */
const longest = 66;

/** Shortens a value, which may be a whole manifest, and makes it safe for a terminal. */
export function shortened(text: string): string {
  // A list may be somewhat longer, because it ends with the number of the others.
  return text.length <= longest + 20
    ? printable(text)
    : `${printable(text.slice(0, longest))}… (${String(text.length)} characters)`;
}

function quoted(value: string | undefined): string {
  return value === undefined ? nothing : JSON.stringify(value);
}

function mapText(map: StringMap = {}): string {
  const entries = Object.entries(map).map(([key, value]) => `${key}=${value}`);
  return entries.length === 0 ? nothing : entries.sort().join(", ");
}

function listText(list: readonly string[] | undefined, other: readonly string[] = []): string {
  if (list === undefined) return "no object";
  const others = new Set(other);
  const own = list.filter((text) => !others.has(text));
  return own.length === 0 ? nothing : listed(own, 3);
}

type KeyField = "labels" | "annotations";

/**
 * Returns unwanted keys that are Linkerd's own, or that only programs that make mirrors have written. Other keys stay,
 * because each run would otherwise fight with admission or a person over them: the API server records who writes a
 * field before admission changes the object, so a key that admission adds is nobody's.
 */
export function staleKeys(field: KeyField, live: ObjectMeta, wanted: StringMap): string[] {
  const extra = Object.keys(live[field] ?? {}).filter((key) => !Object.hasOwn(wanted, key));
  if (extra.length === 0) return [];
  const written = keysWritten(field, live.managedFields ?? []);
  return extra.filter((key) => vocabulary.has(key) || written.has(key));
}

/** These keys describe a mirror, whoever has written them; opaque ports are copied like any other. */
const vocabulary = new Set<string>(
  [...Object.values(label), ...Object.values(annotation)].filter(
    (key) => key !== annotation.opaquePorts,
  ),
);

/** Keeps live keys that this program doesn't manage. */
export function mergedKeys(
  field: KeyField,
  live: ObjectMeta | undefined,
  wanted: StringMap,
): StringMap {
  if (live === undefined) return wanted;
  const stale = new Set(staleKeys(field, live, wanted));
  const kept = Object.entries(live[field] ?? {}).filter(([key]) => !stale.has(key));
  return { ...Object.fromEntries(kept), ...wanted };
}

/** Returns keys set by this program or by whoever has set the label of a mirror, as Linkerd's controller does. */
function keysWritten(field: KeyField, entries: readonly ManagedFields[]): ReadonlySet<string> {
  const isMaker = (entry: ManagedFields) =>
    isOfProgram(entry.manager) || keysOf("labels", entry).includes(label.mirrored);
  const makers = new Set(entries.filter(isMaker).map(({ manager }) => manager));
  const keysBy = (isMade: boolean) =>
    entries.flatMap((entry) => (makers.has(entry.manager) === isMade ? keysOf(field, entry) : []));
  const others = new Set(keysBy(false));
  return new Set(keysBy(true).filter((key) => !others.has(key)));
}

interface FieldsV1 {
  readonly "f:metadata"?: Readonly<Partial<Record<`f:${KeyField}`, object>>>;
}

/** Reads the keys below `f:metadata` and `f:labels`, which are spelled `f:<key>`. */
function keysOf(field: KeyField, { fieldsV1 }: ManagedFields): string[] {
  const { "f:metadata": metadata = {} } = (fieldsV1 ?? {}) as FieldsV1;
  return Object.keys(metadata[`f:${field}`] ?? {}).flatMap((key) =>
    key.startsWith("f:") ? [key.slice("f:".length)] : [],
  );
}
