import { fallback } from "../kubernetes/client/errors.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import type { GatewayReading } from "../model/gateway.ts";
import type { Answered } from "../model/prober.ts";
import type { AddressLookup } from "../gateway/facts.ts";
import type { ClusterReadings, TargetObservation } from "../model/observation.ts";
import { absentPods, mirrorsPods } from "../model/absent-pods.ts";
import { noRoutes, type Routes } from "../model/route.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { type Failure, resultOf, valueIn } from "../base/result.ts";
import { unlessBug } from "../base/user-error.ts";
import { discovers, hasDestination, leadsToPods, readCredentials } from "./credentials.ts";
import { lookupFor, probeGateway, readGateway } from "./gateway.ts";
import { namespacesWithMirrors, podRangesOf, readLinkerd, unmeshedIn } from "./linkerd.ts";
import { proberOf, type Unheard } from "./prober.ts";
import { readInstallations } from "./installations.ts";
import {
  accessOf,
  type ClusterNeed,
  ifTrusted,
  type LinkNeed,
  type MeshAccess,
  type Need,
  type Observed,
  type RoutesNeed,
} from "./need.ts";
import { type ClusterReading, type LinkReading, mapped, type MeshReading } from "./reading.ts";
import { trustRootsReader } from "./trust-roots.ts";

/** All clusters are read at the same time. A cluster that can't be read has a failure in its place. */
export async function readMesh(
  config: MeshAccess,
  clusters: Observed,
  { clusters: needs = {}, links: asked = [], installations }: Need,
): Promise<MeshReading> {
  const snapshots = await mapped(Object.entries(needs), ({ extent }, name) =>
    ifTrusted(config, name, (access) => clusters.snapshot(name, access, extent)),
  );
  const isFlat = ({ link, podRanges = false }: LinkNeed) =>
    podRanges && leadsToPods(link, snapshots.get(link.target));
  const flat = new Set(asked.filter(isFlat).flatMap(({ link }) => [link.source, link.target]));
  const trustRootsOf = trustRootsReader(config, clusters);
  const lookups = new Map<string, AddressLookup>();
  // The source's own addresses are computed once for all of its links.
  const lookupOf = (source: string) => {
    const known = lookups.get(source) ?? lookupFor(clusters, source, config.clusters[source]);
    lookups.set(source, known);
    return known;
  };
  const [read, links, installed] = await Promise.all([
    mapped(snapshots, async (snapshot, name): Promise<ClusterReading> => {
      if ("why" in snapshot) return { snapshot };
      const need = { ...needs[name], podRanges: flat.has(name) };
      const rest = await resultOf(
        () => readCluster(config, clusters, snapshot.value, name, need),
        name,
      );
      return "why" in rest ? { snapshot: rest } : { snapshot, ...rest.value };
    }),
    Promise.all(
      asked.map(async (each) => {
        const read = () => readLink(config, clusters, each, snapshots, lookupOf);
        const [found, trustRoots] = await Promise.all([
          resultOf(read, each.link.target),
          trustRootsOf(each, snapshots),
        ]);
        const link = "why" in found ? { link: each.link, target: found } : found.value;
        return { ...link, ...(isFlat(each) && { isFlat: true }), ...omitUndefined({ trustRoots }) };
      }),
    ),
    installations === undefined
      ? new Map<string, never>()
      : readInstallations(config, clusters, installations),
  ]);
  // A target of which one part can't be read counts as unread, since nothing can be concluded about the rest.
  for (const { link, target } of links) {
    const cluster = read.get(link.target);
    if ("why" in target && cluster) read.set(link.target, { ...cluster, snapshot: target });
  }
  return { clusters: read, links, installations: installed };
}

