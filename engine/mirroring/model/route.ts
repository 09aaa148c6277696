import {
  keyOf,
  type HttpRoute,
  objectKey,
  type ObjectKey,
  type OtherObject,
  type OtherRoute,
} from "../../kubernetes/objects/objects.ts";
import { marksOn } from "./marks.ts";
import type { Owner } from "./owner.ts";

export interface Routes {
  readonly httpRoutes: readonly HttpRoute[];
  readonly others: readonly (OtherRoute & { readonly kind: string })[];
  readonly profiles: readonly OtherObject[];
}

export const noRoutes: Routes = { httpRoutes: [], others: [], profiles: [] };

/** A cluster's name can't have capitals. */
export const routesPart = "HTTPRoutes";

export const local = "local";

/** With more backends, too many requests would leave the first one while it is healthy. */
export const mostBackends = 4;

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
  readonly mirrors: readonly ObjectKey[];
};

export type RouteDecision = { readonly key: ObjectKey } & (
  | {
      readonly verdict: "create" | "update" | "keep";
      readonly wanted: WantedRoute;
      readonly live?: HttpRoute;
    }
  | { readonly verdict: "delete"; readonly live: HttpRoute }
);

export interface DecidedRoutes {
  readonly routes: readonly RouteDecision[];
  /** The keys name Services that can't fail over, or not to all clusters. */
  readonly problems: readonly { readonly key: ObjectKey; readonly sentence: string }[];
}

export const routeOwner: Owner = {
  words: "a route of this program",
  owns: ({ metadata: { labels = {} } }) =>
    Object.entries(routeLabels).every(([key, value]) => labels[key] === value),
};

/** Routes exist only because this program created them, so one without the stack's mark is another's. */
export function isOwnRoute({ metadata }: HttpRoute, names: readonly string[]): boolean {
  const { isOurs, others } = marksOn(metadata, names);
  return routeOwner.owns({ metadata }) && isOurs && others.length === 0;
}

/** Returns the Services that a route sends requests to, its own among them. */
export function backendsOf({ metadata, spec }: HttpRoute): ObjectKey[] {
  return (spec?.rules ?? []).flatMap(({ backendRefs = [] }) =>
    backendRefs.map(({ name = "", namespace = metadata.namespace }) => objectKey(namespace, name)),
  );
}

/** Says why a backend must stay. */
export function stillSends(route: ObjectKey): string {
  return `HTTPRoute ${route} still sends requests there`;
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
 * Returns whether the live route sends requests as wanted, whatever fields others have added, and carries no former
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

function meaning({ parentRefs = [], rules = [] }: NonNullable<HttpRoute["spec"]> = {}): string {
  return JSON.stringify([
    parentRefs.map(targetOf),
    rules.map(({ matches = [], backendRefs = [] }) => [
      matches.map(({ path }) => [path?.type, path?.value]),
      backendRefs.map((ref) => [...targetOf(ref), ref.weight]),
    ]),
  ]);
}

function targetOf(ref: NonNullable<NonNullable<HttpRoute["spec"]>["parentRefs"]>[number]) {
  return [ref.group, ref.kind, ref.namespace, ref.name, ref.port];
}

/** Returns `failover of web:80: web, then web-west, then web-north` for previews and state. */
export function describeRoute({ spec }: HttpRoute): string {
  const [port] = (spec?.parentRefs ?? []).map(({ name, port }) => `${name ?? ""}:${port ?? ""}`);
  const backends = (spec?.rules ?? []).flatMap(({ backendRefs = [] }) => backendRefs);
  return `failover of ${port ?? ""}: ${backends.map(({ name }) => name).join(", then ")}`;
}

export function failoverSentences({ routes, problems }: DecidedRoutes): [ObjectKey, string][] {
  const pending = { create: " (pending: create)", update: " (pending: update)", keep: "" };
  return [
    ...routes.flatMap((route): [ObjectKey, string][] => {
      if (route.verdict === "delete") return [];
      const { key, wanted, verdict } = route;
      const [service] = wanted.spec.parentRefs ?? [];
      const line = `${describeRoute(wanted)}, by HTTPRoute ${key}${pending[verdict]}`;
      return [[objectKey(wanted.metadata.namespace, service?.name ?? ""), line]];
    }),
    ...problems.map(({ key, sentence }): [ObjectKey, string] => [key, `failover: ${sentence}`]),
  ];
}
