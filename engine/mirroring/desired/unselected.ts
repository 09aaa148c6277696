import { malformed, type Service } from "../../kubernetes/objects.ts";
import type { LabelSelector, LinkSpec } from "../model/link.ts";
import { label } from "../model/vocabulary.ts";
import { selects } from "./selector.ts";

/**
 * Labels that look like a request and are none, since no selector takes their value: `memeber` where
 * it is `member`. A Service asks by a selector where it has every label that the selector names;
 * `false` asks for nothing, and a mirror's labels are no request.
 */

/** Who would have to select the Service, and who else may. */
interface Audience {
  /** Whose selectors these are: `this link`. */
  readonly whose: string;
  /** By which the Service could have got what it is missing. */
  readonly selectors: readonly LabelSelector[];
  /** By which it may ask for something else, or in which other links of the stack hear it. */
  readonly others: readonly LabelSelector[];
  /** Linkerd's own label for it: it asks by itself, whatever else the selectors name. */
  readonly request?: string;
}

/**
 * Why a Service without a mirror looks as if it was to have one; undefined where it does not.
 *
 * @param elsewhere selectors by which other links of the stack take Services of the same cluster
 */
export function unselectedExport(
  service: Service,
  link: LinkSpec,
  elsewhere: readonly LabelSelector[] = [],
): string | undefined {
  const { selector, remoteDiscoverySelector, federatedServiceSelector } = link;
  const others = [federatedServiceSelector, ...elsewhere];
  const { labels = {} } = service.metadata;
  const isForGateway = link.gateway === false && labels[label.exported] === "true";
  if (isForGateway && !isMirror(service) && !others.some((each) => selects(each, labels)))
    return `it is labelled ${label.exported}=true and this link has no gateway: label it remote-discovery, or give the link a gateway`;
  return unselected(service, {
    ...{ whose: "this link", others, request: label.exported },
    selectors: [selector, remoteDiscoverySelector],
  });
}

/**
 * The same of a Service that does not join a federated one.
 *
 * @param links into one cluster, that could have let it join
 * @param whose what to call these: `this link`
 */
export function unselectedMember(
  links: readonly LinkSpec[],
  whose: string,
  elsewhere: readonly LabelSelector[],
): (service: Service) => string | undefined {
  const mirroring = links.flatMap((link) => [link.selector, link.remoteDiscoverySelector]);
  const selectors = distinct(links.map(({ federatedServiceSelector }) => federatedServiceSelector));
  const isNamed = selectors.some((selector) => keysOf(selector).has(label.federated));
  const audience = {
    ...{ whose, selectors, others: distinct([...mirroring, ...elsewhere]) },
    ...(isNamed && { request: label.federated }),
  };
  return (service) =>
    selectors.some((selector) => selects(selector, service.metadata.labels))
      ? undefined
      : unselected(service, audience);
}

/** Most links share those of the defaults. */
function distinct<T>(all: readonly T[]): readonly T[] {
  return [...new Set(all)];
}

function unselected(service: Service, audience: Audience): string | undefined {
  if (isMirror(service) || service[malformed] !== undefined) return undefined;
  const { whose, selectors, others, request } = audience;
  const { labels } = service.metadata;
  if (labels === undefined) return undefined;
  const own = new Map(Object.entries(labels));
  const heard = [...selectors, ...others];
  const slips = selectors
    .filter((selector) => [...keysOf(selector)].every((key) => own.has(key)))
    .flatMap((selector) => [...termsOf(selector).keys()])
    .filter((key, index, all) => all.indexOf(key) === index)
    .flatMap((key) => {
      const value = own.get(key) ?? "";
      return value === "false" || heard.some((each) => takes(each, key, value))
        ? []
        : [`${key}=${value}, and the selectors of ${whose} take ${key}=${wanted(key, selectors)}`];
    });
  if (slips.length > 0)
    return `it is labelled ${slips.join("; and ")}: correct the label, or remove it`;
  const value = request === undefined ? undefined : own.get(request);
  if (request === undefined || value === undefined || value === "false") return undefined;
  if (heard.some((selector) => selects(selector, labels))) return undefined;
  return `it is labelled ${request}=${value}, which the selectors of ${whose} do not select: compare them with its labels`;
}

function isMirror({ metadata }: Service): boolean {
  return metadata.labels?.[label.mirrored] === "true";
}

/** Selectors are few, and every Service asks all of them. */
const requiredKeys = new WeakMap<LabelSelector, ReadonlySet<string>>();

/** The labels that a Service must have to be selected. */
function keysOf(selector: LabelSelector): ReadonlySet<string> {
  const known = requiredKeys.get(selector);
  if (known !== undefined) return known;
  const exist = (selector.matchExpressions ?? []).filter(({ operator }) => operator === "Exists");
  const keys = new Set([...termsOf(selector).keys(), ...exist.map(({ key }) => key)]);
  requiredKeys.set(selector, keys);
  return keys;
}

/** The values that a selector takes, by key; keys of which it takes any value, or none, are left out. */
function termsOf({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): ReadonlyMap<string, readonly string[]> {
  const within = matchExpressions.filter(({ operator }) => operator === "In");
  return new Map([
    ...within.map(({ key, values = [] }) => [key, values] as const),
    ...Object.entries(matchLabels).map(([key, value]) => [key, [value]] as const),
  ]);
}

function takes(selector: LabelSelector, key: string, value: string): boolean {
  const values = termsOf(selector).get(key);
  return values === undefined ? keysOf(selector).has(key) : values.includes(value);
}

/** How many values a sentence names before it only counts. */
const named = 4;

function wanted(key: string, selectors: readonly LabelSelector[]): string {
  const values = [...new Set(selectors.flatMap((selector) => termsOf(selector).get(key) ?? []))];
  const more = values.length - named;
  return [...values.slice(0, named), ...(more > 0 ? [`${more} more`] : [])].join(" or ");
}
