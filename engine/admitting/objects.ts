import { createHash } from "node:crypto";
import type { ObjectMeta } from "../kubernetes/objects/objects.ts";
import type {
  AuthorizationPolicy,
  MeshTlsAuthentication,
} from "../kubernetes/objects/policy-resource.ts";
import type { HttpRoute } from "../kubernetes/objects/route-resource.ts";
import { marksOn } from "../model/marks.ts";
import type { Owner } from "../model/owner.ts";
import { routeOwner } from "../model/route.ts";
import type { Admissions } from "./wanted.ts";

/**
 * A closed gateway has routes with the hostnames of exported Services, each with a policy that admits its clients, and one
 * route for everything else, without a policy. The chart's Server stays as it is: of two, Linkerd takes the older one.
 */

const group = "policy.linkerd.io";
const server = { group, kind: "Server", name: "linkerd-gateway" };

/** The chart's policy admits every meshed client to this Server, and so to each of its routes. */
export const chartPolicy = "linkerd-gateway";
export const openTarget = server;
/** No route has this name, so a policy for it admits nobody. */
export const closedTarget = { group, kind: "HTTPRoute", name: "linkerd-multicluster-closed" };

/** A request that no route matches would get 404. */
export const catchAll = "exported-none";

const prefix = "exported-";

/** Identities are what decides, so a name tells whether a route still has the right ones. */
export function groupOf(identities: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(identities)).digest("hex");
  return `${prefix}${hash.slice(0, 10)}`;
}

export const routeName = (name: string, index: number): string => `${name}-${index}`;

export function groupIn(route: string): string {
  return route.slice(0, route.lastIndexOf("-"));
}

export function indexIn(route: string): number {
  return Number(route.slice(route.lastIndexOf("-") + 1));
}

const everything = [{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }];

export function routeSpec(hostnames: readonly string[]): NonNullable<HttpRoute["spec"]> {
  const names = hostnames.length > 0 ? { hostnames } : {};
  return { parentRefs: [server], ...names, rules: everything };
}

/** @param networks what else the chart's policy requires of a client */
export function policySpec(
  route: string,
  networks: readonly Reference[],
): NonNullable<AuthorizationPolicy["spec"]> {
  const clients = { group, kind: "MeshTLSAuthentication", name: groupIn(route) };
  return {
    targetRef: { group, kind: "HTTPRoute", name: route },
    requiredAuthenticationRefs: [clients, ...networks],
  };
}

type Reference = NonNullable<
  NonNullable<AuthorizationPolicy["spec"]>["requiredAuthenticationRefs"]
>[number];

export function networksOf(policy: AuthorizationPolicy | undefined): readonly Reference[] {
  const all = policy?.spec?.requiredAuthenticationRefs ?? [];
  return all.filter(({ kind }) => kind === "NetworkAuthentication");
}

export function isForServer(reference: Reference | undefined): boolean {
  return reference?.kind === server.kind && reference.name === server.name;
}

export const gateOwner: Owner = {
  words: "an object of this program for a closed gateway",
  owns: (object) => object.metadata.name.startsWith(prefix) && routeOwner.owns(object),
};

/** An object of any of the kinds that a closed gateway has. */
export interface Made<Spec = unknown> {
  readonly metadata: ObjectMeta;
  readonly spec?: Spec;
}

/** Nobody else has a reason to create such an object, so one with another stack's mark is that stack's. */
export function isOwn(object: Made, names: readonly string[]): boolean {
  const { isOurs, others } = marksOn(object.metadata, names);
  return gateOwner.owns(object) && isOurs && others.length === 0;
}

export function isAccepted({ status }: HttpRoute): boolean {
  return (status?.parents ?? []).some(
    ({ controllerName, conditions = [] }) =>
      controllerName === "linkerd.io/policy-controller" &&
      conditions.some(({ type, status: state }) => type === "Accepted" && state === "True"),
  );
}

/** All that a closed gateway's namespace has, its own objects and those of others. */
export interface LiveGate {
  readonly routes: readonly HttpRoute[];
  readonly policies: readonly AuthorizationPolicy[];
  readonly authentications: readonly MeshTlsAuthentication[];
}

/** Returns the stack's own objects of a kind by name. */
export function ownOf<T extends Made>(
  all: readonly T[],
  names: readonly string[],
): ReadonlyMap<string, T> {
  return new Map(
    all.filter((each) => isOwn(each, names)).map((each) => [each.metadata.name, each]),
  );
}

export function chartPolicyIn({ policies }: LiveGate): AuthorizationPolicy | undefined {
  return policies.find(({ metadata }) => metadata.name === chartPolicy);
}

export function isOpen(live: LiveGate): boolean {
  return isForServer(chartPolicyIn(live)?.spec?.targetRef);
}

export function isClosed(live: LiveGate): boolean {
  return chartPolicyIn(live)?.spec?.targetRef?.name === closedTarget.name;
}

/** Stands for all hostnames. */
export const allHosts = "*";
/** Stands for clients without an identity too. */
export const anybody = "anybody";
/** Stands for clients whose identities aren't known here. */
const somebody = "somebody";

/** Returns what the stack's own objects admit, whatever they should. */
export function liveAdmissions(live: LiveGate, names: readonly string[]): Admissions {
  const found = new Map<string, readonly string[]>();
  const admit = (host: string, identities: readonly string[]) =>
    found.set(host, [...new Set([...(found.get(host) ?? []), ...identities])].sort());
  const hosts = new Map(
    [...ownOf(live.routes, names)].flatMap(([name, { spec }]) =>
      (spec?.parentRefs ?? []).some(isForServer) ? [[name, spec?.hostnames ?? []] as const] : [],
    ),
  );
  for (const host of [...hosts.values()].flat()) admit(host, []);
  for (const { spec } of ownOf(live.policies, names).values()) {
    const { kind, name = "" } = spec?.targetRef ?? {};
    const isWide = isForServer(spec?.targetRef) || kind === "Namespace";
    const admitted = isWide ? [] : kind === "HTTPRoute" ? hosts.get(name) : undefined;
    if (admitted === undefined) continue;
    const clients = clientsOf(live, spec);
    for (const host of admitted.length === 0 ? [allHosts] : admitted) admit(host, clients);
  }
  return found;
}

function clientsOf(
  { authentications }: LiveGate,
  { requiredAuthenticationRefs = [] }: AuthorizationPolicy["spec"] = {},
): readonly string[] {
  const required = requiredAuthenticationRefs.filter(
    ({ kind }) => kind !== "NetworkAuthentication",
  );
  if (required.length === 0) return [anybody];
  return required.flatMap(({ kind, name }) => {
    if (kind !== "MeshTLSAuthentication") return [somebody];
    const found = authentications.find(({ metadata }) => metadata.name === name);
    return found === undefined ? [] : (found.spec?.identities ?? [somebody]);
  });
}
