import { ownerAnnotation } from "../credentials/objects.ts";
import type { OtherObject } from "../kubernetes/objects/objects.ts";
import { printable } from "../kubernetes/objects/printable.ts";
import type { OtherRoute } from "../kubernetes/objects/route-resource.ts";
import type { GateArgs } from "./args.ts";
import {
  chartPolicy,
  chartPolicyIn,
  closedTarget,
  isForServer,
  isOwn,
  type LiveGate,
  openTarget,
  ownOf,
  type Strangers,
} from "./objects.ts";

/** Warns of what may open a closed gateway, and of links that it refuses because the config doesn't list them. Pure. */
export function strangersOf(
  live: LiveGate,
  args: GateArgs,
  names: readonly string[],
): readonly string[] {
  const { target, namespace } = args;
  const opening = openingsIn(live, names).map(
    (name) =>
      `${name} in ${namespace} on ${target} may admit others to the closed gateway: delete or change it if that isn't meant`,
  );
  return [...opening, ...unlisted(live.strangers, args, names)];
}

function openingsIn(live: LiveGate, names: readonly string[]): readonly string[] {
  const { servers, serverAuthorizations, httpRoutes, grpcRoutes } = live.strangers;
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
  const access = servers.flatMap(({ metadata, spec: { accessPolicy = "deny" } = {} }) =>
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
  { target, links }: GateArgs,
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
