import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { linkDefaults } from "../model/link.ts";
import { type Mirror, mirrorKey } from "../model/mirror.ts";
import { type LinkObservation, unreadTargets } from "../model/observation.ts";
import { federatedPart } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { ByPart, MirrorsArgs } from "../model/state.ts";
import { plan, type WantedPart } from "./compare.ts";
import { type Decision, isWrite, type Note } from "./decision.ts";
import { desiredFederated, isForeign } from "./mirrors/federated.ts";
import { desired } from "./mirrors/link-mirrors.ts";
import type { FederatedView, PortConflicts } from "./mirrors/members.ts";
import { type DeletionLimit, tooManyDeletions } from "./policies/deletions.ts";
import { othersAmongFederated, sharedIn, sharedNotes, withMark } from "./policies/other-stacks.ts";
import { type RemovedPart, undecided } from "./policies/removed-links.ts";

/** Everything that a decision about a source is made from. */
export interface SourceObservation {
  readonly args: MirrorsArgs;
  readonly source: ClusterSnapshot;
  readonly links: readonly LinkObservation[];
  readonly removed: readonly RemovedPart[];
  /** When the clusters are judged. */
  readonly now: Date;
  /** The names of this stack, by which it knows its own marks. */
  readonly stacks: readonly string[];
}

/** What becomes of a source in one run. */
export interface Decided {
  /** About every object, part by part; only of parts that are judged. */
  readonly decisions: readonly Decision[];
  /** The same by part: the parts about which a conclusion could be drawn, and of which one run may do as much. */
  readonly judged: ReadonlyMap<string, readonly Decision[]>;
  /**
   * Sentences about what somebody has to see to: by target for a link of which so much would go that nothing of it is
   * done, and by source for removed links about which nothing could be decided.
   */
  readonly refusals: ByPart<string>;
  /** All federated Services with a member of this stack's, those that cannot be had included. */
  readonly united: readonly Mirror[];
  readonly portConflicts: PortConflicts;
  /** Endpoint mirrors that stay although their pods are away: since when, RFC 3339. */
  readonly missing: Readonly<Record<ObjectKey, string>>;
  /** What there is to say of mirrors that stay with others, or that others have as well. */
  readonly notes: readonly Note[];
}

/**
 * Decides about everything that one source should have, all links together. Of a link that would lose too much in
 * one run everything stays, its members of federated Services included, and the others are planned without
 * it. Pure.
 */
export function decide(observation: SourceObservation): Decided {
  const { args, source, links, removed, stacks } = observation;
  const coming = withNamespacesToCome(observation);
  const reached = desiredOf(links, coming);
  const going = removed.filter((each) => each.disposition === "delete");
  const ownParts: readonly WantedPart[] = [
    ...reached,
    ...going.map(({ link, retained }) => ({
      ...{ part: link.target, mirrors: [], skips: [], retained },
    })),
  ];
  const managed = new Set(links.map(({ link }) => link.target));
  const targets = [...managed, ...(args.controllerLinks ?? [])];
  const others = othersAmongFederated(source, links, stacks);
  const planWith = (held: ReadonlySet<string>) => {
    const union = desiredFederated(federatedView(coming, held));
    const joined = {
      ...{ part: federatedPart, skips: union.skips },
      mirrors: union.mirrors.filter((mirror) => !others.retained.has(mirrorKey(mirror))),
      retained: new Set([...union.foreign, ...others.retained]),
    };
    return { union, decisions: plan([...ownParts, joined], source, targets) };
  };
  const first = planWith(new Set());
  const limits = [
    ...links.map(({ link }) => link),
    ...going.map(({ link }) => limitOf(link, observation.args)),
  ];
  const tooMany = refusalsIn(first.decisions, limits);
  const held = new Set(Object.keys(tooMany));
  const { union, decisions: all } = held.size === 0 ? first : planWith(held);
  // Of a target that is away nothing else is known, so nothing else is confirmed or said.
  const unread = unreadTargets(links);
  const decisions = all.flatMap((decision) => {
    if (held.has(decision.part)) return [];
    const known = withOthers(decision, managed);
    return unread.has(decision.part) ? known : withMark(known, stacks);
  });
  const byPart = Map.groupBy(decisions, ({ part }) => part);
  const judged = [...ownParts.map(({ part }) => part), federatedPart].filter(
    (part) => !held.has(part),
  );
  return {
    ...{ decisions, united: union.mirrors, portConflicts: union.conflicts },
    refusals: { ...tooMany, ...undecided(args.source, removed) },
    judged: new Map(judged.map((part) => [part, byPart.get(part) ?? []])),
    missing: Object.fromEntries(reached.flatMap(({ missing }) => Object.entries(missing))),
    notes: [
      ...removed.flatMap(({ link, notes }) => notes.map((note): Note => [link.target, note])),
      ...others.notes.map((note): Note => [federatedPart, note]),
      ...sharedNotes(decisions, unread, stacks),
    ],
  };
}

