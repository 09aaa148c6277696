import {
  isHeadless,
  keyOf,
  type ObjectKey,
  type Service,
} from "../../kubernetes/objects/objects.ts";
import { rbacName, resources } from "../../kubernetes/objects/resources.ts";
import type { HttpRoute } from "../../kubernetes/objects/route-resource.ts";
import {
  appliesTo,
  type DecidedRoutes,
  isEstranged,
  isOwnRoute,
  isRight,
  local,
  namedBackends,
  retries,
  type RouteDecision,
  type Routes,
  type WantedRoute,
} from "../../model/route.ts";
import { isSkip } from "../../model/decision.ts";
import { makesLinks } from "../../model/state.ts";
import type { SourceObservation } from "./desired.ts";
import { othersAmong } from "../../model/marks.ts";
import { label } from "../../model/vocabulary.ts";
import { whyHead } from "./policies/rules.ts";
import { type Backend, backendOf, type FailoverView, mirrorBackend } from "./backends.ts";

/**
 * Linkerd's proxies follow these HTTPRoutes to the first cluster that has endpoints for a Service. A route names no
 * mirror that doesn't exist, because a proxy answers requests for a missing backend with an error. A Service that has
 * routes of the user's own gets none, and a route that exists already stays. Pure.
 */
export function decideRoutes(view: FailoverView): DecidedRoutes {
  const services = Object.entries(view.failover) as [ObjectKey, readonly string[]][];
  const plans = services.map(([key, clusters]) => ({ key, ...planService(view, key, clusters) }));
  const wanted = plans.flatMap(({ routes }) => routes);
  const names = new Set(wanted.map(({ key }) => key));
  const others = [...view.own].flatMap(([key, live]): RouteDecision[] => {
    if (names.has(key)) return [];
    const stays = plans.some((plan) => plan.keeps && appliesTo(live, plan.key));
    const isKnown = view.failedOver.some((service) => appliesTo(live, service));
    return [stays ? { verdict: "keep", key, live } : { verdict: "delete", key, live, isKnown }];
  });
  const left = estranged(view);
  const routes = [...wanted, ...others, ...left];
  const hasRoute = (service: ObjectKey) =>
    routes.some(({ live }) => live !== undefined && appliesTo(live, service));
  return {
    routes: routes.sort((a, b) => (a.key < b.key ? -1 : 1)),
    problems: [
      ...plans.flatMap(({ key, problems }) => problems.map((sentence) => ({ key, sentence }))),
      ...left.flatMap(({ key, live }) => {
        // While the config has the Service's failover, its plan speaks of the route that is in the way.
        if (services.some(([service]) => appliesTo(live, service))) return [];
        const sentence = `it carries this stack's mark, but not this program's label, or another stack's mark too, so it is left alone: delete it if nothing else needs it`;
        return [{ key, sentence }];
      }),
    ],
    services: view.failedOver.filter((key) => Object.hasOwn(view.failover, key) || hasRoute(key)),
  };
}

/** Such a route still sends requests to the mirrors that it names. */
function estranged({ routes, stacks, failedOver }: FailoverView) {
  return routes.httpRoutes
    .filter((live) => isEstranged(live, stacks) && failedOver.some((key) => appliesTo(live, key)))
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
}

function planService(view: FailoverView, key: ObjectKey, clusters: readonly string[]): ServicePlan {
  const { source, routes, links } = view;
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
  if (inTheWay !== undefined)
    return without(
      `${inTheWay.kind} ${keyOf(inTheWay)} on ${source.cluster} already routes its requests, and the two routes would conflict: delete it, or remove ${key} from failover`,
      true,
    );
  const found = clusters.map((cluster) => ({
    cluster,
    backend:
      cluster === local
        ? backendOf(key, service.spec.ports)
        : mirrorBackend(cluster, key, { ...view, own, stacks }),
  }));
  const missing = found.flatMap(({ cluster, backend }) => {
    if (backend !== undefined) return [];
    if (!links.some(({ target }) => target === cluster))
      return `its requests don't fail over to ${cluster}, which is revoked: take ${cluster} out of its failover on ${source.cluster}`;
    const judged = view.decisionsByPart.get(cluster);
    if (judged === undefined)
      return `its requests don't fail over to ${cluster} before a run can judge the mirrors from there`;
    const skipped = judged.filter(isSkip).find(({ origin }) => origin === key);
    return `${source.cluster} has no mirror of it from ${cluster}, so its requests don't fail over to ${cluster}: ${skipped?.sentence ?? "export it there"}`;
  });
  const backends = found.flatMap(({ backend }) => backend ?? []);
  const wanted = (service.spec.ports ?? []).flatMap(({ port, protocol = "TCP" }) => {
    const open = backends.filter(({ ports }) => ports.has(port));
    const leadsAway = open.some((backend) => backend.key !== key);
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
  return { routes: decided, problems: [...missing, ...taken], keeps: false };
}

/** Returns why no route can be written, unless the run may install the CRD before: Linkerd's charts bring it with that of Links. */
export function whyUnserved(
  { args, source }: Pick<SourceObservation, "args" | "source">,
  { areServed = true }: Routes,
): string | undefined {
  const mayInstall = makesLinks(args) && source.links === undefined;
  if (areServed || mayInstall || Object.keys(args.failover ?? {}).length === 0) return undefined;
  const [, version = ""] = resources.httpRoutes.apiVersion.split("/");
  return `${source.cluster} does not serve ${rbacName(resources.httpRoutes)} in version ${version}: install the chart linkerd-crds of Linkerd 2.18 or later there`;
}

function whyUnfit(service: Service, cluster: string): string | undefined {
  if (service.metadata.labels?.[label.mirrored] === "true")
    return `it is a mirror on ${cluster}, and only ${cluster}'s own Services fail over`;
  return isHeadless(service) || service.spec.type === "ExternalName"
    ? `it has no ClusterIP on ${cluster}, and Linkerd routes only requests to a ClusterIP`
    : undefined;
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
