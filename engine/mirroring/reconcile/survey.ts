import { type ClusterAccess, KubeconfigError } from "../../kubernetes/kubeconfig.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { World } from "../observe/clusters.ts";
import type { Plan } from "../plan/change.ts";
import type { LinkStatuses } from "../plan/status.ts";
import type { Facts } from "./state.ts";

export interface PlannedSurvey {
  readonly outcome: "planned";
  readonly plan: Plan;
  readonly facts: Facts;
  /** By cluster name, of all clusters that could be read. */
  readonly identities: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
  readonly statuses: LinkStatuses;
}

/** What came of looking at the clusters: a plan, a cluster out of reach, or a user's mistake. */
export type Survey =
  | PlannedSurvey
  | {
      readonly outcome: "unreachable";
      readonly cluster: string;
      readonly why: string;
      readonly fatal: boolean;
    }
  | { readonly outcome: "mistaken"; readonly why: string };

/** As much of the world as a survey needs. */
export type Snapshots = Pick<World, "snapshot" | "anew" | "resolve">;

type Clusters = Readonly<Record<string, ClusterAccess>>;

/** Readings of every cluster of the stack, begun at the same time and shared by all resources. */
export type Readings = ReadonlyMap<string, Promise<ClusterSnapshot>>;

export function readAll(world: Pick<Snapshots, "snapshot">, clusters: Clusters): Readings {
  return new Map(
    Object.entries(clusters).map(([name, access]) => [name, world.snapshot(name, access)]),
  );
}

/** A cluster that has to be read for anything to be planned: it, or what came instead. */
export async function required(
  readings: Readings,
  cluster: string,
  fatal: boolean,
): Promise<{ readonly snapshot: ClusterSnapshot } | { readonly failure: Survey }> {
  try {
    const snapshot = await readings.get(cluster);
    if (snapshot !== undefined) return { snapshot };
    return {
      failure: { outcome: "mistaken", why: `the stack's config has no cluster ${cluster}` },
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      failure:
        error instanceof KubeconfigError
          ? { outcome: "mistaken", why }
          : { outcome: "unreachable", cluster, why, fatal },
    };
  }
}

/** A cluster that may be out of reach: then undefined, since it adds and takes nothing. */
export async function ifReached(
  readings: Readings,
  cluster: string,
): Promise<ClusterSnapshot | undefined> {
  return readings.get(cluster)?.catch(() => undefined);
}

/** The sentence for a link between two contexts that lead to one cluster. */
export function sameCluster(
  link: Pick<LinkSpec, "source" | "target">,
  source: ClusterSnapshot,
  target: ClusterSnapshot | undefined,
): string[] {
  if (target?.identity !== source.identity) return [];
  return [
    `${link.source} and ${link.target} are one and the same cluster (${source.identity}): see which context of link ${link.source}/${link.target} is wrong`,
  ];
}

export function accessTo(args: { readonly clusters: Clusters }, cluster: string): ClusterAccess {
  const access = args.clusters[cluster];
  if (access === undefined) throw new Error(`the stack has no cluster ${cluster}`);
  return access;
}
