import { inSeconds } from "../kubernetes/objects/duration.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import type { LinkSpec } from "../model/link.ts";
import { type Answered, leaseName, verdictAnnotation, verdictIn } from "../model/prober.ts";
import { resultOf } from "../base/result.ts";
import { accessOf, type MeshAccess, type Observed } from "./need.ts";

/** A prober writes at least every 10 s. Clocks may differ. */
const longestSilence = 60_000;

/** Says why nothing is known of a gateway; `isSilent` if that is certain, and not only unread. */
export interface Unheard {
  readonly why: string;
  readonly isSilent?: true;
}

/**
 * Returns a function that reads what a link's prober says of the gateway, or why it says nothing; undefined for a link
 * without one, and on a flat network, where it asks nothing.
 */
export function proberOf(
  { clusters: accesses }: Pick<MeshAccess, "clusters">,
  clusters: Pick<Observed, "client">,
  { source, target, prober, gateway }: LinkSpec,
  namespace: string | undefined,
  now = () => new Date(),
): (() => Promise<Answered | Unheard>) | undefined {
  if (prober === false || gateway === false || namespace === undefined) return undefined;
  return async () => {
    const where = `the prober ${source}/${namespace}/prober-${target}`;
    const found = await resultOf(async () => {
      const client = await clusters.client(source, accessOf(accesses, source));
      return client.find(resources.leases, { namespace, name: leaseName(target) });
    }, source);
    if ("why" in found) return { why: `what ${where} says is unknown: ${found.why}` };
    if (found.value === undefined) return { why: `${where} has said nothing yet`, isSilent: true };
    const { metadata, spec } = found.value;
    const silence = now().getTime() - Date.parse(spec?.renewTime ?? "");
    const verdict = verdictIn(metadata.annotations?.[verdictAnnotation]);
    // A time far ahead would make it count for ever.
    if (verdict !== undefined && Math.abs(silence) < longestSilence) return verdict;
    return { why: `${where} has said nothing for ${inSeconds(longestSilence)}`, isSilent: true };
  };
}
