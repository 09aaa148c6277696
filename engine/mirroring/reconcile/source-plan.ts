import { type ObjectKey, objectKey } from "../../kubernetes/objects.ts";
import { desired, type Desired } from "../desired/desired.ts";
import { desiredFederated, type DesiredFederated, isForeign } from "../desired/federated.ts";
import { type FederatedView, linkCreated } from "../desired/members.ts";
import { mirrorKey } from "../desired/refuse.ts";
import { standingMirrors } from "../desired/standing-mirrors.ts";
import { linkDefaults } from "../model/link-settings.ts";
import { federated, federatedPart } from "../model/owner.ts";
import { type TakenLabels, takenLabels } from "../model/taken-labels.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { SourcePlan } from "../plan/change.ts";
import { type DeletionLimit, tooManyDeletions, tooManyLeave } from "../plan/deletions.ts";
import { liveMirrors } from "../plan/ownership.ts";
import { plan, type WantedPart } from "../plan/plan.ts";
import { emptyStatus, federatedStatus, type LinkStatuses, mirrorStatus } from "../plan/status.ts";
import type { LinkObservation, TargetObservation } from "./observation.ts";
import { downNotes, linkGateways } from "./link-gateways.ts";
import { sharedIn, sharedNotes, unconfirmedIn } from "./other-stacks.ts";
import { gatewayFact } from "./remembered-gateways.ts";
import { markedAmong, type RemovedPart } from "./removed-links.ts";
import { type ByPart, makesLinks, type MirrorsArgs, nonEmpty, type Planned } from "./state.ts";

/** All that a plan is made from. */
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

/** What one run does to a source, and what it has to say. */
export interface Reconciliation {
  /** Only of parts about which a conclusion could be drawn, and of which one run may do as much. */
  readonly parts: SourcePlan;
  /** By target: the sentence for a link of which so much would go that nothing of it is done. */
  readonly refusals: ByPart<string>;
  /** Mirrors that are right, and do not carry this stack's mark yet. */
  readonly unconfirmed: ByPart<readonly ObjectKey[]>;
  /** Mirrors that stay with another stack, whose marks of this one are to be taken off. */
  readonly released: readonly ObjectKey[];
  readonly facts: Pick<Planned, "gateways" | "portConflicts">;
  /** Endpoint mirrors that stay although their pods are away: since when, RFC 3339. */
  readonly missing: Readonly<Record<ObjectKey, string>>;
  /** By part. */
  readonly notes: readonly (readonly [part: string, sentence: string])[];
  readonly statuses: LinkStatuses;
}

/**
 * Plans everything that one source should have, all links together. Of a link that would lose too much in
 * one run everything stays, its members of federated Services included, and the others are planned without
 * it. Pure.
 */
export function planSource(observation: SourceObservation): Reconciliation {
  const { source, links, removed, stacks } = observation;
  const coming = withNamespacesToCome(observation);
  const reached = links.flatMap(({ link, target }) =>
    target === undefined ? [] : [{ link, target, wanted: desiredOf(link, target, coming) }],
  );
  const away = links.flatMap(({ link, remembered }) =>
    remembered === undefined ? [] : [{ link, gateway: remembered }],
  );
  const going = removed.filter((each) => each.fate === "goes");
  const limits = [
    ...links.map(({ link }) => link),
    ...going.map(({ link }) => limitOf(link, observation.args)),
  ];
  const planWith = (held: ReadonlySet<string>) => {
    const union = desiredFederated(federatedView(coming, held));
    const parts = plan(
      [
        ...reached.map(({ link, wanted }) => ({
          ...partOf(link.target, wanted),
          guard: guardOf(link),
        })),
        ...away.map(({ link, gateway }) => ({
          ...partOf(link.target, { mirrors: standingMirrors(link, source, gateway), skips: [] }),
          keepsOthers: true as const,
        })),
        ...going.map(({ link, spared }) => ({
          ...partOf(link.target, { mirrors: [], skips: [] }),
          spared,
          guard: guardOf(limitOf(link, observation.args)),
        })),
        { ...partOf(federatedPart, union), spared: new Set(union.foreign) },
      ],
      source,
      [...links.map(({ link }) => link.target), ...(observation.args.controllerLinks ?? [])],
    );
    return { union, parts };
  };
  const first = planWith(new Set());
  const refusals = refusalsIn(first.parts, limits, source);
  const held = new Set(Object.keys(refusals));
  const { union, parts: all } = held.size === 0 ? first : planWith(held);
  const parts = withoutForeign(
    new Map([...all].filter(([part]) => !held.has(part))),
    new Set(links.map(({ link }) => link.target)),
  );
  // Of a target that is away nothing else is known, so nothing else is said or confirmed.
  const judged = new Map(
    [...parts].filter(([part]) => away.every(({ link }) => link.target !== part)),
  );
  const gateways = linkGateways(links);
  return {
    parts,
    refusals,
    unconfirmed: unconfirmedIn(judged, source, stacks),
    released: going.flatMap(({ spared }) => markedAmong(spared, source, stacks)),
    facts: {
      ...nonEmpty(
        "gateways",
        Object.fromEntries([...gateways].map(([name, gateway]) => [name, gatewayFact(gateway)])),
      ),
      ...nonEmpty("portConflicts", union.conflicts),
    },
    missing: Object.fromEntries(
      reached.flatMap(({ wanted }) => Object.entries(wanted.missing ?? {})),
    ),
    notes: [
      ...notesOf(reached, going, union),
      ...downNotes(gateways, parts),
      ...sharedNotes(judged, source, stacks),
    ],
    statuses: [
      ...statusesOf(observation, reached, union, parts),
      ...formerStatuses(observation.args, going, held),
    ],
  };
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
    retired: removed.flatMap(({ fate, link: { target } }) =>
      fate === "goes" && !held.has(target) ? [target] : [],
    ),
    shared: sharedIn(source, stacks),
    taken: takenIn(observation),
  };
}

