import { ownerAnnotation } from "../credentials/objects.ts";
import type { OtherObject } from "../kubernetes/objects/objects.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import type { OtherRoute } from "../kubernetes/objects/route-resource.ts";
import type { Server, ServerAuthorization } from "../kubernetes/objects/policy-resource.ts";
import type { GateArgs } from "./args.ts";
import {
  catchAll,
  chartPolicy,
  chartPolicyIn,
  closedTarget,
  isForServer,
  isOwn,
  type LiveGate,
  openTarget,
  ownOf,
} from "./objects.ts";

/**
 * The objects of others in the gateway's namespace that bear on it. A list that can't be read is empty or absent, as
 * nothing but warnings depends on it.
 */
export interface Strangers {
  readonly servers: readonly Server[] | undefined;
  readonly serverAuthorizations: readonly ServerAuthorization[];
  /** HTTPRoutes of the Gateway API. */
  readonly httpRoutes: readonly OtherRoute[];
  readonly grpcRoutes: readonly OtherRoute[];
  /** Each link of a stack has one. */
  readonly accounts: readonly OtherObject[];
}

/** Warns of what may open a closed gateway, and of links that it refuses because the config doesn't list them. Pure. */
export function strangersOf(
  live: LiveGate,
  strangers: Strangers,
  args: Pick<GateArgs, "target" | "namespace" | "links">,
  names: readonly string[],
): readonly string[] {
  const { target, namespace } = args;
  const opening = openingsIn(live, strangers, names).map(
    (name) =>
      `${name} in ${namespace} on ${target} may admit others to the closed gateway: delete or change it if that isn't meant`,
  );
  return [
    ...opening,
    ...missingIn(live, strangers, args, names),
    ...unlisted(strangers, args, names),
  ];
}

/** A Server without a policy refuses what no route admits, and a port without a Server is open to the mesh. */
function missingIn(
  live: LiveGate,
  { servers }: Strangers,
  { target, namespace }: Pick<GateArgs, "target" | "namespace">,
  names: readonly string[],
): readonly string[] {
  if (!ownOf(live.routes, names).has(catchAll)) return [];
  const missing = (what: string, effect: string) =>
    `the chart's ${what} is missing in ${namespace} on ${target}, so the gateway ${effect}: apply the chart linkerd-multicluster again`;
  const { name: server } = openTarget;
  return [
    ...(chartPolicyIn(live) === undefined
      ? [missing(`AuthorizationPolicy ${chartPolicy}`, "refuses everything else even once opened")]
      : []),
    ...(servers?.some(({ metadata }) => metadata.name === server) === false
      ? [missing(`Server ${server}`, "admits every meshed client to everything")]
      : []),
  ];
}

function openingsIn(
  live: LiveGate,
  { servers, serverAuthorizations, httpRoutes, grpcRoutes }: Strangers,
  names: readonly string[],
): readonly string[] {
  const ownRoutes = ownOf(live.routes, names);
  const isToGateway = (to: { readonly kind?: string; readonly name?: string } = {}) =>
    isForServer(to) ||
    to.kind === "Namespace" ||
    (to.kind === "HTTPRoute" && ownRoutes.has(to.name ?? ""));
  const policies = live.policies.filter(
    (policy) =>
      policy.metadata.name !== chartPolicy &&
      !isOwn(policy, names) &&
      isToGateway(policy.spec?.targetRef),
  );
  const to = chartPolicyIn(live)?.spec?.targetRef;
  const isElsewhere = to !== undefined && !isForServer(to) && to.name !== closedTarget.name;
  const named = (kind: string, all: readonly OtherObject[]) =>
    all.map(({ metadata }) => `${kind} ${metadata.name}`);
  const attached = <T extends OtherRoute>(all: readonly T[]) =>
    all.filter(({ spec }) => (spec?.parentRefs ?? []).some(isForServer));
  const { name: server } = openTarget;
  const granting = serverAuthorizations.filter(({ spec }) => {
    const { name, selector } = spec?.server ?? {};
    return name === server || selector !== undefined;
  });
  const access = (servers ?? []).flatMap(({ metadata, spec: { accessPolicy = "deny" } = {} }) =>
    metadata.name === server && accessPolicy !== "deny"
      ? [`Server ${server} (accessPolicy: ${printable(accessPolicy, 63)})`]
      : [],
  );
  return [
    ...named("AuthorizationPolicy", policies),
    ...(isElsewhere ? [`AuthorizationPolicy ${chartPolicy}`] : []),
    ...named("ServerAuthorization", granting),
    ...access,
    ...named("HTTPRoute", attached(live.routes.filter((route) => !isOwn(route, names)))),
    ...named("HTTPRoute (gateway.networking.k8s.io)", attached(httpRoutes)),
    ...named("GRPCRoute", attached(grpcRoutes)),
  ];
}

/** An account tells which cluster a link is from, but not the identities of that cluster's clients. */
function unlisted(
  { accounts }: Strangers,
  { target, links }: Pick<GateArgs, "target" | "links">,
  names: readonly string[],
): readonly string[] {
  const known = new Set(links.map(({ source }) => source));
  return accounts.flatMap(({ metadata }) => {
    const [stack = "", link = ""] = metadata.annotations?.[ownerAnnotation]?.split(" ") ?? [];
    const [source = ""] = link.split("/");
    if (source === "" || names.includes(stack) || known.has(source)) return [];
    const who = printable(source, 63);
    return `the closed gateway of ${target} refuses clients of ${who}, because stack ${printable(stack, 253)} has a link from there that this stack's config doesn't list: list the link, and the trustDomain or the gatewayClients of ${who}, in the mesh file of both stacks`;
  });
}
