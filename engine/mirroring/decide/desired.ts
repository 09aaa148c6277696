import { type Result, valueIn } from "../../base/result.ts";
import type { Controllers } from "../../model/controller.ts";
import type { LinkObservation } from "../../model/observation.ts";
import type { Routes } from "../../model/route.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import type { Before, MirrorsArgs } from "../../model/state.ts";
import { readyIn } from "./readiness.ts";
import { desiredFederated } from "./mirrors/federated.ts";
import { desired } from "./mirrors/link-mirrors.ts";
import type { FederatedView } from "./mirrors/members.ts";
import type { RemovedPart } from "./policies/removed-links.ts";

export interface SourceObservation {
  readonly args: MirrorsArgs;
  readonly source: ClusterSnapshot;
  readonly links: readonly LinkObservation[];
  readonly removed: readonly RemovedPart[];
  readonly now: Date;
  readonly memory: Pick<
    Before,
    | "drained"
    | "failedOver"
    | "failover"
    | "traffic"
    | "identities"
    | "mirrors"
    | "rivals"
    | "statefulSets"
  >;
  /** This stack has marked objects under these names, the current one first. */
  readonly stacks: readonly string[];
  /** Linkerd's controllers. They are read only in a source with an object that a controller may have written. */
  readonly controllers: Controllers;
  readonly routes: Result<Routes>;
}

/**
 * @param overLimit targets whose members stay as they are, as if they couldn't be read
 * @param isDoubtful returns whether a cluster's member of a federated Service may be somebody else's
 */
export function federatedView(
  observation: SourceObservation,
  overLimit: ReadonlySet<string>,
  isDoubtful?: FederatedView["isDoubtful"],
): FederatedView {
  const { args, source, links, removed, stacks, controllers } = observation;
  return {
    drained: new Set(args.drained),
    readyIn: readyIn(source, links),
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
    ...(isDoubtful !== undefined && { isDoubtful }),
  };
}

/** Adds the namespaces that this run creates, so that Services of other links can be mirrored into them at once. */
export function withNamespacesToCreate(observation: SourceObservation): SourceObservation {
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

export function desiredOf(links: readonly LinkObservation[], observation: SourceObservation) {
  const { args, source, now, memory } = observation;
  return links.flatMap(({ link, target }) => {
    if ("why" in target) return [];
    const { [link.target]: uid } = memory.identities ?? {};
    const isKnown = uid === target.value.snapshot.identity;
    const knownSets = isKnown ? memory.statefulSets?.[link.target] : undefined;
    const view = { link, source, now, knownSets, extension: args.statusIn, ...target.value };
    return [{ link, part: link.target, ...desired(view) }];
  });
}