/** Notes that a federated Service is no longer among this stack's once its members have left it. */
function withOthers(decision: Decision, managed: ReadonlySet<string>): Decision {
  return decision.part === federatedPart &&
    isWrite(decision) &&
    isForeign(decision.wanted.annotations, managed)
    ? { ...decision, isOthers: true }
    : decision;
}

/** @param held targets whose members stay as they are, as if nobody could read them */
function federatedView(
  { source, links, removed, stacks }: SourceObservation,
  held: ReadonlySet<string>,
): FederatedView {
  return {
    source,
    links: links.map(({ link, target }) => ({
      link,
      target: held.has(link.target) ? undefined : target?.snapshot,
    })),
    retired: removed.flatMap(({ disposition, link: { target } }) =>
      disposition === "delete" && !held.has(target) ? [target] : [],
    ),
    shared: sharedIn(source, stacks),
  };
}

/** By target: why nothing of a link is done, since too much of it would go. */
function refusalsIn(
  decisions: readonly Decision[],
  limits: readonly DeletionLimit[],
): ByPart<string> {
  return Object.fromEntries(
    limits.flatMap((limit) => {
      const sentences = tooManyDeletions(limit, decisions);
      return sentences.length === 0 ? [] : [[limit.target, sentences.join("; ")] as const];
    }),
  );
}

/**
 * The source as it will be: with the namespaces that come about in this run, because a link that creates
 * namespaces has a mirror there. A Service of another link can be mirrored into them at once.
 */
function withNamespacesToCome(observation: SourceObservation): SourceObservation {
  const { source, links } = observation;
  const makers = links.filter(({ link }) => link.createNamespaces);
  if (makers.length === 0 || makers.length === links.length) return observation;
  const mirrors = [
    ...desiredOf(makers, observation).flatMap((part) => part.mirrors),
    ...desiredFederated(federatedView(observation, new Set())).mirrors,
  ];
  const created = mirrors.map(
    ({ namespace }) => [namespace, { metadata: { name: namespace } }] as const,
  );
  const namespaces = new Map([...created, ...source.namespaces]);
  return { ...observation, source: { ...source, namespaces } };
}

/** What the links should have whose targets could be read. */
function desiredOf(links: readonly LinkObservation[], { source, now }: SourceObservation) {
  return links.flatMap(({ link, target }) => {
    if (target === undefined) return [];
    return [{ part: link.target, ...desired({ link, source, now, ...target }) }];
  });
}

/** A link that is no longer in the config has the limits that it had there. */
function limitOf(
  { source, target, maxDeletions = linkDefaults.maxDeletions }: RemovedPart["link"],
  args: MirrorsArgs,
): DeletionLimit {
  return {
    ...{ source, target, maxDeletions, removed: true },
    // What was allowed while it was in the config was allowed for that run.
    allowDeletions: args.allowDeletions === true || args.revokedTargets?.includes(target) === true,
  };
}
