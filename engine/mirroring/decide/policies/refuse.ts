import { type Mirror, type MirrorAddress, mirrorKey } from "../../model/mirror.ts";
import type { ObjectKey } from "../../../kubernetes/objects/objects.ts";
import type { Reason, Skip } from "../../model/reasons.ts";

export interface Refusal {
  readonly mirror: Mirror;
  readonly reason: Reason;
  readonly sentence: string;
}

/**
 * Takes mirrors out of a link's list. A headless mirror goes with its endpoint mirrors, and one
 * without a certain endpoint mirror does not name that pod either.
 */
export function refuse(
  mirrors: readonly Mirror[],
  refusals: readonly Refusal[],
): { readonly mirrors: readonly Mirror[]; readonly skips: readonly Skip[] } {
  if (refusals.length === 0) return { mirrors, skips: [] };
  const refused = new Set(refusals.map((refusal) => refusal.mirror));
  const originsWithoutRoot = new Set(
    refusals.filter(({ mirror }) => mirror.kind === "headless").map(({ mirror }) => mirror.origin),
  );
  const left = mirrors.filter(
    (mirror) =>
      !refused.has(mirror) &&
      !(mirror.kind === "endpoint" && originsWithoutRoot.has(mirror.origin)),
  );
  const pods = new Set(left.filter((mirror) => mirror.kind === "endpoint").map(mirrorKey));
  return {
    mirrors: left.map((mirror) => withHosts(mirror, pods)),
    skips: refusals.map(({ mirror, reason, sentence }) => ({
      origin: mirror.origin,
      ...(mirror.hostname !== undefined && { hostname: mirror.hostname }),
      mirror: mirror.name,
      reason,
      sentence,
    })),
  };
}

function withHosts(mirror: Mirror, pods: ReadonlySet<ObjectKey>): Mirror {
  if (mirror.kind !== "headless" || mirror.endpoints === undefined) return mirror;
  const leads = (address: MirrorAddress) =>
    !("endpointMirror" in address) || pods.has(address.endpointMirror);
  const subsets = mirror.endpoints.subsets
    .map((subset) => ({ ...subset, addresses: subset.addresses.filter(leads) }))
    .filter((subset) => subset.addresses.length > 0);
  return { ...mirror, endpoints: { ...mirror.endpoints, subsets } };
}
