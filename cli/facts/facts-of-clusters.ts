import { selectorText } from "@linkerd-multicluster/engine/credentials";
import {
  type CheckedCluster,
  type CheckedLink,
  reportOn,
  type SourceState,
  type Views,
} from "@linkerd-multicluster/engine/health";
import { omitUndefined, valueIn } from "@linkerd-multicluster/engine/base";
import {
  inputsFor,
  label,
  listedIn,
  type Outcome,
  portsText,
  readyPods,
  routeSentences,
  routings,
  servedBackends,
  whyUndecided,
} from "@linkerd-multicluster/engine/mirroring";
import type { Certificate } from "@linkerd-multicluster/engine/trust";
import {
  type CertificateFact,
  type ClusterFact,
  type Facts,
  type GatewayState,
  type LinkFact,
  type NextRun,
  printableTexts,
  type ServiceFact,
} from "./facts.ts";
import {
  mirrorFacts,
  notMirroredFacts,
  type UndecidedPart,
  undecidedParts,
} from "./facts-of-mirrors.ts";

export interface Beside extends Pick<Facts, "stack" | "unreadState" | "rotation"> {
  readonly now: Date;
  readonly sources: ReadonlyMap<string, SourceState>;
}

export function factsOfClusters(views: Views, beside: Beside): Facts {
  const { now, stack, unreadState, rotation, sources } = beside;
  const undecided = undecidedParts(views, sources);
  const keys = selectedKeys(views);
  const clusters = views.clusters.map(clusterFact);
  const contexts = new Map(clusters.map(({ name, context }) => [name, context]));
  return printableTexts({
    readAt: now.toISOString(),
    stack,
    ...omitUndefined({ unreadState, rotation }),
    clusters,
    links: views.links.map((view) => linkFact(view, undecided)),
    mirrors: mirrorFacts(views, undecided),
    notMirrored: notMirroredFacts(views, (cluster) => contexts.get(cluster) ?? cluster),
    services: views.clusters.flatMap((view) =>
      servicesOf(view, keys, failoverIn(view.cluster, views), routesIn(view.cluster, views)),
    ),
    next: [...views.outcomes].map(([source, outcome]) =>
      nextRun(source, outcome, sources.get(source)),
    ),
    health: reportOn(views),
  });
}

function clusterFact({ mesh, cluster, reading }: CheckedCluster): ClusterFact {
  const { snapshot, linkerd } = reading;
  const context = mesh.clusters[cluster]?.context ?? cluster;
  const drained = mesh.drained?.includes(cluster) === true && ({ drained: true } as const);
  if ("why" in snapshot) {
    const { why, cause } = snapshot;
    const refused = cause === "refused" && ({ refused: true } as const);
    return { name: cluster, context, reachable: false, ...refused, why, ...drained };
  }
  const [leaf] = valueIn(linkerd?.issuer) ?? [];
  return {
    name: cluster,
    context,
    reachable: true,
    ...drained,
    uid: snapshot.value.identity,
    ...omitUndefined({
      linkerd: valueIn(linkerd?.config)?.version,
      anchors: valueIn(linkerd?.anchors)?.map(certificateFact),
      issuer: leaf && certificateFact(leaf),
    }),
  };
}

function certificateFact({ name, fingerprint, notAfter }: Certificate): CertificateFact {
  return { name, fingerprint, expiresAt: notAfter.toISOString() };
}

function linkFact(
  { mesh, link, mirroring, reading }: CheckedLink,
  undecided: readonly UndecidedPart[],
): LinkFact {
  const { source, target, names, mirrorNamespaces } = link;
  const isFlat = link.gateway === false;
  return {
    source,
    target,
    mirroring,
    mode: isFlat ? "flat" : "gateway",
    selectors: {
      mirror: selectorText(link.selector),
      discovery: selectorText(link.remoteDiscoverySelector),
      federated: selectorText(link.federatedServiceSelector),
    },
    naming: { target, names, mirrorNamespaces },
    ...(mesh.manage === "mirrors" && { credentialsByOthers: true }),
    ...(!isFlat && mesh.gates?.[target] !== undefined && { closed: true }),
    ...omitUndefined({
      gateway: isFlat ? undefined : gatewayState(reading),
      undecided: undecided.find((each) => each.source === source && each.part === target)?.why,
    }),
  };
}

