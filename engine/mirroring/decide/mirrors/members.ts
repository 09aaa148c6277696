import {
  keyOf,
  type ObjectKey,
  type Service,
  type ServicePort,
} from "../../../kubernetes/objects/objects.ts";
import type { Controllers } from "../../../model/controller.ts";
import type { LinkSpec, MetadataRules } from "../../../model/link.ts";
import { localMember } from "../../../model/marks.ts";
import { reasons, type Skip, type Why } from "../../../model/reasons.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import { exportAnnotation, federatedName } from "../../../model/vocabulary.ts";
import { portsText } from "../../../model/canonical.ts";
import { membersBeyondLimit } from "../policies/most-members.ts";
import type { RemovedPart } from "../policies/removed-links.ts";
import { omittedPorts, withoutPorts } from "../policies/exports.ts";
import { firstBroken, memberRules } from "../policies/rules.ts";
import type { ReadyIn } from "../readiness.ts";
import { matchesSelector, whyExcluded } from "../../../model/selection.ts";

export interface FederatedView {
  readonly source: ClusterSnapshot;
  /** Nothing may be concluded about members of a target that is unreachable. */
  readonly links: readonly {
    readonly link: LinkSpec;
    readonly target: ClusterSnapshot | undefined;
  }[];
  readonly removed: readonly RemovedPart[];
  readonly controllers: Controllers;
  readonly stacks: readonly string[];
  /** Members of these clusters leave. */
  readonly drained: ReadonlySet<string>;
  readonly readyIn: ReadyIn;
  /** Returns whether a cluster's member of the federated Service of this key may be somebody else's. */
  readonly isDoubtful?: (cluster: string, key: ObjectKey) => boolean;
}

export interface Member {
  /** The name is undefined for a member in the source itself. */
  readonly cluster: string | undefined;
  readonly service: Service;
  /** The local member follows the rules of all links. */
  readonly metadataRules: readonly MetadataRules[];
  /** The exporter doesn't list these ports, which the Service here doesn't have any more. */
  readonly omitted: readonly ServicePort[];
}

export function nameOf({ cluster = localMember }: Pick<Member, "cluster">): string {
  return cluster;
}

interface Candidate extends Omit<Member, "omitted"> {
  readonly link: LinkSpec;
}

/**
 * Decides which Services join which federated Service (linkerd-behaviour.md 4.2). Local Services join by the selectors
 * of the links into their cluster, with the rules of all these links.
 */
export function membership(view: FederatedView): {
  readonly members: ReadonlyMap<ObjectKey, readonly Member[]>;
  /** Nothing can be concluded about these now, so they neither join nor leave. */
  readonly undecided: ReadonlyMap<ObjectKey, readonly Member[]>;
  /** These would be members if their clusters weren't drained. */
  readonly drained: ReadonlyMap<ObjectKey, readonly Member[]>;
  readonly skips: readonly Skip[];
} {
  const { source } = view;
  const all = candidates(view);
  const broken = new Map<Candidate, Why>();
  const refuse = (each: Candidate, why: Why | undefined) => why && broken.set(each, why);
  for (const each of all) {
    const why = whyNot(each, source);
    const mayStay = why === undefined || reasons[why.reason].keeps;
    const { cluster = source.cluster } = each;
    refuse(each, mayStay && view.drained.has(cluster) ? drainedWhy(cluster) : why);
  }
  const joining = () => all.filter((each) => !broken.has(each));
  for (const { link } of view.links) {
    const own = joining().filter(({ cluster }) => cluster === link.target);
    const services = own.map(({ service }) => service);
    const tooMany = membersBeyondLimit(services, link, source);
    for (const each of own) refuse(each, tooMany.get(each.service));
  }
  const kept = [...broken].flatMap(([each, { reason }]) => (reasons[reason].keeps ? [each] : []));
  const byKey = (some: readonly Candidate[]) =>
    Map.groupBy(some.map(narrowed), ({ service }) => keyOf(service));
  return {
    members: byKey(joining()),
    undecided: byKey(kept),
    drained: byKey(all.filter((each) => broken.get(each)?.reason === "Drained")),
    skips: [...broken].map(([{ service, cluster, link }, why]) => ({
      origin: keyOf(service),
      cluster: cluster ?? link.source,
      mirror: federatedName(service.metadata.name),
      ...why,
    })),
  };
}

function drainedWhy(cluster: string): Why {
  const sentence = `${cluster} is drained: it joins once the config no longer says so`;
  return { reason: "Drained", sentence };
}

function narrowed({ cluster, service, metadataRules }: Candidate): Member {
  const omitted = omittedPorts(service);
  return { cluster, service: withoutPorts(service, omitted), metadataRules, omitted };
}

function candidates({ source, links }: FederatedView): Candidate[] {
  const metadataRules = links.map(({ link }) => link);
  const local = [...source.services.values()].flatMap((service) => {
    const chosen = links.map(({ link }) => link).filter((link) => isMember(service, link));
    const [first] = chosen;
    if (first === undefined) return [];
    const { namespace } = service.metadata;
    const link = chosen.find((each) => whyExcluded(namespace, each) === undefined) ?? first;
    return [{ cluster: undefined, service, metadataRules, link }];
  });
  const remote = links.flatMap(({ link, target }) =>
    [...(target?.services.values() ?? [])]
      .filter((service) => isMember(service, link))
      .map((service) => ({ cluster: link.target, service, metadataRules: [link], link })),
  );
  return [...local, ...remote];
}

function isMember(service: Service, link: LinkSpec): boolean {
  return matchesSelector(service, link.federatedServiceSelector, link);
}

function whyNot(
  { service, link, cluster = link.source }: Candidate,
  { namespaces }: ClusterSnapshot,
): Why | undefined {
  const name = federatedName(service.metadata.name);
  const place = service.metadata.namespace;
  return firstBroken(memberRules, {
    service,
    cluster,
    name,
    link,
    place,
    namespace: namespaces.get(place),
  });
}

/** The keys are the origins of federated Services. */
export type PortConflicts = Readonly<Record<ObjectKey, string>>;

/** Requests to a port of the first member that another member lacks fail there. Linkerd doesn't report that. */
export function portConflicts(
  origin: ObjectKey,
  [first, ...others]: readonly Member[],
  candidates: readonly Member[],
  source: string,
): PortConflicts {
  if (first === undefined) return {};
  const own = ports(first.service);
  const of = first.cluster ?? source;
  const whole = candidates.find(({ cluster }) => cluster === first.cluster) ?? first;
  const isNarrowed = ports(whole.service) !== own;
  const differing = others
    .filter((member) => ports(member.service) !== own)
    .map((member) => `${ports(member.service)} on ${member.cluster ?? source}`);
  const sentences = [
    ...(isNarrowed
      ? [
          `its ports are fewer than those of ${of} (${ports(whole.service)}), since another member omits the others: list them there too (${exportAnnotation.ports})`,
        ]
      : []),
    ...(differing.length > 0
      ? [
          `its ports are those of ${of} (${own}), and differ from ${differing.join(" and ")}: give all members the same ports`,
        ]
      : []),
  ];
  return sentences.length === 0 ? {} : { [origin]: sentences.join("; ") };
}

/** Compares ports as clients see them; target ports may differ between members. */
function ports({ spec }: Service): string {
  return portsText(spec.ports?.map((port) => ({ ...port, targetPort: port.port })));
}
