import { keyOf, objectKey, type ObjectKey } from "../kubernetes/objects/objects.ts";
import type { HttpRoute, OtherRoute } from "../kubernetes/objects/route-resource.ts";
import type { Deletion } from "./decision.ts";
import { originOf } from "./live-mirrors.ts";
import type { Drain } from "./drain.ts";
import { marksOn } from "./marks.ts";
import type { Owner } from "./owner.ts";
import { chainWeight, type Routing } from "./traffic.ts";
import { verdicts } from "./verdicts.ts";

export interface Routes {
  readonly httpRoutes: readonly HttpRoute[];
  /** Without the kind, nobody can write an HTTPRoute there. By default, it is served. */
  readonly areServed?: boolean;
  /** Routes and ServiceProfiles, which this program never writes. */
  readonly others: readonly (OtherRoute & { readonly kind: string })[];
}

export const noRoutes: Routes = { httpRoutes: [], others: [] };

/** A cluster's name can't have capitals. */
export const routesPart = "HTTPRoutes";

export const routeKey = (key: ObjectKey): string => `HTTPRoute ${key}`;

export const routeLabels = { "app.kubernetes.io/managed-by": "linkerd-multicluster" } as const;
export const routeSelector = "app.kubernetes.io/managed-by=linkerd-multicluster";

/**
 * A proxy tries another backend after a fail-fast only if its route retries requests. No server answers with 599, so
 * nothing else is retried.
 */
export const retryKey = "retry.linkerd.io/http";
export const retries = { [retryKey]: "599" };

export type WantedRoute = Required<Pick<HttpRoute, "spec">> & {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly annotations: Readonly<Record<string, string>>;
  };
};

/** Each live route of this stack has one. */
export type RouteDecision = { readonly key: ObjectKey } & (
  | { readonly verdict: "create"; readonly wanted: WantedRoute; readonly live?: undefined }
  | { readonly verdict: "update"; readonly wanted: WantedRoute; readonly live: HttpRoute }
  /** If it isn't wanted, it stays because the user has a route for the same Service. */
  | { readonly verdict: "keep"; readonly wanted?: WantedRoute; readonly live: HttpRoute }
  /** A route with this stack's mark whose label somebody removed, or which somebody else has marked too. */
  | { readonly verdict: "handOver"; readonly live: HttpRoute }
  /** Config or state tells of a known one; anybody could have forged another. */
  | { readonly verdict: "delete"; readonly live: HttpRoute; readonly isKnown: boolean }
);

/** Returns the route as it is after the run, if it then exists. */
export function routeAfter(decision: RouteDecision): WantedRoute | HttpRoute | undefined {
  if (decision.verdict === "delete" || decision.verdict === "handOver") return undefined;
  return decision.verdict === "keep" ? (decision.wanted ?? decision.live) : decision.wanted;
}

export interface RouteProblem {
  readonly key: ObjectKey;
  readonly setting?: Routing["setting"];
  readonly sentence: string;
}

export interface DecidedRoutes {
  readonly routes: readonly RouteDecision[];
  /** The keys name Services whose requests don't go to all clusters of the config, or routes. */
  readonly problems: readonly RouteProblem[];
  readonly drains: readonly Drain[];
  /** The next run has to know that these Services may have routes, because a run that deletes the last one may fail. */
  readonly services: readonly ObjectKey[];
}

export const routeOwner: Owner = {
  words: "a route of this program",
  owns: ({ metadata: { labels = {} } }) =>
    Object.entries(routeLabels).every(([key, value]) => labels[key] === value),
};

/** Routes exist only because this program created them, so one without the stack's mark is another's. */
export function isOwnRoute({ metadata }: HttpRoute, names: readonly string[]): boolean {
  const { isOurs, others } = marksOn(metadata, names);
  const isNamed = /-failover-\d+$/.test(metadata.name);
  return isNamed && routeOwner.owns({ metadata }) && isOurs && others.length === 0;
}

/** Returns whether this stack has made the route, but can't be told to be the only one that needs it. */
export function isEstranged(route: HttpRoute, names: readonly string[]): boolean {
  return marksOn(route.metadata, names).isOurs && !isOwnRoute(route, names);
}

/**
 * Finds this stack's routes. Whoever writes to one namespace can forge all that marks a route, which then goes. If a
 * finalizer keeps it, only config and state tell that it is real.
 *
 * @param failedOver Services that fail over, or did so in the run before
 */
export function ownRoutes(
  { httpRoutes }: Routes,
  names: readonly string[],
  failedOver: readonly ObjectKey[],
): ReadonlyMap<ObjectKey, HttpRoute> {
  const isReal = (route: HttpRoute) =>
    route.metadata.deletionTimestamp === undefined ||
    failedOver.some((service) => appliesTo(route, service));
  return new Map(
    httpRoutes
      .filter((route) => isOwnRoute(route, names) && isReal(route))
      .map((route) => [keyOf(route), route]),
  );
}

