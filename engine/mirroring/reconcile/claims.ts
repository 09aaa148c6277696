import { desired } from "../desired/desired.ts";
import { desiredFederated } from "../desired/federated.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Claim } from "../plan/collisions.ts";
import { ifReached, type Readings } from "./survey.ts";

/** A name does not depend on where a gateway is, so any will do to find the names. */
const anyGateway = {
  known: true,
  gateway: { addresses: [], port: 0, identity: "" },
  warnings: [],
} as const;

/** Names that links ask for in a source. One out of reach neither adds nor takes any in this run. */
export async function mirrorClaims(
  links: readonly LinkSpec[],
  source: ClusterSnapshot,
  readings: Readings,
): Promise<Claim[]> {
  const claims = await Promise.all(
    links.map(async (link) => {
      const target = await ifReached(readings, link.target);
      if (target === undefined) return [];
      const { mirrors } = desired({ link, source, target, gateway: anyGateway });
      return mirrors.map((mirror) => ({ target: link.target, mirror }));
    }),
  );
  return claims.flat();
}

/** Names of the federated Services that links make for in a source. */
export async function federatedClaims(
  links: readonly LinkSpec[],
  source: ClusterSnapshot,
  readings: Readings,
): Promise<Claim[]> {
  const views = await Promise.all(
    links.map(async (link) => ({
      link,
      target: await ifReached(readings, link.target),
      created: undefined,
    })),
  );
  return desiredFederated({ source, links: views, retired: [] }).mirrors.map((mirror) => ({
    mirror,
  }));
}
