import { fallback } from "../kubernetes/client/errors.ts";
import { keyOf } from "../kubernetes/objects/objects.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import type { Observed } from "../reading/need.ts";
import { type Decided, decide } from "./decide/decide.ts";
import type { SourceObservation } from "./decide/desired.ts";
import { crowdedNamespaces } from "./decide/policies/environment.ts";
import { entryOf } from "../model/state.ts";

interface Decision {
  readonly observation: SourceObservation;
  readonly decided: Decided;
}

/**
 * Reads which pods contradict `serviceLinksDisabled`, and decides again. They matter only where many Services would be,
 * which is known by a decision.
 */
export async function withServiceLinks(
  clusters: Pick<Observed, "client">,
  observation: SourceObservation,
  decided: Decided,
): Promise<Decision> {
  const { args, source } = observation;
  const crowded =
    args.serviceLinksDisabled === true ? crowdedNamespaces(decided.decisions, source) : undefined;
  if (crowded === undefined || crowded.size === 0) return { observation, decided };
  const kubernetes = await clusters.client(args.source, entryOf(args, args.source));
  const fieldSelector = "status.phase!=Succeeded,status.phase!=Failed";
  const found = [...crowded.keys()].map(async (namespace) => {
    const pods = await kubernetes
      .list(resources.pods, { namespace, fieldSelector })
      .catch(fallback(undefined, "forbidden"));
    const linked = pods?.filter(({ spec }) => spec?.enableServiceLinks !== false).map(keyOf);
    return [namespace, linked?.sort() ?? ("unknown" as const)] as const;
  });
  const serviceLinks = new Map(await Promise.all(found));
  const known = { ...observation, source: { ...source, serviceLinks } };
  return { observation: known, decided: decide(known) };
}