/** Returns the Services that a route names as backends, its own among them. */
export function backendsOf({ metadata, spec }: HttpRoute | WantedRoute, least = 0): ObjectKey[] {
  return (spec?.rules ?? []).flatMap(({ backendRefs = [] }) =>
    backendRefs
      .filter(({ weight = 1 }) => weight >= least)
      .map(({ name = "", namespace = metadata.namespace }) => objectKey(namespace, name)),
  );
}

/** Returns the Services to which the routes of a Service send its requests. */
export function namedBackends(routes: Iterable<HttpRoute>, service: ObjectKey): ObjectKey[] {
  return [...routes]
    .filter((route) => appliesTo(route, service))
    .flatMap((route) => backendsOf(route));
}

/** Says why a backend must stay. */
export function stillSends(route: ObjectKey): string {
  return `HTTPRoute ${route} still sends requests there`;
}

/**
 * Returns whether a route of this stack sends requests to a mirror. Only mirrors of its own Service count, so that
 * nobody keeps those of another namespace with a forged route.
 */
export function sendsTo(route: HttpRoute, { key, live }: Pick<Deletion, "key" | "live">): boolean {
  const { service } = originOf(key, live);
  return service !== undefined && appliesTo(route, service) && backendsOf(route).includes(key);
}

/** Returns whether requests that clients of any namespace send to the Service follow the route. */
export function appliesTo({ metadata, spec }: OtherRoute, service: ObjectKey): boolean {
  return (spec?.parentRefs ?? []).some(
    ({ kind, name = "", namespace = metadata.namespace }) =>
      kind === "Service" &&
      namespace === metadata.namespace &&
      keyOf({ metadata: { name, namespace } }) === service,
  );
}

/**
 * Returns whether the live route sends requests as wanted, whatever annotations others have added, and carries no former
 * mark.
 *
 * @param names of the stack, the current one first
 */
export function isRight(
  { metadata, spec }: HttpRoute,
  wanted: WantedRoute,
  [, ...former]: readonly string[],
): boolean {
  return (
    !marksOn(metadata, former).isOurs &&
    meaning(spec) === meaning(wanted.spec) &&
    metadata.annotations?.[retryKey] === wanted.metadata.annotations[retryKey]
  );
}

/** Requests depend on all of this; an empty list is the same as none. */
function meaning({ parentRefs = [], hostnames = [], rules = [] }: HttpRoute["spec"] = {}): string {
  return JSON.stringify([
    parentRefs.map(targetOf),
    hostnames,
    rules.map(({ matches = [], backendRefs = [], filters = [], timeouts }) => [
      matches.map(({ path, method, headers = [], queryParams = [] }) => {
        return [path?.type, path?.value, method, headers, queryParams];
      }),
      backendRefs.map((ref) => [...targetOf(ref), ref.weight, ref.filters ?? []]),
      filters,
      timeouts,
    ]),
  ]);
}

function targetOf(ref: NonNullable<NonNullable<HttpRoute["spec"]>["parentRefs"]>[number]) {
  return [ref.group, ref.kind, ref.namespace, ref.name, ref.port];
}

/**
 * Returns `failover of web:80: web, then web-west, then web-north` for previews and state, or `split of web:80: web 90,
 * web-west 10`.
 */
export function describeRoute({ spec }: HttpRoute | WantedRoute): string {
  const [port] = (spec?.parentRefs ?? []).map(({ name, port }) => `${name ?? ""}:${port ?? ""}`);
  const backends = (spec?.rules ?? []).flatMap(({ backendRefs = [] }) => backendRefs);
  const { length } = backends;
  if (backends.every(({ weight }, index) => weight === chainWeight(index, length)))
    return `failover of ${port ?? ""}: ${backends.map(({ name }) => name).join(", then ")}`;
  const shares = backends.map(({ name = "", weight = 1 }) => `${name} ${weight}`);
  return `split of ${port ?? ""}: ${shares.join(", ")}`;
}

/** Returns by Service to which Services its live routes send requests. */
export function servedBackends({ routes }: DecidedRoutes): ReadonlyMap<ObjectKey, ObjectKey[]> {
  const found = new Map<ObjectKey, ObjectKey[]>();
  for (const { live } of routes) {
    const [service] = live?.spec?.parentRefs ?? [];
    if (live === undefined || service === undefined) continue;
    const key = objectKey(live.metadata.namespace, service.name ?? "");
    found.set(key, [...new Set([...(found.get(key) ?? []), ...backendsOf(live, 1)])]);
  }
  return found;
}

export function routeSentences({ routes, problems }: DecidedRoutes): [ObjectKey, string][] {
  return [
    ...routes.flatMap((route): [ObjectKey, string][] => {
      const after = routeAfter(route);
      if (after === undefined) return [];
      const [service] = after.spec?.parentRefs ?? [];
      const line = `${describeRoute(after)}, by HTTPRoute ${route.key}${verdicts[route.verdict].next}`;
      return [[objectKey(after.metadata.namespace, service?.name ?? ""), line]];
    }),
    ...problems.map(({ key, setting = "failover", sentence }): [ObjectKey, string] => {
      return [key, `${setting}: ${sentence}`];
    }),
  ];
}
