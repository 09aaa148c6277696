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

export interface Difference {
  readonly service: readonly FieldChange[];
  readonly endpoints: readonly FieldChange[];
  /** The Service has to be deleted and created again. */
  readonly replace: boolean;
}

const nothing = "none";

/**
 * How a mirror that exists differs from what it should be, in every field that is ours. The
 * annotation with the exported object's resourceVersion is kept for Linkerd's tools but is no
 * reason to write: it changes with every heartbeat of the target.
 */
export function difference(live: LiveMirror, wanted: Mirror, addressOf: AddressOf): Difference {
  const service = live.service === undefined ? [] : serviceFields(live.service, wanted);
  return {
    service,
    endpoints: endpointsFields(live.endpoints, wanted, addressOf),
    replace: service.some((change) => change.field === "clusterIP"),
  };
}

function serviceFields(live: Service, wanted: Mirror): FieldChange[] {
  const headless = wanted.kind === "headless";
  return [
    ...changed(
      "clusterIP",
      isHeadless(live) ? "None" : "an address",
      headless ? "None" : "an address",
    ),
    ...changed("type", live.spec.type ?? "ClusterIP", "ClusterIP"),
    ...changed("selector", mapText(live.spec.selector), nothing),
    ...changed("ports", portsText(live.spec.ports), portsText(wanted.ports)),
    ...mapFields("label", live.metadata, "labels", wanted.labels, wanted.withheld?.labels),
    ...mapFields(
      "annotation",
      live.metadata,
      "annotations",
      wanted.annotations,
      wanted.withheld?.annotations,
    ),
  ];
}

function endpointsFields(
  live: Endpoints | undefined,
  { endpoints: wanted, withheld }: Pick<Mirror, "endpoints" | "withheld">,
  addressOf: AddressOf,
): FieldChange[] {
  if (live === undefined && wanted === undefined) return [];
  const liveList = live === undefined ? undefined : liveTexts(live.subsets);
  const wantedList = wanted === undefined ? undefined : wantedTexts(wanted.subsets, addressOf);
  const addresses = changed(
    "endpoints",
    listText(liveList, wantedList),
    listText(wantedList, liveList),
    {
      differs: JSON.stringify(liveList) !== JSON.stringify(wantedList),
    },
  );
  if (live === undefined || wanted === undefined) return addresses;
  return [
    ...addresses,
    ...mapFields("endpoints label", live.metadata, "labels", wanted.labels, withheld?.labels),
    ...mapFields("endpoints annotation", live.metadata, "annotations", wanted.annotations),
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
  { differs = live !== wanted } = {},
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
