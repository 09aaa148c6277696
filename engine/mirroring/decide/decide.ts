import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { mayExist } from "../../model/controller.ts";
import { hidesMarks, marksHidden } from "../../model/marks.ts";
import type { Mirror } from "../../model/mirror.ts";
import type { KnownSets } from "../../model/observation.ts";
import { federatedPart } from "../../model/owner.ts";
import { type DecidedRoutes, ownRoutes, routesPart } from "../../model/route.ts";
import { type ByPart, mirrorsBefore, routedServices } from "../../model/state.ts";
import { routings } from "../../model/traffic.ts";
import { drainNotes, drainRefusals } from "../../model/drain.ts";
import { compareAll } from "./compare.ts";
import { readyIn } from "./readiness.ts";
import { stillSending } from "./drained.ts";
import { decideRoutes } from "./routes.ts";
import { whyUnserved } from "./unrouted.ts";
import { type Decision, type Deletion, isSkip, type Note } from "../../model/decision.ts";
import { desiredFederated } from "./mirrors/federated.ts";
import {
  desiredOf,
  federatedView,
  type SourceObservation,
  withNamespacesToCreate,
} from "./desired.ts";
import { leftToOthers, othersNotes } from "./other-writers.ts";
import type { PortConflicts } from "./mirrors/members.ts";
import { credentialsNotes } from "./policies/credentials.ts";
import { environmentNotes } from "./policies/environment.ts";
import { type GuardedDeletions, guardedDeletions, limitOfRemoved } from "./policies/deletions.ts";
import { withinLimits } from "./policies/most-mirrors.ts";
import { heldByRoutes } from "./policies/named-by-routes.ts";
import { missingPorts } from "./policies/exports.ts";
import { differingPorts, unknownProtocols } from "./policies/ports.ts";
import {
  type Authority,
  authorityOver,
  authorityOverRemoved,
  doubtNotes,
  ownershipNotes,
} from "./policies/ownership.ts";
import { handOverRefusals, undecided, unknownMarks } from "./policies/removed-links.ts";
import { linkerdNames } from "../../model/vocabulary.ts";

export interface Decided {
  readonly decisions: readonly Decision[];
  /** Parts are missing if they couldn't be judged or a guard holds them. */
  readonly decisionsByPart: ReadonlyMap<string, readonly Decision[]>;
  /** The keys are targets whose links a deletion guard holds, or the source if removed links stay undecided. */
  readonly refusals: ByPart<string>;
  /** Includes federated Services of this stack that can't be created. */
  readonly federatedMirrors: readonly Mirror[];
  readonly portConflicts: PortConflicts;
  /** Names endpoint mirrors that stay although their pods are gone, with the time since when (RFC 3339). */
  readonly missing: Readonly<Record<ObjectKey, string>>;
  /** By target, the StatefulSets that the next run knows. */
  readonly statefulSets: ByPart<KnownSets>;
  readonly notes: readonly Note[];
  readonly failover: DecidedRoutes;
}

/**
 * Decides for all links together. If a run would delete too much of a link, everything of that link stays, including
 * its members of federated Services, and the others are planned without it. Pure.
 */
export function decide(observation: SourceObservation): Decided {
  const { args, source, links, removed, stacks, memory } = observation;
  const prepared = withNamespacesToCreate(observation);
  const hidden = hidesMarks(source.services.values());
  const current = desiredOf(links, prepared).map(({ link, ...part }) => ({
    ...part,
    authority: authorityOver(link, observation, hidden),
  }));
  const former = removed
    .filter(({ disposition }) => disposition !== "unknown")
    .map((part) => {
      const authority = authorityOverRemoved(stacks, part);
      return { part: part.link.target, mirrors: [], skips: [], authority };
    });
  const ownParts = [...current, ...former];
  const specs = links.map(({ link }) => link);
  const managed = specs.flatMap(({ names, target }) => (names === linkerdNames ? target : []));
  const targets = [...managed, ...(args.controllerLinks ?? [])];
  const planWithout = (
    overLimit: ReadonlySet<string>,
    doubtful: GuardedDeletions["doubtful"] = new Map(),
  ) => {
    const isDoubtful = (part: string, key: ObjectKey) => doubtful.get(part)?.has(key) === true;
    const federated = desiredFederated(federatedView(prepared, overLimit, isDoubtful));
    const parts = [...ownParts, { part: federatedPart, ...federated }];
    const stays = ({ part, key }: Decision) => overLimit.has(part) || isDoubtful(part, key);
    const decisions = withinLimits(parts, specs, source, (some) =>
      compareAll(some, source, targets, stays).map((each) =>
        each.verdict === "delete" && isDoubtful(each.part, each.key)
          ? leftAlone(each)
          : leftToOthers(each, memory.rivals),
      ),
    );
    return { federated, decisions };
  };
  const first = planWithout(new Set());
  const proven = new Set(current.flatMap((each) => each.proven));
  const isListed = (part: string, key: ObjectKey) =>
    Object.hasOwn(mirrorsBefore(memory, part), key);
  const { refusals: tooMany, doubtful } = guardedDeletions(
    { decisions: first.decisions, stacks, proven, isListed },
    [
      ...specs.map((link) => ({ ...link, drained: args.drained?.includes(link.target) === true })),
      ...removed.map(({ link }) => limitOfRemoved(link, args)),
    ],
  );
  const notTheirs = handOverRefusals(removed, first.decisions, args);
  const overLimit = new Set([...Object.keys(tooMany), ...Object.keys(notTheirs)]);
  const { federated, decisions: all } =
    overLimit.size + doubtful.size === 0 ? first : planWithout(overLimit, doubtful);
  const allowed = all.filter(({ part }) => !overLimit.has(part));
  const judged = ownParts.filter(({ part }) => !overLimit.has(part));
  const byPart = (decisions: readonly Decision[]) => {
    const grouped = Map.groupBy(decisions, ({ part }) => part);
    const parts = [...judged.map(({ part }) => part), federatedPart];
    return new Map(parts.map((part) => [part, grouped.get(part) ?? []]));
  };
  const free = hidden ? allowed.map(withoutMarks) : allowed;
  const failover = routesOf(observation, byPart(free));
  const held = heldByRoutes(free, args.source, observation.routes, failover.routes);
  const { decisions } = held;
  const decisionsByPart = byPart(decisions);
  const drains = [...federated.drains, ...failover.drains];
  const drained = args.drained ?? [];
  const still = stillSending(source, drained, observation.routes, failover.routes);
  const ofSource = [
    ...drainRefusals(drained, drains, still),
    ...Object.values(undecided(args.source, removed)),
    ...(held.refusals.length > 0 ? held.refusals : withoutRoutes(observation)),
    ...(hidden && decisions.some(({ verdict }) => verdict === "handOver")
      ? [marksHidden(args.source)]
      : []),
  ];
  return {
    decisions,
    decisionsByPart,
    federatedMirrors: federated.mirrors,
    portConflicts: federated.conflicts,
    refusals: {
      ...tooMany,
      ...notTheirs,
      ...(ofSource.length > 0 && { [args.source]: ofSource.join("; ") }),
    },
    failover,
    missing: Object.fromEntries(current.flatMap(({ missing }) => Object.entries(missing))),
    statefulSets: Object.fromEntries(current.map(({ part, knownSets }) => [part, knownSets])),
    notes: [
      ...drainNotes(drained, drains, still).map((note): Note => [federatedPart, note]),
      ...notesOn(observation, judged, decisionsByPart, doubtful),
    ],
  };
}