async function readCluster(
  { clusters: accesses }: MeshAccess,
  clusters: Observed,
  snapshot: ClusterSnapshot,
  name: string,
  { controllers, routes, clients, linkerd, podRanges }: ClusterNeed & { podRanges: boolean },
): Promise<Omit<ClusterReading, "snapshot">> {
  const access = accessOf(accesses, name);
  const client = () => clusters.client(name, access);
  const isAsked = typeof controllers === "function" ? controllers(snapshot) : controllers;
  const namespaces = clients === true ? namespacesWithMirrors(snapshot) : [];
  const [controllersThere, routesThere, unmeshed, ranges, trust] = await Promise.all([
    isAsked === true ? resultOf(() => clusters.controllers(name, access)) : undefined,
    routes && resultOf(() => routesOf(clusters.routes(name, access, routes.extent), routes)),
    namespaces.length > 0
      ? resultOf(async () => unmeshedIn(await client(), namespaces))
      : undefined,
    podRanges ? resultOf(async () => podRangesOf(await clusters.nodes(name, access))) : undefined,
    linkerd === undefined ? undefined : readLinkerd(await client(), linkerd),
  ]);
  return omitUndefined({
    controllers: controllersThere,
    routes: routesThere,
    unmeshed,
    podRanges: ranges,
    linkerd: trust,
  });
}

function routesOf(routes: Promise<Routes>, { isOptional }: RoutesNeed): Promise<Routes> {
  return isOptional ? routes.catch(fallback(noRoutes, "forbidden")) : routes;
}

async function readLink(
  config: MeshAccess,
  clusters: Observed,
  need: LinkNeed,
  snapshots: ClusterReadings,
  lookupOf: (source: string) => AddressLookup,
): Promise<LinkReading> {
  const { link, probe = false } = need;
  const snapshot = snapshots.get(link.target) ?? unknownCluster(link.target);
  const asked = valueIn(snapshots.get(link.source)) && need;
  const asking = proberOf(config, clusters, link, asked?.prober)?.();
  if ("why" in snapshot) return { link, target: snapshot, ...downBy(await asking) };
  const { credentials: by, destination: namespace } = asked ?? {};
  const [said, target, credentials, destination] = await Promise.all([
    asking,
    resultOf(() =>
      observeTarget(config, clusters, need, snapshot.value, snapshots, lookupOf(link.source)),
    ),
    by && readCredentials(config, clusters, link, by, snapshot.value),
    namespace !== undefined && discovers(link, snapshot.value)
      ? resultOf(() => hasDestination(config, clusters, link, namespace), link.source)
      : undefined,
  ]);
  const gateway = valueIn(target)?.gateway;
  const heard = { said, time: clusters.time };
  const probed =
    (probe || said) && gateway && (await probeGateway(link, snapshot.value, gateway, heard));
  return {
    link,
    target,
    ...downBy(said),
    ...omitUndefined({ probe: probed || undefined, credentials, destination }),
  };
}

function downBy(said: Answered | Unheard | undefined): Pick<LinkReading, "gatewayDown"> {
  return said === undefined || "why" in said ? {} : omitUndefined({ gatewayDown: said.down });
}

export function unknownCluster(name: string): Failure {
  return { why: `the stack's config has no cluster ${name}`, cause: "invalid" };
}

/** The run will create the gateway. No message about a mirror shows its address. */
const standIn: GatewayReading = {
  value: { gateway: { addresses: ["0.0.0.0"], port: 1, identity: "" }, warnings: [] },
};

async function observeTarget(
  { clusters: accesses }: MeshAccess,
  clusters: Observed,
  { link, gatewayPending = false, statefulSets = false }: LinkNeed,
  snapshot: ClusterSnapshot,
  snapshots: ClusterReadings,
  lookup: AddressLookup,
): Promise<TargetObservation> {
  const gateway = gatewayPending ? standIn : await readGateway(link, snapshot, lookup);
  const source = valueIn(snapshots.get(link.source));
  const asks = statefulSets && source !== undefined && mirrorsPods(link, snapshot);
  // A missing pod comes back if its StatefulSet still has that replica. Without missing pods, nothing depends on the answer.
  const isHeld = asks && link.readiness === "ignore" && absentPods(link, source, snapshot).size > 0;
  const sets = asks
    ? await clusters
        .statefulSets(link.target, accessOf(accesses, link.target))
        .catch(isHeld ? fallback([], "forbidden") : unlessBug([]))
    : [];
  return { snapshot, gateway, gatewayPending, statefulSets: sets };
}
