import { KubernetesError } from "../../kubernetes/client/errors.ts";
import { KubeconfigError } from "../../kubernetes/kubeconfig/kubeconfig.ts";
import { defined } from "../../kubernetes/objects/defined.ts";
import type { StatefulSet } from "../../kubernetes/objects/objects.ts";
import { absentPods } from "../model/pods.ts";
import type { Controllers, OtherWriters } from "../model/controller.ts";
import type { GatewayReading } from "../model/gateway.ts";
import { linkOf, type LinkSpec } from "../model/link.ts";
import {
  type ClusterReading,
  type ClusterReadings,
  type LinkObservation,
  snapshotIn,
  type TargetObservation,
} from "../model/observation.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import type { Clusters } from "./clusters.ts";
import type { GatewayJudge } from "../model/judged-gateway.ts";
import { judgeFor, readGateway } from "./gateway.ts";
import type { Extent } from "./observe.ts";
import { entryOf, type MirrorsArgs } from "../model/state.ts";
import { messageOf } from "../../user-error.ts";

/** As much of the clusters as it takes to plan. */
export type Observed = Pick<
  Clusters,
  "snapshot" | "anew" | "controllers" | "mayDo" | "statefulSets" | "nodes" | "resolve"
>;

/** Without a link, there is nothing to do but to take away mirrors. */
export function extentFor({ links }: Pick<MirrorsArgs, "links">): Extent {
  return links.length === 0 ? "mirrors" : undefined;
}

/** Reads the source and all targets at the same time. Never rejects. */
export async function readClusters(
  clusters: Observed,
  args: MirrorsArgs,
): Promise<ClusterReadings> {
  const entries = Object.entries(args.clusters).map(async ([name, access]) => {
    const distrusted = args.distrusted?.[name];
    if (distrusted !== undefined) return [name, { outcome: "refused", why: distrusted }] as const;
    const reading = clusters
      .snapshot(name, access, extentFor(args))
      .then((snapshot): ClusterReading => ({ outcome: "read", snapshot }), readingOf);
    return [name, await reading] as const;
  });
  return new Map(await Promise.all(entries));
}

/**
 * What else there is to know of each link's target. A target of which a part can't be read is put
 * down as such in the readings that are returned, since no conclusion can be drawn about the rest.
 */
export async function observeLinks(
  clusters: Observed,
  args: MirrorsArgs,
  readings: ClusterReadings,
  source: ClusterSnapshot,
): Promise<{
  readonly links: readonly LinkObservation[];
  readonly readings: ClusterReadings;
}> {
  const revised = new Map(readings);
  const judge = judgeFor(clusters, args.source, entryOf(args, args.source));
  const links = await Promise.all(
    args.links.map(async (settings): Promise<LinkObservation> => {
      const link = linkOf(settings);
      const snapshot = snapshotIn(readings, link.target);
      if (snapshot === undefined) return { link, target: undefined };
      try {
        return { link, target: await observeTarget(clusters, args, link, source, snapshot, judge) };
      } catch (error) {
        revised.set(link.target, readingOf(error));
        return { link, target: undefined };
      }
    }),
  );
  return { links, readings: revised };
}

/** Stands for a gateway that is to come; no line about a mirror says where it is. */
const standIn: GatewayReading = {
  known: true,
  gateway: { addresses: ["0.0.0.0"], port: 1, identity: "" },
  warnings: [],
};

async function observeTarget(
  clusters: Observed,
  args: MirrorsArgs,
  link: LinkSpec,
  source: ClusterSnapshot,
  snapshot: ClusterSnapshot,
  judge: GatewayJudge,
): Promise<TargetObservation> {
  const awaited = typeof args.observedGateways?.[link.target] === "string";
  const gateway = awaited ? standIn : await readGateway(link, snapshot, judge);
  // Only where a pod is away does it matter whether it is meant to be there.
  const asks = absentPods(link, source, snapshot).size > 0;
  const statefulSets = asks ? await statefulSetsOf(clusters, args, link.target) : [];
  return { snapshot, gateway, awaited, statefulSets };
}

/** Where they may not be read, absent pods are judged as if there were none. */
async function statefulSetsOf(
  clusters: Observed,
  args: MirrorsArgs,
  target: string,
): Promise<readonly StatefulSet[]> {
  try {
    return await clusters.statefulSets(target, entryOf(args, target));
  } catch (error) {
    if (error instanceof KubernetesError && error.kind === "forbidden") return [];
    throw error;
  }
}

/** Linkerd's controllers in the source, or in a sentence why they can't be known. */
export async function observeControllers(
  clusters: Observed,
  args: MirrorsArgs,
): Promise<Controllers> {
  try {
    return { found: await clusters.controllers(args.source, entryOf(args, args.source)) };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

/**
 * Those who may write the same. They are asked for only where a status of a Link is due or there is something to
 * federate, which the decisions alone can say: a run that finds all in order reads none of this.
 */
export async function observeOtherWriters(
  clusters: Observed,
  args: MirrorsArgs,
  { due, union }: { readonly due: readonly unknown[]; readonly union: readonly unknown[] },
): Promise<OtherWriters> {
  const isAsked = due.length + union.length > 0;
  const controllers = isAsked ? await observeControllers(clusters, args) : { found: [] };
  return { controllers, mayKeepStatus: due.length === 0 || (await mayKeepStatus(clusters, args)) };
}

async function mayKeepStatus(clusters: Observed, args: MirrorsArgs): Promise<boolean> {
  const { source, statusIn: namespace } = args;
  const links = { group: "multicluster.linkerd.io", resource: "links", subresource: "status" };
  const question = { ...links, verb: "patch", ...defined({ namespace }) };
  return clusters.mayDo(source, entryOf(args, source), question).catch(() => true);
}

function readingOf(error: unknown): Exclude<ClusterReading, { readonly outcome: "read" }> {
  const why = messageOf(error);
  if (error instanceof KubeconfigError) return { outcome: "invalid", why };
  return { outcome: needsMending(error) ? "refused" : "unreachable", why };
}

/**
 * Whether an API server has answered, and running again will not help: it is not overloaded or about to start, and
 * a 404 may be the page of a proxy in front of it.
 */
function needsMending(error: unknown): boolean {
  if (!(error instanceof KubernetesError)) return false;
  const { kind, status } = error;
  if (["unauthorized", "forbidden", "invalid"].includes(kind)) return true;
  return kind === "server" && status !== undefined && status < 500;
}
