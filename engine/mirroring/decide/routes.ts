import { keyOf, type ObjectKey, type Service } from "../../kubernetes/objects/objects.ts";
import { rbacName, resources } from "../../kubernetes/objects/resources.ts";
import type { HttpRoute } from "../../kubernetes/objects/route-resource.ts";
import {
  appliesTo,
  type DecidedRoutes,
  isEstranged,
  isOwnRoute,
  isRight,
  namedBackends,
  retries,
  type RouteDecision,
  type RouteProblem,
  type WantedRoute,
} from "../../model/route.ts";
import type { Drain } from "../../model/drain.ts";
import { chainWeight, type Leg, local, type Routing } from "../../model/traffic.ts";
import { isSkip } from "../../model/decision.ts";
import { othersAmong } from "../../model/marks.ts";
import { whyHead } from "./policies/rules.ts";
import {
  type Backend,
  backendOf,
  type FoundLeg,
  mirrorBackend,
  type RoutesView,
  withoutDown,
} from "./backends.ts";
import { withoutDrained } from "./drained.ts";
import { unready, whyInTheWay, whyUnfit } from "./unrouted.ts";

/**
 * Linkerd's proxies follow these HTTPRoutes to the first cluster that has endpoints for a Service, or split its requests
 * among several. A drained cluster is in none. A route names no mirror that doesn't exist, because a proxy answers requests
 * for a missing backend with an error. A Service that has routes of the user's own gets none, and a route that exists
 * already stays. Pure.
 */
export function decideRoutes(view: RoutesView): DecidedRoutes {
  const services = [...view.routings];
  const plans = services.map(([key, routing]) => {
    return { key, setting: routing.setting, ...planService(view, key, routing) };
  });
  const wanted = plans.flatMap(({ routes }) => routes);
  const names = new Set(wanted.map(({ key }) => key));
  const others = [...view.own].flatMap(([key, live]): RouteDecision[] => {
    if (names.has(key)) return [];
    const stays = plans.some((plan) => plan.keeps && appliesTo(live, plan.key));
    const isKnown = view.routed.some((service) => appliesTo(live, service));
    return [stays ? { verdict: "keep", key, live } : { verdict: "delete", key, live, isKnown }];
  });
  const left = estranged(view);
  const routes = [...wanted, ...others, ...left];
  const hasRoute = (service: ObjectKey) =>
    routes.some(({ live }) => live !== undefined && appliesTo(live, service));
  return {
    routes: routes.sort((a, b) => (a.key < b.key ? -1 : 1)),
    problems: [
      ...plans.flatMap(({ key, setting, problems }) =>
        problems.map((sentence) => ({ key, setting, sentence })),
      ),
      ...left.flatMap(({ key, live }): RouteProblem[] => {
        // While the config routes the Service, its plan speaks of the route that is in the way.
        if (services.some(([service]) => appliesTo(live, service))) return [];
        const sentence = `it carries this stack's mark, but not this program's label, or another stack's mark too, so it is left alone: delete it if nothing else needs it`;
        return [{ key, sentence }];
      }),
    ],
    drains: plans.flatMap(({ drain }) => drain ?? []),
    services: view.routed.filter((key) => view.routings.has(key) || hasRoute(key)),
  };
}

/** Such a route still sends requests to the mirrors that it names. */
function estranged({ routes, stacks, routed }: RoutesView) {
  return routes.httpRoutes
    .filter((live) => isEstranged(live, stacks) && routed.some((key) => appliesTo(live, key)))
    .map((live) => ({ verdict: "handOver" as const, key: keyOf(live), live }));
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
  readonly routes: readonly RouteDecision[];
  readonly problems: readonly string[];
  /** An existing route stays, although nothing asks for it now. */
  readonly keeps: boolean;
  readonly drain?: Drain | undefined;
}