function gatewayState({ target, probe }: CheckedLink["reading"]): GatewayState {
  if ("why" in target) return { state: "unknown", why: target.why };
  const { gateway: reading } = target.value;
  if ("why" in reading) return { state: "unknown", why: reading.why };
  const { addresses, port, identity } = reading.value.gateway;
  const known = { addresses, port, identity };
  if (probe === undefined || "why" in probe) return { state: "open", ...known };
  const { down, milliseconds } = probe;
  return down === undefined
    ? { state: "alive", milliseconds, ...known }
    : { state: "down", why: `it fails its probe ${probe.path} (${down})`, ...known };
}

function selectedKeys({ links }: Views): ReadonlySet<string> {
  const selectors = links.flatMap(({ link }) => [
    link.selector,
    link.remoteDiscoverySelector,
    link.federatedServiceSelector,
  ]);
  return new Set(
    selectors.flatMap(({ matchLabels = {}, matchExpressions = [] }) => [
      ...Object.keys(matchLabels),
      ...matchExpressions.map(({ key }) => key),
    ]),
  );
}

function servicesOf(
  { cluster, reading: { snapshot } }: CheckedCluster,
  keys: ReadonlySet<string>,
  failover: ReadonlyMap<string, readonly string[]>,
  backends: ReadonlyMap<string, readonly string[]>,
): ServiceFact[] {
  if ("why" in snapshot) return [];
  const { services, endpoints } = snapshot.value;
  return [...services].flatMap(([key, service]) => {
    const { metadata, spec } = service;
    if (metadata.labels?.[label.mirrored] === "true") return [];
    const labels = Object.entries(metadata.labels ?? {}).filter(([name]) => keys.has(name));
    return [
      {
        cluster,
        service: key,
        ports: portsText(spec.ports),
        type: spec.clusterIP === "None" ? "headless" : (spec.type ?? "ClusterIP"),
        labels: Object.fromEntries(labels),
        ...omitUndefined({
          importers: listedIn(service, "clusters"),
          importedPorts: listedIn(service, "ports"),
          ready: readyPods(endpoints.get(key)),
          failover: failover.get(key),
          backends: backends.get(key),
        }),
      },
    ];
  });
}

function failoverIn(cluster: string, { outcomes }: Views): ReadonlyMap<string, readonly string[]> {
  const outcome = outcomes.get(cluster);
  if (outcome?.outcome !== "planned") return new Map();
  const { routes, decided, args } = outcome;
  const sentences: readonly (readonly [string, string])[] =
    "why" in routes
      ? [...routings(args)].map(([key, { setting }]) => [
          key,
          `${setting}: unknown, because ${routes.why}`,
        ])
      : routeSentences(decided.failover);
  const byService = Map.groupBy(sentences, ([service]) => service);
  return new Map([...byService].map(([key, all]) => [key, all.map(([, sentence]) => sentence)]));
}

/** Returns by Service to which Services its routes send requests now, apart from what they send nothing. */
function routesIn(cluster: string, { outcomes }: Views): ReadonlyMap<string, readonly string[]> {
  const outcome = outcomes.get(cluster);
  if (outcome?.outcome !== "planned") return new Map();
  return servedBackends(outcome.decided.failover);
}

/** Says what a run would change, in the words of its preview. */
function nextRun(source: string, outcome: Outcome, state: SourceState | undefined): NextRun {
  const nothing = { source, writes: false, lines: [], refusals: [] };
  if (outcome.outcome === "invalid") return { ...nothing, refusals: outcome.mistakes };
  if (outcome.outcome === "sourceUnreadable" || state === undefined) {
    const unread = whyUndecided(outcome, source, source);
    return { ...nothing, unknown: unread ?? `the stack's state has no mirrors of ${source}` };
  }
  const { inputs, hasWrites, summaries } = inputsFor(state.before, state.args, outcome);
  // Without the state of the last run, every existing mirror would look adopted.
  const isKnown = hasWrites || state.before.revision !== undefined;
  return {
    source,
    writes: hasWrites,
    lines: isKnown ? summaries : [],
    refusals: Object.values(inputs.refused ?? {}),
  };
}
