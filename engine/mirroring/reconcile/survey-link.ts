import { desired } from "../desired/desired.ts";
import type { LinkSpec } from "../model/link.ts";
import type { GatewayReading } from "../model/gateway.ts";
import { linkOf } from "../model/link-settings.ts";
import { objectKey } from "../../kubernetes/objects.ts";
import { readGateway } from "../observe/gateway.ts";
import { plan } from "../plan/plan.ts";
import { mirrorStatus } from "../plan/status.ts";
import { federatedClaims, mirrorClaims } from "./claims.ts";
import type { MirrorsArgs } from "./state.ts";
import { readAll, required, sameCluster, type Snapshots, type Survey } from "./survey.ts";

export function nameOf(link: Pick<LinkSpec, "source" | "target">): string {
  return `${link.source}/${link.target}`;
}

/**
 * Reads all clusters of the stack at once, and plans the mirrors of one link.
 *
 * @param assumed the gateway, where it is not to be read
 */
export async function surveyLink(
  world: Snapshots,
  args: MirrorsArgs,
  assumed?: GatewayReading,
): Promise<Survey> {
  const link = linkOf(args.link);
  const siblings = (args.siblings ?? []).map(linkOf);
  const fatal = link.unreachable === "fail";
  const readings = readAll(world, args.clusters);
  const first = await required(readings, link.source, fatal);
  if ("failure" in first) return first.failure;
  const second = await required(readings, link.target, fatal);
  if ("failure" in second) return second.failure;
  const [source, target] = [first.snapshot, second.snapshot];
  const [mistake] = sameCluster(link, source, target);
  if (mistake !== undefined) return { outcome: "mistaken", why: mistake };
  const gateway =
    assumed ?? (await readGateway(link, target, (hostname) => world.resolve(hostname)));
  const wanted = desired({ link, source, target, gateway });
  const others = [
    ...(await mirrorClaims(siblings, source, readings)),
    ...(await federatedClaims([link, ...siblings], source, readings)),
  ];
  const planned = plan(link, wanted, source, others);
  return {
    outcome: "planned",
    plan: planned,
    identities: { [link.source]: source.identity, [link.target]: target.identity },
    facts: gateway.known
      ? {
          gateway: {
            ...gateway.gateway,
            addresses: gateway.gateway.addresses.join(", "),
          },
        }
      : {},
    notes: gateway.known ? gateway.warnings : [],
    statuses:
      args.statusIn === undefined
        ? []
        : [mirrorStatus(objectKey(args.statusIn, link.target), planned)],
  };
}