function planService(view: RoutesView, key: ObjectKey, routing: Routing): ServicePlan {
  const { source, routes, links } = view;
  const { setting, legs } = routing;
  const clusters = legs.map(({ cluster }) => cluster);
  const service = source.services.get(key);
  const without = (problem: string, keeps = false) => ({ routes: [], problems: [problem], keeps });
  if (service === undefined)
    return without(
      `${source.cluster} has no Service ${key}: create it there, even without pods of its own`,
    );
  const unread = [key, ...namedBackends(view.own.values(), key)].flatMap(
    (each) => whyHead(source.cluster, "Service", source.services.get(each)) ?? [],
  );
  if (unread.length > 0) return without(unread.join("; "), true);
  if (view.unserved !== undefined) return without(view.unserved);
  const unfit = whyUnfit(service, source.cluster);
  if (unfit !== undefined) return without(unfit);
  const adopted = links.flatMap(({ target, adoptFrom }) =>
    clusters.includes(target) ? othersAmong(adoptFrom, view.stacks) : [],
  );
  const stacks = [...view.stacks, ...adopted];
  const own = new Map(
    routes.httpRoutes
      .filter((route) => isOwnRoute(route, stacks))
      .map((route) => [keyOf(route), route]),
  );
  const rivals = routes.httpRoutes
    .filter((route) => !own.has(keyOf(route)))
    .map((route) => ({ kind: rbacName(resources.httpRoutes), ...route }));
  const inTheWay = [...rivals, ...routes.others].find((route) => appliesTo(route, key));
  if (inTheWay !== undefined) return without(whyInTheWay(inTheWay, view, key, setting), true);
  const all = legs.map((leg): FoundLeg => ({
    ...leg,
    backend:
      leg.cluster === local
        ? backendOf(key, service.spec.ports)
        : mirrorBackend(leg.cluster, key, { ...view, own, stacks }),
  }));
  const reached = setting === "failover" ? withoutDown(view, all) : all;
  const { legs: found, drain } = withoutDrained(
    view,
    key,
    reached,
    namedBackends(own.values(), key),
  );
  if (found.length === 0)
    return without(`all of its clusters are drained, so its requests stay in ${source.cluster}`);
  const go = setting === "failover" ? "fail over" : "go";
  const serving = found.filter(({ backend, weight }) => backend !== undefined && weight).length;
  const missing = found.flatMap(({ cluster, backend, weight }) => {
    if (backend !== undefined) return weight ? unready(view, key, cluster, serving - 1) : [];
    if (!links.some(({ target }) => target === cluster))
      return `its requests don't ${go} to ${cluster}, which is revoked: take ${cluster} out of its ${setting} on ${source.cluster}`;
    const judged = view.decisionsByPart.get(cluster);
    if (judged === undefined)
      return `its requests don't ${go} to ${cluster} before a run can judge the mirrors from there`;
    const skipped = judged.filter(isSkip).find(({ origin }) => origin === key);
    return `${source.cluster} has no mirror of it from ${cluster}, so its requests don't ${go} to ${cluster}: ${skipped?.sentence ?? "export it there"}`;
  });
  const cutOff = all
    .filter((leg) => !reached.includes(leg))
    .map(
      ({ cluster }) =>
        `its requests don't ${go} to ${cluster}, whose gateway is down (${view.down.get(cluster) ?? ""})`,
    );
  const wanted = (service.spec.ports ?? []).flatMap(({ port, protocol = "TCP" }) => {
    const open = found.flatMap(({ backend, weight }) =>
      backend?.ports.has(port) === true ? [{ ...backend, weight }] : [],
    );
    const leadsAway = open.some((backend) => backend.key !== key && backend.weight !== 0);
    return protocol === "TCP" && leadsAway ? [routeFor(service, port, open)] : [];
  });
  const foreign = new Set(rivals.map(keyOf));
  const isTaken = (route: WantedRoute) => foreign.has(keyOf(route));
  const taken = wanted
    .filter(isTaken)
    .map(
      (route) =>
        `${source.cluster} already has a foreign HTTPRoute ${keyOf(route)}: rename or delete it`,
    );
  const free = wanted.filter((route) => !isTaken(route));
  const decided = free.map((route) => decideWanted(route, own.get(keyOf(route)), stacks));
  const going = decided
    .filter(({ live }) => live?.metadata.deletionTimestamp !== undefined)
    .map(
      (each) =>
        `HTTPRoute ${each.key} on ${source.cluster} is being deleted: run again once it is gone, to create it again`,
    );
  const problems = [...missing, ...cutOff, ...taken, ...going];
  return { routes: decided, problems, keeps: false, drain };
}

function routeFor(
  service: Service,
  port: number,
  backends: readonly (Backend & Pick<Leg, "weight">)[],
): WantedRoute {
  const { name, namespace, annotations = {} } = service.metadata;
  const { length } = backends;
  const hasRetries = Object.keys(annotations).some((key) => key.startsWith("retry.linkerd.io/"));
  return {
    metadata: {
      name: `${name}-failover-${port}`,
      namespace,
      annotations: hasRetries ? {} : retries,
    },
    spec: {
      parentRefs: [{ group: "core", kind: "Service", namespace, name, port }],
      rules: [
        {
          matches: [{ path: { type: "PathPrefix", value: "/" } }],
          backendRefs: backends.map(({ key, weight }, index) => {
            const [space = "", service = ""] = key.split("/");
            return {
              group: "",
              kind: "Service",
              namespace: space,
              name: service,
              port,
              weight: weight ?? chainWeight(index, length),
            };
          }),
        },
      ],
    },
  };
}