function notesOn(
  { args, source, links, removed, stacks, routes, controllers }: SourceObservation,
  judged: readonly { readonly part: string; readonly authority: Authority }[],
  decisionsByPart: ReadonlyMap<string, readonly Decision[]>,
  doubtful: GuardedDeletions["doubtful"],
): Note[] {
  const context = args.clusters[args.source]?.context ?? args.source;
  return [
    ...links.flatMap((each) =>
      [...missingPorts(each), ...unknownProtocols(each)].map((sentence): Note => [
        each.link.target,
        sentence,
      ]),
    ),
    ...("why" in routes
      ? [[routesPart, `${routesPart} stay as they are, because ${routes.why}`] as const]
      : []),
    ...removed.flatMap((part): Note[] =>
      part.disposition === "unknown"
        ? [[part.link.target, `its mirrors stay for now, because ${part.why}`]]
        : [],
    ),
    ...credentialsNotes(args, [...decisionsByPart.values()].flat()),
    ...environmentNotes([...decisionsByPart.values()].flat(), source),
    ...unknownMarks(args, removed, source, stacks),
    ...doubtNotes(doubtful, context),
    ...judged.flatMap(({ part, authority }) => {
      const doubt = doubtful.get(part);
      const decisions = (decisionsByPart.get(part) ?? []).filter(({ key }) => !doubt?.has(key));
      return ownershipNotes(part, decisions, authority, context, mayExist(controllers, part));
    }),
    ...[...decisionsByPart].flatMap(([part, decisions]) =>
      [...differingPorts(decisions), ...othersNotes(decisions)].map((note): Note => [part, note]),
    ),
  ];
}

/** Routes that may not be read or written are a mistake to fix; whatever else prevents reading them may pass. */
function withoutRoutes({ routes, ...observation }: SourceObservation): string[] {
  if ("why" in routes) return routes.cause === "refused" ? [routes.why] : [];
  const why = whyUnserved(observation, routes.value);
  return why === undefined ? [] : [why];
}

function routesOf(
  { args, source, links, routes, stacks, memory }: SourceObservation,
  decisionsByPart: ReadonlyMap<string, readonly Decision[]>,
): DecidedRoutes {
  const known = routedServices(args, memory);
  if ("why" in routes) return { routes: [], problems: [], drains: [], services: known };
  return decideRoutes({
    source,
    routes: routes.value,
    own: ownRoutes(routes.value, stacks, known),
    routings: routings(args),
    routed: known,
    drained: new Set(args.drained),
    down: new Map(
      links.flatMap(({ link, gatewayDown }) =>
        gatewayDown === undefined ? [] : [[link.target, gatewayDown]],
      ),
    ),
    readyIn: readyIn(source, links),
    stacks,
    links: links.map(({ link }) => link),
    decisionsByPart,
    unserved: whyUnserved({ args, source }, routes.value),
  });
}

function leftAlone({ part, key, kind, live }: Deletion): Decision {
  return { verdict: "handOver", part, key, kind, live, fields: [] };
}

function withoutMarks(decision: Decision): Decision {
  if (isSkip(decision)) return decision;
  const { mark, ...rest } = decision;
  return rest;
}
