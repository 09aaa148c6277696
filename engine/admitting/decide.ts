import { isDeepStrictEqual } from "node:util";
import { listed } from "../base/message.ts";
import type { ObjectKey } from "../kubernetes/objects/objects.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { GateArgs } from "./args.ts";
import { anybody, catchAll, allHosts, isClosed, type LiveGate, liveAdmissions } from "./objects.ts";
import { type GatePlan, isDone, planned } from "./plan.ts";
import { type Admissions, serviceOf, unique, type Wanted, wantedAdmissions } from "./wanted.ts";

export interface GateDecision {
  readonly plan: GatePlan;
  readonly isDue: boolean;
  readonly admitted: Readonly<Record<string, string>>;
  readonly changes: readonly string[];
  readonly problems: readonly string[];
}

/** Returns the Services of which a source still has mirrors after the run; undefined if nobody knows. */
export type Left = (source: string) => ReadonlySet<ObjectKey> | undefined;

/** Decides who may use a closed gateway for what after this run, and what has to be written for that. Pure. */
export function decideGate(
  target: ClusterSnapshot,
  live: LiveGate,
  args: GateArgs,
  names: readonly string[],
  left: Left,
): GateDecision {
  const wanted = wantedAdmissions(target, args);
  const before = liveAdmissions(live, names);
  const effective = effectiveAdmissions(wanted, before, args, left);
  const plan = planned(effective, live, { phase: args.phase, names });
  // The first resource has announced what it gives.
  const given =
    args.phase === "give"
      ? before
      : effectiveAdmissions(wanted, before, { ...args, phase: "give" }, left);
  const closing = plan.chart === undefined ? [] : [`close the gateway of ${args.target}`];
  const changes = changesOf(textsOf(given, args), textsOf(effective, args));
  return {
    plan,
    isDue: !isDone(plan),
    admitted: Object.fromEntries(textsOf(effective, args)),
    changes: [
      ...closing,
      ...changes,
      ...(args.phase === "give" && isClosed(live) ? corrections(plan, changes.length > 0) : []),
    ],
    problems: wanted.problems,
  };
}

/**
 * Whoever was admitted stays admitted until the mirrors are gone, and longer where nobody knows about them. Identities that
 * no cluster of the config has are not kept.
 */
function effectiveAdmissions(
  { admissions, importers, unsure }: Wanted,
  before: Admissions,
  { phase, clients, sources }: GateArgs,
  left: Left,
): Admissions {
  const known = Object.keys(clients);
  const mayKeep = (source: string, service: ObjectKey): boolean => {
    if (phase === "give" || unsure.has(service)) return true;
    if (!sources.includes(source) || importers.get(service)?.includes(source) === true)
      return false;
    return left(source)?.has(service) !== false;
  };
  const result = new Map(admissions);
  for (const [host, identities] of before) {
    if (host === allHosts) continue;
    const service = serviceOf(host);
    const keepers = new Set(
      known.filter((source) => mayKeep(source, service)).flatMap((source) => clients[source] ?? []),
    );
    const kept = identities.filter((identity) => keepers.has(identity));
    const all = unique([...(admissions.get(host) ?? []), ...kept]);
    if (all.length > 0) result.set(host, all);
  }
  return result;
}

const nobody = "nobody";

/** Names the admitted clusters of each Service, as far as its identities tell them. */
function textsOf(admissions: Admissions, { clients }: GateArgs): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const named = new Map<string, string>();
  const nameOf = (identities: readonly string[]) => {
    const key = identities.join();
    const found = named.get(key);
    if (found !== undefined) return found;
    if (identities.includes(anybody)) return anybody;
    if (identities.includes("*")) return "every meshed client";
    const has = (name: string) =>
      clients[name]?.every((identity) => identities.includes(identity)) === true;
    const clusters = Object.keys(clients).filter(has).sort();
    const known = new Set(clusters.flatMap((name) => clients[name] ?? []));
    const others = identities.some((identity) => !known.has(identity)) ? ["others"] : [];
    const all = [...clusters, ...others];
    const text = all.length === 0 ? nobody : all.join(", ");
    named.set(key, text);
    return text;
  };
  for (const [host, identities] of admissions) {
    const what = host === allHosts ? "everything that isn't exported" : serviceOf(host);
    if (!texts.has(what)) texts.set(what, nameOf(identities));
  }
  return new Map([...texts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function changesOf(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    if (was === is) return [];
    if (was === undefined) return `+ ${key}: ${is ?? ""}`;
    if (is === undefined) return was === nobody ? [] : `- ${key}: ${was}`;
    return `~ ${key}: ${was} → ${is}`;
  });
}

/** Names what somebody has changed or deleted, unless the changes of who is admitted tell. */
function corrections(plan: GatePlan, areTold: boolean): string[] {
  const areChanged = plan.routes.flatMap(({ name, spec, live }) =>
    spec === undefined || live === undefined || isDeepStrictEqual(spec.rules, live.spec?.rules)
      ? []
      : [name],
  );
  const untold = new Set([catchAll, ...areChanged]);
  const all = [
    ...plan.routes.map((step) => ({ ...step, kind: "HTTPRoute" })),
    ...plan.policies.map((step) => ({ ...step, kind: "AuthorizationPolicy" })),
    ...plan.authentications.map((step) => ({ ...step, kind: "MeshTLSAuthentication" })),
  ].filter(({ kind, name, spec, live }) => {
    return (
      !isDeepStrictEqual(spec, live?.spec) &&
      (!areTold || (kind === "HTTPRoute" && untold.has(name)))
    );
  });
  return all.length === 0
    ? []
    : [`correct ${listed(all.map(({ kind, name }) => `${kind} ${name}`))}`];
}
