import {
  isHeadless,
  type Endpoints,
  type ObjectMeta,
  type Service,
  type StringMap,
} from "../kubernetes/objects/objects.ts";
import type { Mirror, FieldChange } from "./mirror.ts";
import { fieldsOfMakers, fieldsOfOthers, writerOf } from "./field-writers.ts";
import { isNarrowingKey } from "./narrowing.ts";
import { listed } from "../base/message.ts";
import { annotation, label } from "./vocabulary.ts";
import { liveTexts, portsText, wantedTexts, type AddressOf } from "./canonical.ts";
import { printable } from "../kubernetes/objects/printable.ts";

export const nothing = "none";

const versionField = `annotation ${annotation.remoteResourceVersion}`;

/**
 * Compares every field of a mirror that an update can set. `remote-resource-version` changes with every heartbeat of the
 * target, so it counts only for headless mirrors: Linkerd's controller would take an older one for a reason to put the
 * gateway's address in the place of the pods' mirrors, when it takes the mirror over.
 */
export function serviceFields({ metadata, spec }: Service, wanted: Mirror): FieldChange[] {
  const { kind, labels, annotations } = wanted;
  const addressOf = (isHeadless: boolean) => (isHeadless ? "None" : "an address");
  const fields = [
    ...changed(
      "clusterIP",
      addressOf(isHeadless({ metadata, spec })),
      addressOf(kind === "headless"),
    ),
    ...Object.entries(mirrorSpec(spec)).flatMap(([field, [live, wanted]]) =>
      changed(field, live, wanted),
    ),
    ...changed("ports", portsText(spec.ports), portsText(wanted.ports)),
  ].map((change) => withWriter(change, metadata, ["spec", change.field]));
  return [
    ...fields,
    ...mapFields("label", metadata, "labels", labels),
    ...mapFields("annotation", metadata, "annotations", annotations).filter(
      ({ field }) => kind === "headless" || field !== versionField,
    ),
  ];
}

/** Returns what these fields are, and what they are on every mirror: mostly the API's defaults. */
function mirrorSpec(spec: Service["spec"]): Readonly<Record<string, readonly [string, string]>> {
  return {
    type: [spec.type ?? "ClusterIP", "ClusterIP"],
    selector: [mapText(spec.selector), nothing],
    externalIPs: [listText(spec.externalIPs ?? []), nothing],
    externalName: [spec.externalName ?? nothing, nothing],
    internalTrafficPolicy: [spec.internalTrafficPolicy ?? "Cluster", "Cluster"],
    loadBalancerIP: [spec.loadBalancerIP ?? nothing, nothing],
    publishNotReadyAddresses: [String(spec.publishNotReadyAddresses ?? false), "false"],
    sessionAffinity: [spec.sessionAffinity ?? "None", "None"],
    trafficDistribution: [spec.trafficDistribution ?? nothing, nothing],
  };
}

/** Whoever sets one of these on a mirror sets it against this program, since their values never change. */
export const constantFields: ReadonlySet<string> = new Set(Object.keys(mirrorSpec({})));

/** Whatever these are, the Service serves the same requests at its address. */
const harmless: ReadonlySet<string> = new Set([
  ...["externalIPs", "loadBalancerIP", "publishNotReadyAddresses"],
  ...["sessionAffinity", "trafficDistribution", versionField],
]);

/**
 * Returns whether a mirror with these differences serves as it should. A webhook may set such a field in each write, and
 * what waits for the mirror would wait for ever.
 */
export function isServing(fields: readonly FieldChange[]): boolean {
  return fields.every(({ field }) => harmless.has(field));
}

/** An update leaves them out, so that they get their defaults: a Service of type ClusterIP can't have the latter. */
const omitted: ReadonlySet<string> = new Set([
  ...constantFields,
  ...["allocateLoadBalancerNodePorts", "externalTrafficPolicy", "healthCheckNodePort"],
  ...["loadBalancerClass", "loadBalancerSourceRanges", "sessionAffinityConfig"],
]);

/** Keeps the fields that this program doesn't know, and those that no update can change. */
export function keptSpec(spec: Service["spec"]): Service["spec"] {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !omitted.has(field)));
}

/** Returns the fields that others have written and this program keeps, with their writers. */
export function keptFields({ metadata }: Service): string[] {
  const fields = fieldsOfOthers(metadata, ["spec"]).filter(
    (field) => !omitted.has(field) && field !== "ports",
  );
  return [...new Set(fields)].map(
    (field) => `${field} (set by ${writerOf(metadata, ["spec", field])?.manager ?? ""})`,
  );
}

function withWriter(
  change: FieldChange,
  metadata: ObjectMeta,
  path: readonly string[],
): FieldChange {
  const writer = writerOf(metadata, path);
  return writer === undefined ? change : { ...change, writer };
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
    ...addresses.map((change) => withWriter(change, metadata, ["subsets"])),
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
    is.get(key) === value ? [] : changed(`${word} ${key}`, quoted(is.get(key)), quoted(value)),
  );
  const going = staleKeys(field, live, wanted).flatMap((key) =>
    changed(`${word} ${key}`, quoted(is.get(key)), nothing),
  );
  return [...differing, ...going]
    .map((change) =>
      withWriter(change, live, ["metadata", field, change.field.slice(word.length + 1)]),
    )
    .sort((a, b) => (a.field < b.field ? -1 : 1));
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
  const written = fieldsOfMakers(live, ["metadata", field]);
  return extra.filter((key) => vocabulary.has(key) || isNarrowingKey(key) || written.has(key));
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
