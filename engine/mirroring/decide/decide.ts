import { type Result, valueIn } from "../../result.ts";
import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { type Controllers, mayExist } from "../model/controller.ts";
import { hidesMarks, marksHidden } from "../model/marks.ts";
import type { Mirror } from "../model/mirror.ts";
import type { KnownSets, LinkObservation } from "../model/observation.ts";
import { federatedPart } from "../model/owner.ts";
import { type DecidedRoutes, ownRoutes, type Routes, routesPart } from "../model/route.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { type Before, type ByPart, failedOver, type MirrorsArgs } from "../model/state.ts";
import { plan } from "./compare.ts";
import { decideRoutes } from "./failover.ts";
import { type Decision, isSkip, type Note } from "../model/decision.ts";
import { desiredFederated } from "./mirrors/federated.ts";
import { desired } from "./mirrors/link-mirrors.ts";
import { leftToOthers, othersNotes } from "./other-writers.ts";
import type { FederatedView, PortConflicts } from "./mirrors/members.ts";
import { deletionRefusals, limitOfRemoved } from "./policies/deletions.ts";
import { withinLimits } from "./policies/most-mirrors.ts";
import { heldByRoutes } from "./policies/named-by-routes.ts";
import { missingPorts } from "./policies/exports.ts";
import {
  type Authority,
  authorityOver,
  authorityOverRemoved,
  ownershipNotes,
} from "./policies/ownership.ts";
import {
  handOverRefusals,
  type RemovedPart,
  undecided,
  unknownMarks,
} from "./policies/removed-links.ts";
import { linkerdNames } from "../model/vocabulary.ts";

export interface SourceObservation {
  readonly args: MirrorsArgs;
  readonly source: ClusterSnapshot;
  readonly links: readonly LinkObservation[];
  readonly removed: readonly RemovedPart[];
  readonly now: Date;
  readonly memory: Pick<
    Before,
    "failedOver" | "failover" | "identities" | "rivals" | "statefulSets"
  >;
  /** This stack has marked objects under these names, the current one first. */
  readonly stacks: readonly string[];
  /** They are read only where there is anything that one may have written. */
  readonly controllers: Controllers;
  readonly routes: Result<Routes>;
}

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
  const planWithout = (overLimit: ReadonlySet<string>) => {
    const federated = desiredFederated(federatedView(prepared, overLimit));
    const parts = [...ownParts, { part: federatedPart, ...federated }];
    const decisions = withinLimits(parts, specs, source, (some) =>
      plan(some, source, targets, overLimit).map((each) => leftToOthers(each, memory.rivals)),
    );
    return { federated, decisions };
  };
  const first = planWithout(new Set());
  const proven = new Set(current.flatMap((each) => each.proven));
  const tooMany = deletionRefusals({ decisions: first.decisions, stacks, proven }, [
    ...specs,
    ...removed.map(({ link }) => limitOfRemoved(link, args)),
  ]);
  const notTheirs = handOverRefusals(removed, first.decisions, args);
  const overLimit = new Set([...Object.keys(tooMany), ...Object.keys(notTheirs)]);
  const { federated, decisions: all } = overLimit.size === 0 ? first : planWithout(overLimit);
  const allowed = all.filter(({ part }) => !overLimit.has(part));
  const judged = ownParts.filter(({ part }) => !overLimit.has(part));
  const byPart = (decisions: readonly Decision[]) => {
    const grouped = Map.groupBy(decisions, ({ part }) => part);
    const parts = [...judged.map(({ part }) => part), federatedPart];
    return new Map(parts.map((part) => [part, grouped.get(part) ?? []]));
  };
  const free = hidden ? allowed.map(withoutMarks) : allowed;
  const failover = failoverOf(observation, byPart(free));
  const held = heldByRoutes(free, args.source, observation.routes, failover.routes);
  const { decisions } = held;
  const decisionsByPart = byPart(decisions);
  const ofSource = [
    ...Object.values(undecided(args.source, removed)),
    ...(held.refusals.length > 0 ? held.refusals : unreadable(observation)),
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
    notes: notesOn(observation, judged, decisionsByPart),
  };
}

