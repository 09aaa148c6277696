import { isDeepStrictEqual } from "node:util";
import type {
  AuthorizationPolicy,
  MeshTlsAuthentication,
} from "../kubernetes/objects/policy-resource.ts";
import type { HttpRoute } from "../kubernetes/objects/route-resource.ts";
import { marksOn } from "../model/marks.ts";
import type { Phase } from "./args.ts";
import {
  catchAll,
  chartPolicy,
  chartPolicyIn,
  closedTarget,
  gateOwner,
  groupIn,
  isAccepted,
  isClosed,
  isOpen,
  isOwn,
  type LiveGate,
  type Made,
  networksOf,
  openTarget,
  ownOf,
  policySpec,
  routeSpec,
} from "./objects.ts";
import { packed } from "./packing.ts";
import type { Admissions } from "./wanted.ts";

/** Without a spec, the object is deleted. */
export interface Step<T extends Made> {
  readonly name: string;
  readonly spec?: NonNullable<T["spec"]>;
  readonly live?: T;
}

export interface GatePlan {
  readonly authentications: readonly Step<MeshTlsAuthentication>[];
  readonly policies: readonly Step<AuthorizationPolicy>[];
  readonly routes: readonly Step<HttpRoute>[];
  /** Routes that don't count yet, some of which an earlier run may have created. */
  readonly awaited: readonly string[];
  /** The chart's policy, which opens the gateway until its target is another. */
  readonly chart?: Step<AuthorizationPolicy>;
}

/** @param names of this stack, the current one first */
export function planned(
  effective: Admissions,
  live: LiveGate,
  { phase, names }: { readonly phase: Phase; readonly names: readonly string[] },
): GatePlan {
  const own = {
    routes: ownOf(live.routes, names),
    policies: ownOf(live.policies, names),
    authentications: ownOf(live.authentications, names),
  };
  const before = new Map(
    [...own.routes].map(([name, { spec }]) => [name, spec?.hostnames ?? []] as const),
  );
  before.delete(catchAll);
  const hosts = packed(effective, before);
  const identities = new Map(
    [...hosts].map(([route, [host = ""]]) => [groupIn(route), effective.get(host) ?? []] as const),
  );
  const chart = chartPolicyIn(live);
  // Without the chart's policy, its networks stay required.
  const [some] = own.policies.values();
  const networks = networksOf(chart ?? some);
  return {
    authentications: steps(
      new Map([...identities].map(([name, all]) => [name, { identities: all }])),
      own.authentications,
      names,
    ),
    policies: steps(
      new Map([...hosts.keys()].map((route) => [route, policySpec(route, networks)])),
      own.policies,
      names,
    ),
    routes: steps(
      new Map([
        [catchAll, routeSpec([])],
        ...[...hosts].map(([route, all]) => [route, routeSpec(all)] as const),
      ]),
      own.routes,
      names,
    ),
    awaited: [catchAll, ...hosts.keys()].filter((name) => {
      const found = own.routes.get(name);
      return found === undefined || !isAccepted(found);
    }),
    // Mirrors that a guard keeps are known only then.
    ...(phase === "take" &&
      isOpen(live) &&
      chart !== undefined && {
        chart: {
          name: chartPolicy,
          live: chart,
          spec: { ...chart.spec, targetRef: closedTarget },
        },
      }),
  };
}

/** Opens the gateway unless another stack has closed it too, and removes all that this stack has there. */
export function opened(live: LiveGate, names: readonly string[]): GatePlan {
  const isOthers = live.routes.some(
    (route) => route.metadata.name === catchAll && gateOwner.owns(route) && !isOwn(route, names),
  );
  const chart = chartPolicyIn(live);
  const none = new Map<string, never>();
  return {
    authentications: steps(none, ownOf(live.authentications, names), names),
    policies: steps(none, ownOf(live.policies, names), names),
    routes: steps(none, ownOf(live.routes, names), names),
    awaited: [],
    ...(isClosed(live) &&
      !isOthers &&
      chart !== undefined && {
        chart: { name: chartPolicy, live: chart, spec: { ...chart.spec, targetRef: openTarget } },
      }),
  };
}

function steps<T extends Made>(
  wanted: ReadonlyMap<string, NonNullable<T["spec"]>>,
  live: ReadonlyMap<string, T>,
  [, ...former]: readonly string[],
): Step<T>[] {
  const due = [...wanted].flatMap(([name, spec]): Step<T>[] => {
    const found = live.get(name);
    if (found === undefined) return [{ name, spec }];
    const isRight = isDeepStrictEqual(found.spec, spec) && !marksOn(found.metadata, former).isOurs;
    return isRight ? [] : [{ name, spec, live: found }];
  });
  const gone = [...live].filter(([name]) => !wanted.has(name));
  return [...due, ...gone.map(([name, found]) => ({ name, live: found }))];
}

export function isDone({ authentications, policies, routes, chart }: GatePlan): boolean {
  return authentications.length + policies.length + routes.length === 0 && chart === undefined;
}
