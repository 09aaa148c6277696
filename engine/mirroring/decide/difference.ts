import type { Mirror, Withheld } from "../../model/mirror.ts";
import {
  isHeadless,
  type Endpoints,
  type ObjectMeta,
  type Service,
  type StringMap,
} from "../../../kubernetes/objects/objects.ts";
import { annotation } from "../../model/vocabulary.ts";
import { liveTexts, portsText, wantedTexts, type AddressOf } from "./canonical.ts";
import type { FieldChange, LiveMirror } from "../decision.ts";
import { listed, shortened } from "../../model/text.ts";
import { type KeyField, staleKeys } from "./written-keys.ts";

const nothing = "none";

/**
 * How a mirror that exists differs from what it should be, in every field that is ours. The
 * annotation with the exported object's resourceVersion is kept for Linkerd's tools but is no
 * reason to write: it changes with every heartbeat of the target. `replace`: the Service has to be deleted and created again.
 */
export function difference(live: LiveMirror, wanted: Mirror, addressOf: AddressOf) {
  const service = live.service === undefined ? [] : serviceFields(live.service, wanted);
  const endpoints = endpointsFields(live.endpoints, wanted, addressOf);
  return { service, endpoints, replace: service.some(({ field }) => field === "clusterIP") };
}

function serviceFields({ metadata, spec }: Service, wanted: Mirror): FieldChange[] {
  const { labels, annotations, withheld } = wanted;
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
    ...mapFields("label", metadata, "labels", labels, withheld?.labels),
    ...mapFields("annotation", metadata, "annotations", annotations, withheld?.annotations),
  ];
}

function endpointsFields(
  live: Endpoints | undefined,
  { endpoints: wanted, withheld }: Mirror,
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
    ...mapFields("endpoints label", metadata, "labels", wanted.labels, withheld?.labels),
    ...mapFields("endpoints annotation", metadata, "annotations", wanted.annotations),
  ];
}

/** Keys that are missing, have another value, or are there and should not be. */
function mapFields(
  word: string,
  live: ObjectMeta,
  field: KeyField,
  wanted: StringMap,
  withheld?: Withheld,
): FieldChange[] {
  // A map, because a key may be called what every object inherits, like `constructor`.
  const is = new Map(Object.entries(live[field] ?? {}));
  const differing = Object.entries(wanted).flatMap(([key, value]) =>
    key === annotation.remoteResourceVersion || is.get(key) === value
      ? []
      : changed(`${word} ${key}`, quoted(is.get(key)), quoted(value)),
  );
  const going = staleKeys(field, live, wanted, withheld).flatMap((key) =>
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

function quoted(value: string | undefined): string {
  return value === undefined ? nothing : JSON.stringify(value);
}

function mapText(map: StringMap = {}): string {
  const entries = Object.entries(map).map(([key, value]) => `${key}=${value}`);
  return entries.length === 0 ? nothing : entries.sort().join(", ");
}

/** What a list has that the other has not, since the rest of it does not change. */
function listText(list: readonly string[] | undefined, other: readonly string[] = []): string {
  if (list === undefined) return "no object";
  const others = new Set(other);
  const own = list.filter((text) => !others.has(text));
  return own.length === 0 ? nothing : listed(own);
}
