import type { SourceState, Views } from "@linkerd-multicluster/engine/health";
import { omitUndefined, valueIn } from "@linkerd-multicluster/engine/base";
import type { Service, ServicePort, StringMap } from "@linkerd-multicluster/engine/kubernetes";
import {
  annotation,
  type Decision,
  describeLive,
  describeWanted,
  federatedPart,
  fieldText,
  fixText,
  isSkip,
  isWanted,
  marksOn,
  membersIn,
  originOf,
  type PortProtocol,
  portsText,
  protocolOf,
  stackOf,
  stacksNow,
  undecidedMirrors,
  whyUndecided,
} from "@linkerd-multicluster/engine/mirroring";
import type { MirrorFact, NotMirrored } from "./facts.ts";

export interface UndecidedPart {
  readonly source: string;
  readonly part: string;
  readonly why: string;
  readonly mirrors: readonly OfMirror[];
}

/** Leaves out mirrors that other stacks alone have marked. */
export function undecidedParts(
  { outcomes, clusters, links }: Views,
  sources: ReadonlyMap<string, SourceState>,
): UndecidedPart[] {
  const snapshots = new Map(clusters.map(({ cluster, reading }) => [cluster, reading.snapshot]));
  return [...outcomes].flatMap(([source, outcome]) => {
    const own = links.filter(
      ({ link, mirroring }) => link.source === source && mirroring === "pulumi",
    );
    const parts = [...own.map(({ link }) => link.target), federatedPart];
    const snapshot = valueIn(snapshots.get(source));
    return parts.flatMap((part) => {
      const why = whyUndecided(outcome, source, part);
      if (why === undefined) return [];
      const found = snapshot === undefined ? [] : undecidedMirrors(snapshot, part);
      const { before = {}, args = { stack: "" } } = sources.get(source) ?? {};
      const mirrors = found.filter(({ live }) => {
        const { isOurs, others } = marksOn(live.service?.metadata ?? {}, stacksNow(before, args));
        return isOurs || others.length === 0;
      });
      return [{ source, part, why, mirrors }];
    });
  });
}

export function mirrorFacts(views: Views, undecided: readonly UndecidedPart[]): MirrorFact[] {
  const decided = decisionsIn(views).flatMap(([source, decisions]) => {
    const skips = decisions.filter(isSkip);
    return decisions.flatMap((each) => (isSkip(each) ? [] : mirrorFact(source, each, skips)));
  });
  const kept = undecided.flatMap(({ source, mirrors, why }) =>
    mirrors.map((each) => ({ ...mirrorFact(source, each), undecided: why })),
  );
  return [...decided, ...kept];
}

/** @param contextOf the context of a cluster, for commands to copy */
export function notMirroredFacts(
  views: Views,
  contextOf: (cluster: string) => string,
): NotMirrored[] {
  return decisionsIn(views).flatMap(([source, decisions]) =>
    decisions.filter(isSkip).map((each) => notMirrored(source, each, contextOf)),
  );
}

function decisionsIn({ outcomes }: Views) {
  return [...outcomes].flatMap(([source, outcome]) =>
    outcome.outcome === "planned" ? [[source, outcome.decided.decisions] as const] : [],
  );
}

type Skipped = Extract<Decision, { readonly verdict: "skip" }>;
type OfMirror = Exclude<Decision, Skipped>;

function mirrorFact(
  source: string,
  decision: OfMirror,
  skips: readonly Skipped[] = [],
): MirrorFact {
  const { part, key, kind, verdict, live, fields } = decision;
  const wanted = isWanted(decision) ? decision.wanted : undefined;
  const { service, endpoints } = live;
  const annotations = wanted?.annotations ?? service?.metadata.annotations ?? {};
  const ports = wanted?.ports ?? service?.spec.ports ?? [];
  const subsets = endpoints?.subsets ?? [];
  const origin =
    wanted === undefined ? originOf(key, live) : { service: wanted.origin, pod: wanted.hostname };
  return {
    source,
    part,
    mirror: key,
    kind,
    verdict,
    line: wanted === undefined ? describeLive(live) : describeWanted(wanted),
    ...(kind === "federated" && { members: membersIn(annotations) }),
    ports: portsText(ports),
    protocols: protocolsIn(ports, annotations),
    ...omitUndefined({
      service: origin.service,
      pod: origin.pod,
      address: service?.spec.clusterIP,
      identity: endpoints?.metadata.annotations?.[annotation.remoteGatewayIdentity],
      since: service?.metadata.creationTimestamp,
      writtenBy: service && writersOf(service),
    }),
    ...(endpoints !== undefined && {
      endpoints: {
        ready: subsets.flatMap(({ addresses = [] }) =>
          addresses.map(({ ip, hostname }) => (hostname === undefined ? ip : `${hostname}=${ip}`)),
        ),
        notReady: subsets.reduce((sum, each) => sum + (each.notReadyAddresses?.length ?? 0), 0),
      },
    }),
    ...(verdict === "keep" &&
      wanted === undefined && { undecided: whyKept(decision, origin.service, skips) }),
    ...(fields.length > 0 && {
      fields: fields.map(fieldText),
    }),
  };
}

function protocolsIn(ports: readonly ServicePort[], annotations: StringMap) {
  const found: Partial<Record<PortProtocol, number>> = {};
  for (const each of ports)
    if ((each.protocol ?? "TCP") === "TCP") found[protocolOf(each, annotations)] ??= each.port;
  return found;
}

/** A mirror that isn't wanted is kept while its Service is skipped, or while it is being deleted already. */
function whyKept({ part, key }: OfMirror, service: string | undefined, skips: readonly Skipped[]) {
  const skip = skips.find(
    (each) => each.part === part && (each.key === key || each.origin === service),
  );
  return skip?.sentence ?? "it is being deleted and waits for its finalizers";
}

/** The managed fields of a Service name the stacks that wrote it. */
function writersOf({ metadata: { managedFields = [] } }: Service) {
  return managedFields.flatMap(({ manager, time: at }) => {
    const stack = stackOf(manager);
    return stack === undefined ? [] : [{ stack, ...omitUndefined({ at }) }];
  });
}

function notMirrored(
  source: string,
  { part, key, origin, cluster, hostname, reason, sentence, fix }: Skipped,
  contextOf: (cluster: string) => string,
): NotMirrored {
  return {
    source,
    part,
    service: origin,
    mirror: key,
    reason,
    sentence,
    ...omitUndefined({ cluster, pod: hostname, fix: fix && fixText(fix, contextOf) }),
  };
}