/** By target: why nothing of a link is done, since too much of it would go. */
function refusalsIn(
  parts: SourcePlan,
  limits: readonly DeletionLimit[],
  source: ClusterSnapshot,
): ByPart<string> {
  const joined = parts.get(federatedPart)?.changes ?? [];
  const leaving = tooManyLeave(limits, joined, liveMirrors(source, federated));
  return Object.fromEntries(
    limits.flatMap(({ target }) => {
      const sentences = [parts.get(target)?.refusal ?? [], leaving.get(target) ?? []].flat();
      return sentences.length === 0 ? [] : [[target, sentences.join("; ")] as const];
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

/** A federated Service that this run leaves to others is no longer among this stack's. */
function withoutForeign(parts: SourcePlan, managed: ReadonlySet<string>): SourcePlan {
  const joined = parts.get(federatedPart);
  if (joined === undefined) return parts;
  const foreign = new Set<string>(
    joined.wanted.filter(({ annotations }) => isForeign(annotations, managed)).map(mirrorKey),
  );
  const own = Object.entries(joined.mirrors).filter(([key]) => !foreign.has(key));
  return new Map([...parts, [federatedPart, { ...joined, mirrors: Object.fromEntries(own) }]]);
}

type Reached = {
  readonly link: LinkObservation["link"];
  readonly target: TargetObservation;
  readonly wanted: Desired;
};

function desiredOf(
  link: LinkObservation["link"],
  target: TargetObservation,
  observation: SourceObservation,
): Desired {
  const { source, missing, now } = observation;
  const { snapshot, gateway, statefulSets } = target;
  return desired({
    ...{ link, source, target: snapshot, gateway, statefulSets },
    ...{ missing, now, taken: takenIn(observation) },
  });
}

function takenIn({ args, links }: SourceObservation): TakenLabels {
  return args.takenLabels ?? takenLabels(links.map(({ link }) => link));
}

function partOf(part: string, { mirrors, skips }: Pick<Desired, "mirrors" | "skips">): WantedPart {
  return { part, mirrors, skips };
}

function guardOf(limit: DeletionLimit): NonNullable<WantedPart["guard"]> {
  return (changes, live) =>
    tooManyDeletions(limit, changes.filter(({ action }) => action === "delete").length, live.size);
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

function notesOf(
  reached: readonly Reached[],
  going: readonly Extract<RemovedPart, { readonly fate: "goes" }>[],
  { conflicts }: DesiredFederated,
): (readonly [string, string])[] {
  return [
    ...reached.flatMap(({ link, target: { gateway } }) =>
      gateway.known ? gateway.warnings.map((warning) => [link.target, warning] as const) : [],
    ),
    ...going.flatMap(({ link, notes }) => notes.map((note) => [link.target, note] as const)),
    ...Object.entries(conflicts).map(
      ([origin, sentence]) => [federatedPart, `${origin}: ${sentence}`] as const,
    ),
  ];
}

function statusesOf(
  { args: { statusIn } }: SourceObservation,
  reached: readonly Reached[],
  union: DesiredFederated,
  parts: SourcePlan,
): LinkStatuses {
  if (statusIn === undefined) return [];
  const joined = parts.get(federatedPart);
  return reached.flatMap(({ link: { target } }) => {
    const link = objectKey(statusIn, target);
    const own = parts.get(target);
    if (own === undefined) return [];
    return [
      mirrorStatus(link, own),
      ...(joined === undefined ? [] : [federatedStatus(link, target, union.mirrors, joined)]),
    ];
  });
}

/** A Link of somebody else's stays when its link leaves the stack, and would go on naming its mirrors. */
function formerStatuses(
  args: MirrorsArgs,
  going: readonly Extract<RemovedPart, { readonly fate: "goes" }>[],
  held: ReadonlySet<string>,
): LinkStatuses {
  const { statusIn } = args;
  if (statusIn === undefined || makesLinks(args)) return [];
  return going
    .filter(({ link, spared }) => spared.size === 0 && !held.has(link.target))
    .flatMap(({ link }) => emptyStatus(objectKey(statusIn, link.target)));
}