function notesOn(
  { args, source, links, removed, stacks, routes, controllers }: SourceObservation,
  judged: readonly { readonly part: string; readonly authority: Authority }[],
  decisionsByPart: ReadonlyMap<string, readonly Decision[]>,
): Note[] {
  const context = args.clusters[args.source]?.context ?? args.source;
  return [
    ...links.flatMap((each) =>
      missingPorts(each).map((sentence): Note => [each.link.target, sentence]),
    ),
    ...("why" in routes ? [[routesPart, `stay as they are, because ${routes.why}`] as const] : []),
    ...removed.flatMap((part): Note[] =>
      part.disposition === "unknown"
        ? [[part.link.target, `its mirrors stay for now, because ${part.why}`]]
        : [],
    ),
    ...unknownMarks(args, removed, source, stacks),
    ...judged.flatMap(({ part, authority }) => {
      const decisions = decisionsByPart.get(part) ?? [];
      return ownershipNotes(part, decisions, authority, context, mayExist(controllers, part));
    }),
    ...[...decisionsByPart].flatMap(([part, decisions]) =>
      othersNotes(decisions).map((note): Note => [part, note]),
    ),
  ];
}

/** Routes that may not be read are a mistake to fix; whatever else prevents reading them may pass. */
function unreadable({ routes }: SourceObservation): string[] {
  return "why" in routes && routes.cause === "refused" ? [routes.why] : [];
}

function failoverOf(
  { args, source, links, routes, stacks, memory }: SourceObservation,
  decisionsByPart: ReadonlyMap<string, readonly Decision[]>,
): DecidedRoutes {
  if ("why" in routes) return { routes: [], problems: [] };
  const known = failedOver(args, memory);
  return decideRoutes({
    source,
    routes: routes.value,
    own: ownRoutes(routes.value, stacks, known),
    failover: args.failover ?? {},
    failedOver: known,
    stacks,
    links: links.map(({ link }) => link),
    decisionsByPart,
  });
}

function withoutMarks(decision: Decision): Decision {
  if (isSkip(decision)) return decision;
  const { mark, ...rest } = decision;
  return rest;
}

/** @param overLimit targets whose members stay as they are, as if they couldn't be read */
function federatedView(
  { source, links, removed, stacks, controllers }: SourceObservation,
  overLimit: ReadonlySet<string>,
): FederatedView {
  return {
    source,
    links: links.map(({ link, target }) => ({
      link,
      target: overLimit.has(link.target) ? undefined : valueIn(target)?.snapshot,
    })),
    removed: removed.map((part) => {
      if (!overLimit.has(part.link.target)) return part;
      const why = "too many of its mirrors would be deleted";
      return { link: part.link, disposition: "unknown", why };
    }),
    stacks,
    controllers,
  };
}

/** Adds the namespaces that this run creates, so that Services of other links can be mirrored into them at once. */
function withNamespacesToCreate(observation: SourceObservation): SourceObservation {
  const { source, links } = observation;
  const makers = links.filter(({ link }) => link.createNamespaces);
  if (makers.length === 0 || makers.length === links.length) return observation;
  const mirrors = [
    ...desiredOf(makers, observation).flatMap((part) => part.mirrors),
    ...desiredFederated(federatedView(observation, new Set())).mirrors,
  ];
  const created = mirrors.map(({ namespace: name }) => [name, { metadata: { name } }] as const);
  const namespaces = new Map([...created, ...source.namespaces]);
  return { ...observation, source: { ...source, namespaces } };
}

function desiredOf(links: readonly LinkObservation[], observation: SourceObservation) {
  const { source, now, memory } = observation;
  return links.flatMap(({ link, target }) => {
    if ("why" in target) return [];
    const { [link.target]: uid } = memory.identities ?? {};
    const isKnown = uid === target.value.snapshot.identity;
    const knownSets = isKnown ? memory.statefulSets?.[link.target] : undefined;
    const view = { link, source, now, knownSets, ...target.value };
    return [{ link, part: link.target, ...desired(view) }];
  });
}
