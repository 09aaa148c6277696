import { fallback } from "../kubernetes/client/errors.ts";
import { keyOf } from "../kubernetes/objects/objects.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import type { Observed } from "../reading/need.ts";
import { decide } from "./decide/decide.ts";
import type { SourceObservation } from "./decide/desired.ts";
import { crowdedNamespaces } from "./decide/policies/environment.ts";
import { entryOf } from "../model/state.ts";

/** Adds which pods contradict `serviceLinksDisabled`. They matter only where many Services would be. */
export async function withServiceLinks(
  clusters: Pick<Observed, "client">,
  observation: SourceObservation,
): Promise<SourceObservation> {
  const { args, source } = observation;
  if (args.serviceLinksDisabled !== true) return observation;
  const crowded = crowdedNamespaces(decide(observation).decisions, source);
  if (crowded.size === 0) return observation;
  const kubernetes = await clusters.client(args.source, entryOf(args, args.source));
  const fieldSelector = "status.phase!=Succeeded,status.phase!=Failed";
  const found = [...crowded.keys()].map(async (namespace) => {
    const pods = await kubernetes
      .list(resources.pods, { namespace, fieldSelector })
      .catch(fallback(undefined, "forbidden"));
    const linked = pods?.filter(({ spec }) => spec?.enableServiceLinks !== false).map(keyOf);
    return [namespace, linked?.sort() ?? ("unknown" as const)] as const;
  });
  return { ...observation, source: { ...source, serviceLinks: new Map(await Promise.all(found)) } };
}
