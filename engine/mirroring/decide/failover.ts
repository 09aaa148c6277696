import {
  type HttpRoute,
  isHeadless,
  keyOf,
  type ObjectKey,
  objectKey,
  type Service,
} from "../../kubernetes/objects/objects.ts";
import {
  appliesTo,
  type DecidedRoutes,
  isOwnRoute,
  isRight,
  local,
  retries,
  type RouteDecision,
  type Routes,
  type WantedRoute,
} from "../model/route.ts";
import { label } from "../model/vocabulary.ts";
import { type Backend, backendOf, type FailoverView, mirrorBackend } from "./backends.ts";

/**
 * Linkerd's proxies follow these HTTPRoutes to the first cluster that has endpoints for a Service. A route names no
 * mirror that doesn't exist, because a proxy answers requests for a missing backend with an error. A Service that has
 * routes of the user's own gets none, and a route that exists already stays. Pure.
 */
export function decideRoutes(view: FailoverView): DecidedRoutes {
  const services = Object.entries(view.failover) as [ObjectKey, readonly string[]][];
  const plans = services.map(([key, clusters]) => ({ key, ...planService(view, key, clusters) }));
  const own = new Map(
    view.routes.httpRoutes.flatMap((route) =>
      isOwnRoute(route, view.stacks) ? [[keyOf(route), route] as const] : [],
    ),
  );
  const kept = plans.filter(({ keeps }) => keeps).map(({ key }) => key);
  const wanted = plans.flatMap(({ routes }) => routes);
  const problems = plans.flatMap(({ key, problems }) =>
    problems.map((sentence) => ({ key, sentence })),
  );
  const names = new Set(wanted.map(({ metadata }) => keyOf({ metadata })));
  return {
    routes: [
      ...wanted.map((route) => decideWanted(route, own.get(keyOf(route)), view.stacks)),
      ...[...own].flatMap(([key, live]): RouteDecision[] =>
        names.has(key) || kept.some((service) => appliesTo(live, service))
          ? []
          : [{ verdict: "delete", key, live }],
      ),
    ].sort((a, b) => (a.key < b.key ? -1 : 1)),
    problems,
  };
}

function decideWanted(
  wanted: WantedRoute,
  live: HttpRoute | undefined,
  stacks: readonly string[],
): RouteDecision {
  const key = keyOf(wanted);
  if (live === undefined) return { verdict: "create", key, wanted };
  return { verdict: isRight(live, wanted, stacks) ? "keep" : "update", key, wanted, live };
}

interface ServicePlan {
  readonly routes: readonly WantedRoute[];
  readonly problems: readonly string[];
  /** An existing route stays, although nothing asks for it now. */
  readonly keeps: boolean;
}

function planService(view: FailoverView, key: ObjectKey, clusters: readonly string[]): ServicePlan {
  const { source, routes, stacks } = view;
  const service = source.services.get(key);
  const without = (problem: string, keeps = false) => ({ routes: [], problems: [problem], keeps });
  if (service === undefined)
    return without(
      `${source.cluster} has no Service ${key}: create it there, even without pods of its own`,
    );
  const unfit = whyUnfit(service, source.cluster);
  if (unfit !== undefined) return without(unfit);
  const inTheWay = othersOf(key, routes, stacks);
  if (inTheWay !== undefined)
    return without(
      `${inTheWay} on ${source.cluster} leads its requests already, and the routes would contradict each other: delete it, or remove ${key} from failover`,
      true,
    );
  const found = clusters.map((cluster) => ({
    cluster,
    backend:
      cluster === local ? backendOf(key, service.spec.ports) : mirrorBackend(cluster, key, view),
  }));
  const missing = found.flatMap(({ cluster, backend }) => {
    if (backend !== undefined) return [];
    return view.decisionsByPart.has(cluster)
      ? `${source.cluster} has no mirror of it from ${cluster}, so its requests don't fail over to ${cluster}: export it there`
      : `its requests don't fail over to ${cluster} before a run can judge the mirrors from there`;
  });
  const backends = found.flatMap(({ backend }) => backend ?? []);
  const wanted = (service.spec.ports ?? []).flatMap(({ port, protocol = "TCP" }) => {
    const open = backends.filter(({ ports }) => ports.has(port));
    const leadsAway = open.some((backend) => backend.key !== key);
    return protocol === "TCP" && leadsAway ? [routeFor(service, port, open)] : [];
  });
  const foreign = new Set(
    routes.httpRoutes.filter((route) => !isOwnRoute(route, stacks)).map(keyOf),
  );
  const isTaken = (route: WantedRoute) => foreign.has(keyOf(route));
  const taken = wanted
    .filter(isTaken)
    .map(
      (route) =>
        `${source.cluster} already has a foreign HTTPRoute ${keyOf(route)}: rename or delete it`,
    );
  const free = wanted.filter((route) => !isTaken(route));
  return { routes: free, problems: [...missing, ...taken], keeps: false };
}

function whyUnfit(service: Service, cluster: string): string | undefined {
  if (service.metadata.labels?.[label.mirrored] === "true")
    return `it is a mirror on ${cluster}, and only ${cluster}'s own Services fail over`;
  return isHeadless(service) || service.spec.type === "ExternalName"
    ? `it has no ClusterIP on ${cluster}, and Linkerd leads only requests for one`
    : undefined;
}

function othersOf(
  key: ObjectKey,
  { httpRoutes, others, profiles }: Routes,
  stacks: readonly string[],
): string | undefined {
  const [namespace = "", name = ""] = key.split("/");
  const [found] = [
    ...httpRoutes
      .filter((route) => !isOwnRoute(route, stacks) && appliesTo(route, key))
      .map((route) => `httproutes.policy.linkerd.io ${keyOf(route)}`),
    ...others
      .filter((route) => appliesTo(route, key))
      .map((route) => `${route.kind} ${keyOf(route)}`),
    ...profiles
      .filter(({ metadata }) => metadata.name.startsWith(`${name}.${namespace}.svc.`))
      .map((profile) => `ServiceProfile ${keyOf(profile)}`),
  ];
  return found;
}

const most = 1_000_000;

function routeFor(service: Service, port: number, backends: readonly Backend[]): WantedRoute {
  const { name, namespace, annotations = {} } = service.metadata;
  const hasRetries = Object.keys(annotations).some((key) => key.startsWith("retry.linkerd.io/"));
  const last = backends.length - 1;
  return {
    metadata: {
      name: `${name}-failover-${port}`,
      namespace,
      annotations: hasRetries ? {} : retries,
    },
    mirrors: backends.map(({ key }) => key).filter((key) => key !== objectKey(namespace, name)),
    spec: {
      parentRefs: [{ group: "core", kind: "Service", namespace, name, port }],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/" } }],
          backendRefs: backends.map(({ key }, index) => {
            const [space = "", service = ""] = key.split("/");
            const weight = last === 0 ? 1 : Math.round(most ** ((last - index) / last));
            return { group: "", kind: "Service", namespace: space, name: service, port, weight };
          }),
        },
      ],
    },
  };
}
