import type { ObjectKey } from "../../kubernetes/objects/objects.ts";
import { desired, type Desired } from "./mirrors/link-mirrors.ts";
import { desiredFederated, isForeign } from "./mirrors/federated.ts";
import { type FederatedView, linkCreated, type PortConflicts } from "./mirrors/members.ts";
import { type Mirror, mirrorKey } from "../model/mirror.ts";
import { standingMirrors } from "./mirrors/service-mirrors.ts";
import { linkDefaults } from "../model/link.ts";
import { federatedPart, isMarkedBy } from "../model/owner.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { type Decision, isListed, isWanted, isWrite } from "./decision.ts";
import { type DeletionLimit, tooManyDeletions } from "./policies/deletions.ts";
import { plan, type WantedPart } from "./compare.ts";
import type { LinkObservation, TargetObservation } from "../model/observation.ts";
import { othersAmongFederated, sharedIn } from "./policies/other-stacks.ts";
import type { RemovedPart } from "./policies/removed-links.ts";
import type { ByPart, MirrorsArgs } from "../model/state.ts";

/** Everything that a decision about a source is made from. */
export interface SourceObservation {
  readonly args: MirrorsArgs;
  readonly source: ClusterSnapshot;
  readonly links: readonly LinkObservation[];
  readonly removed: readonly RemovedPart[];
  /** Endpoint mirrors whose pods were away in the run before: since when, RFC 3339. */
  readonly missing: Readonly<Record<ObjectKey, string>>;
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
  /** By target: the sentence for a link of which so much would go that nothing of it is done. */
  readonly refusals: ByPart<string>;
  /** All federated Services with a member of this stack's, those that cannot be had included. */
  readonly united: readonly Mirror[];
  readonly portConflicts: PortConflicts;
  /** Endpoint mirrors that stay although their pods are away: since when, RFC 3339. */
  readonly missing: Readonly<Record<ObjectKey, string>>;
}

/**
 * Decides about everything that one source should have, all links together. Of a link that would lose too much in
 * one run everything stays, its members of federated Services included, and the others are planned without
 * it. Pure.
 */
export function decide(observation: SourceObservation): Decided {
  const { source, links, removed, stacks } = observation;
  const coming = withNamespacesToCome(observation);
  const reached = links.flatMap(({ link, target }) =>
    target === undefined ? [] : [{ link, target, wanted: desiredOf(link, target, coming) }],
  );
  const away = links.flatMap(({ link, remembered }) =>
    remembered === undefined ? [] : [{ link, gateway: remembered }],
  );
  const going = removed.filter((each) => each.disposition === "delete");
  const limits = [
    ...links.map(({ link }) => link),
    ...going.map(({ link }) => limitOf(link, observation.args)),
  ];
  const ownParts: readonly WantedPart[] = [
    ...reached.map(({ link, wanted }) => partOf(link.target, wanted)),
    ...away.map(({ link, gateway }) => ({
      ...partOf(link.target, { mirrors: standingMirrors(link, source, gateway), skips: [] }),
      keepsOthers: true as const,
    })),
    ...going.map(({ link, retained }) => ({
      ...partOf(link.target, { mirrors: [], skips: [] }),
      retained,
    })),
  ];
  const targets = [
    ...links.map(({ link }) => link.target),
    ...(observation.args.controllerLinks ?? []),
  ];
  const federatedOthers = othersAmongFederated(source, links, stacks);
  const planWith = (held: ReadonlySet<string>) => {
    const union = desiredFederated(federatedView(coming, held));
    const retained = new Set([...union.foreign, ...federatedOthers.retained]);
    const mirrors = union.mirrors.filter(
      (mirror) => !federatedOthers.retained.has(mirrorKey(mirror)),
    );
    const joined = { ...partOf(federatedPart, { ...union, mirrors }), retained };
    return { union, decisions: plan([...ownParts, joined], source, targets) };
  };
  const first = planWith(new Set());
  const refusals = refusalsIn(first.decisions, limits);
  const held = new Set(Object.keys(refusals));
  const { union, decisions: all } = held.size === 0 ? first : planWith(held);
  const judged = new Map<string, Decision[]>(
    [...ownParts.map(({ part }) => part), federatedPart].flatMap((part) =>
      held.has(part) ? [] : [[part, []]],
    ),
  );
  const managed = new Set(links.map(({ link }) => link.target));
  // Of a target that is away nothing else is known, so nothing else is confirmed.
  const unread = new Set(away.map(({ link }) => link.target));
  const decisions = all
    .filter(({ part }) => judged.has(part))
    .map((decision) => withOthers(decision, managed))
    .map((decision) => (unread.has(decision.part) ? decision : withMark(decision, stacks)));
  for (const decision of decisions) judged.get(decision.part)?.push(decision);
  return {
    ...{ decisions, judged, refusals },
    ...{ united: union.mirrors, portConflicts: union.conflicts },
    missing: Object.fromEntries(
      reached.flatMap(({ wanted }) => Object.entries(wanted.missing ?? {})),
    ),
  };
}

/** Notes that a mirror which stays does not carry this stack's mark yet. */
function withMark(decision: Decision, stacks: readonly string[]): Decision {
  const isKept = decision.verdict === "keep" || decision.verdict === "update";
  if (!isKept || !isWanted(decision) || !isListed(decision)) return decision;
  const meta = decision.live.service?.metadata;
  return meta === undefined || isMarkedBy(meta, stacks)
    ? decision
    : { ...decision, unmarked: true };
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
  observation: SourceObservation,
  held: ReadonlySet<string> = new Set(),
): FederatedView {
  const { source, links, removed, stacks } = observation;
  return {
    source,
    links: links.map(({ link, target }) => ({
      link,
      target: held.has(link.target) ? undefined : target?.snapshot,
      created: linkCreated(source, link.target),
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
    ...makers.flatMap(({ link, target }) =>
      target === undefined ? [] : desiredOf(link, target, observation).mirrors,
    ),
    ...desiredFederated(federatedView(observation)).mirrors,
  ];
  const created = mirrors.map(
    ({ namespace }) => [namespace, { metadata: { name: namespace } }] as const,
  );
  const namespaces = new Map([...created, ...source.namespaces]);
  return { ...observation, source: { ...source, namespaces } };
}

function desiredOf(
  link: LinkObservation["link"],
  target: TargetObservation,
  observation: SourceObservation,
): Desired {
  const { source, missing, now } = observation;
  const { snapshot, gateway, statefulSets } = target;
  return desired({
    ...{ link, source, target: snapshot, gateway, statefulSets },
    ...{ missing, now },
  });
}

function partOf(part: string, { mirrors, skips }: Pick<Desired, "mirrors" | "skips">): WantedPart {
  return { part, mirrors, skips };
}

/** A link that is no longer in the config has the limits that it had there. */
function limitOf(
  { source, target, maxDeletions }: RemovedPart["link"],
  args: MirrorsArgs,
): DeletionLimit {
  return {
    ...{ source, target, removed: true },
    maxDeletions: maxDeletions ?? linkDefaults.maxDeletions,
    // What was allowed while it was in the config was allowed for that run.
    allowDeletions: args.allowDeletions === true || args.revokedTargets?.includes(target) === true,
  };
}
