import type { ObjectKey } from "../../../kubernetes/objects/objects.ts";
import { type Mirror, mirrorKey } from "../../model/mirror.ts";
import type { Skip, Why } from "../../model/reasons.ts";

export interface Refusal extends Why {
  readonly mirror: Mirror;
}

/**
 * Takes mirrors out of a link's list. A headless mirror goes with its endpoint mirrors, and one
 * without a certain endpoint mirror does not name that pod either.
 */
export function refuse(
  mirrors: readonly Mirror[],
  refusals: readonly Refusal[],
): { readonly mirrors: readonly Mirror[]; readonly skips: readonly Skip[] } {
  const refused = new Set(refusals.map(({ mirror }) => mirror));
  const roots = refusals.filter(({ mirror }) => mirror.kind === "headless");
  const originsWithoutRoot = new Set(roots.map(({ mirror }) => mirror.origin));
  const left = mirrors.filter(
    (mirror) =>
      !refused.has(mirror) &&
      !(mirror.kind === "endpoint" && originsWithoutRoot.has(mirror.origin)),
  );
  const pods = new Set(left.filter(({ kind }) => kind === "endpoint").map(mirrorKey));
  return {
    mirrors: left.map((mirror) => withHosts(mirror, pods)),
    skips: refusals.map(({ mirror: { origin, hostname, name: mirror }, reason, sentence }) => {
      const skip = { origin, mirror, reason, sentence };
      return hostname === undefined ? skip : { ...skip, hostname };
    }),
  };
}

function withHosts(mirror: Mirror, pods: ReadonlySet<ObjectKey>): Mirror {
  if (mirror.kind !== "headless" || mirror.endpoints === undefined) return mirror;
  const subsets = mirror.endpoints.subsets.flatMap((subset) => {
    const addresses = subset.addresses.filter(
      (address) => !("endpointMirror" in address) || pods.has(address.endpointMirror),
    );
    return addresses.length === 0 ? [] : [{ ...subset, addresses }];
  });
  return { ...mirror, endpoints: { ...mirror.endpoints, subsets } };
}
