import { desired } from "../desired/desired.ts";
import { AccessError } from "../kubernetes/access.ts";
import type { Gateway, GatewayReading } from "../model/gateway.ts";
import type { ClusterAccess, LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { readGateway } from "../observe/gateway.ts";
import type { World } from "../observe/world.ts";
import type { Plan } from "../plan/change.ts";
import type { Claim } from "../plan/collisions.ts";
import { plan } from "../plan/plan.ts";
import type { MirrorsArgs } from "./state.ts";

/** What came of looking at both clusters: a plan, a cluster out of reach, or a user's mistake. */
export type Survey =
  | {
      readonly outcome: "planned";
      readonly plan: Plan;
      readonly gateway: GatewayReading;
      readonly identities: { readonly source: string; readonly target: string };
    }
  | { readonly outcome: "unreachable"; readonly cluster: string; readonly why: string }
  | { readonly outcome: "mistaken"; readonly why: string };

/** Reads all clusters of the stack at once, and plans one link from what they say. */
export async function survey(world: World, args: MirrorsArgs): Promise<Survey> {
  const { link, clusters } = args;
  const readings = new Map(
    Object.entries(clusters).map(([name, access]) => [name, world.snapshot(name, access)]),
  );
  const snapshots: Record<"source" | "target", ClusterSnapshot | undefined> = {
    source: undefined,
    target: undefined,
  };
  for (const end of ["source", "target"] as const) {
    try {
      snapshots[end] = await readings.get(link[end]);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return error instanceof AccessError
        ? { outcome: "mistaken", why }
        : { outcome: "unreachable", cluster: link[end], why };
    }
  }
  const { source, target } = snapshots;
  if (source === undefined || target === undefined)
    return { outcome: "mistaken", why: `link ${nameOf(link)} names a cluster it has no access to` };
  if (source.identity === target.identity)
    return {
      outcome: "mistaken",
      why: `${link.source} and ${link.target} are one and the same cluster (${source.identity}): see which context of link ${nameOf(link)} is wrong`,
    };
  const gateway = await readGateway(link, target, (hostname) => world.resolve(hostname));
  const wanted = desired({ link, source, target, gateway });
  const others = await siblingClaims(args, source, readings);
  return {
    outcome: "planned",
    plan: plan(link, wanted, source, others),
    gateway,
    identities: { source: source.identity, target: target.identity },
  };
}

export function nameOf(link: Pick<LinkSpec, "source" | "target">): string {
  return `${link.source}/${link.target}`;
}

export function accessTo(args: MirrorsArgs, cluster: string): ClusterAccess {
  const access = args.clusters[cluster];
  if (access === undefined) throw new Error(`the stack has no cluster ${cluster}`);
  return access;
}

/** Names do not depend on where a gateway is, so any will do to find them. */
const anyGateway: Gateway = { addresses: [], port: 0, identity: "" };

async function siblingClaims(
  { siblings }: MirrorsArgs,
  source: ClusterSnapshot,
  readings: ReadonlyMap<string, Promise<ClusterSnapshot>>,
): Promise<Claim[]> {
  const claims = await Promise.all(
    siblings.map(async (link) => {
      // A sibling out of reach neither adds nor removes a mirror in this run.
      const target = await readings.get(link.target)?.catch(() => undefined);
      if (target === undefined) return [];
      const gateway = { known: true, gateway: anyGateway, warnings: [] } as const;
      const { mirrors } = desired({ link, source, target, gateway });
      return mirrors.map((mirror) => ({ target: link.target, mirror }));
    }),
  );
  return claims.flat();
}
