import type { LinkSpec } from "../../model/link.ts";
import {
  isHeadless,
  keyOf,
  type Namespace,
  type ObjectKey,
  type Service,
} from "../../../kubernetes/objects/objects.ts";
import type { MetadataRules } from "../../model/metadata.ts";
import type { Skip } from "../../model/reasons.ts";
import { portsText } from "../difference/canonical.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { federatedName } from "../../model/vocabulary.ts";
import { asks, leftOut } from "../policies/selection.ts";
import { membersBeyondLimit } from "../policies/most-mirrors.ts";
import { brokenRule } from "../policies/rules.ts";

/** A Link into a source cluster, as far as federated Services are concerned. */
export interface FederatedLink {
  readonly link: LinkSpec;
  /** Undefined: the target is out of reach, and nothing may be concluded about its members. */
  readonly target: ClusterSnapshot | undefined;
  /** When the Link resource was created, RFC 3339; undefined where there is none to be read. */
  readonly created: string | undefined;
}

/** All that decides which federated Services a cluster has. */
export interface FederatedView {
  readonly source: ClusterSnapshot;
  readonly links: readonly FederatedLink[];
  /** Targets of links that this stack no longer has: their members go. */
  readonly retired: readonly string[];
  /** Federated Services that another stack keeps too: nobody retires from these. */
  readonly shared?: ReadonlySet<ObjectKey>;
}

/** A Service that takes part in a federated one, with the labels it does not pass on. */
export interface Member {
  /** Undefined: in the source cluster itself. */
  readonly cluster: string | undefined;
  readonly service: Service;
  readonly excludes: MetadataRules;
  readonly created: string | undefined;
}

export interface Membership {
  readonly members: ReadonlyMap<ObjectKey, readonly Member[]>;
  readonly skips: readonly Skip[];
}

/**
 * Who joins which federated Service (linkerd-behaviour.md 4.2). Local Services join as remote ones
 * do, by the selectors of the links into their cluster, and with all of these links' exclusions.
 */
export function membership(view: FederatedView): Membership {
  const skips: Skip[] = [];
  const members = new Map<ObjectKey, Member[]>();
  const all = candidates(view);
  const namespaces = namespacesFor(all, view.source);
  const judged = all.map((candidate) => ({
    ...candidate,
    broken: reasonAgainst(candidate, namespaces),
  }));
  const eligible = new Map<string | undefined, Service[]>();
  for (const { member, broken } of judged) {
    if (broken !== undefined) continue;
    const { cluster, service } = member;
    const others = eligible.get(cluster);
    if (others === undefined) eligible.set(cluster, [service]);
    else others.push(service);
  }
  const tooMany = new Map(
    view.links.flatMap(({ link }) => [
      ...membersBeyondLimit(eligible.get(link.target) ?? [], link, view.source),
    ]),
  );
  for (const { member, link, ...rest } of judged) {
    const broken = rest.broken ?? tooMany.get(member.service);
    const key = keyOf(member.service);
    if (broken === undefined) {
      const joined = members.get(key);
      if (joined === undefined) members.set(key, [member]);
      else joined.push(member);
    } else {
      skips.push({
        origin: key,
        cluster: member.cluster ?? link.source,
        mirror: federatedName(member.service.metadata.name),
        ...broken,
      });
    }
  }
  return { members, skips };
}

interface CandidateMember {
  readonly member: Member;
  readonly link: LinkSpec;
}

function candidates({ source, links }: FederatedView): CandidateMember[] {
  const excludes = {
    excludedLabels: links.flatMap(({ link }) => link.excludedLabels),
    excludedAnnotations: links.flatMap(({ link }) => link.excludedAnnotations),
    copiedMetadata: (links[0]?.link.copiedMetadata ?? []).filter((pattern) =>
      links.every(({ link }) => link.copiedMetadata.includes(pattern)),
    ),
  };
  const local = [...source.services.values()].flatMap((service) => {
    const chosen = links.filter(({ link }) => joins(service, link));
    const { namespace } = service.metadata;
    const [first] = chosen;
    if (first === undefined) return [];
    const { link } = chosen.find((each) => leftOut(namespace, each.link) === undefined) ?? first;
    return [{ member: { cluster: undefined, service, excludes, created: undefined }, link }];
  });
  const remote = links.flatMap(({ link, target, created }) =>
    [...(target?.services.values() ?? [])]
      .filter((service) => joins(service, link))
      .map((service) => ({
        member: { cluster: link.target, service, excludes: link, created },
        link,
      })),
  );
  return [...local, ...remote];
}

function joins(service: Service, link: LinkSpec): boolean {
  return asks(service, link.federatedServiceSelector, link);
}

/** Those there are, and those that come about because the link of some member creates them. */
function namespacesFor(
  candidates: readonly CandidateMember[],
  { namespaces }: ClusterSnapshot,
): ReadonlyMap<string, Namespace> {
  const created = candidates
    .filter(({ link }) => link.createNamespaces)
    .filter((candidate) => reasonAgainst(candidate, namespaces) === undefined)
    .map(({ member }) => member.service.metadata.namespace);
  return new Map([
    ...created.map((name) => [name, { metadata: { name } }] as const),
    ...namespaces,
  ]);
}

function reasonAgainst(
  { member, link }: CandidateMember,
  namespaces: ReadonlyMap<string, Namespace>,
): Pick<Skip, "reason" | "sentence"> | undefined {
  const { service } = member;
  const cluster = member.cluster ?? link.source;
  const name = federatedName(service.metadata.name);
  const namespace = namespaces.get(service.metadata.namespace);
  const broken = brokenRule({ service, cluster, name, link, namespace });
  if (broken !== undefined || !isHeadless(service)) return broken;
  return {
    reason: "HeadlessMember",
    sentence:
      "a headless Service cannot join a federated Service: export it to be mirrored, or give it a ClusterIP",
  };
}

/** When the Link resource of that target was made; undefined where there is none to be read. */
export function linkCreated({ links }: ClusterSnapshot, target: string): string | undefined {
  return [...(links?.values() ?? [])].find(({ metadata }) => metadata.name === target)?.metadata
    .creationTimestamp;
}

/** By federated Service's origin: whose ports it has, and whose differ. */
export type PortConflicts = Readonly<Record<ObjectKey, string>>;

/**
 * Members whose ports are not those of the federated Service. It has one list of ports, the first
 * member's; traffic to a port that another member does not have fails there, which Linkerd never
 * mentions.
 */
export function portConflicts(
  origin: ObjectKey,
  [first, ...others]: readonly Member[],
  source: string,
): PortConflicts {
  if (first === undefined) return {};
  const own = ports(first.service);
  const differing = others
    .filter((member) => ports(member.service) !== own)
    .map((member) => `${ports(member.service)} on ${member.cluster ?? source}`);
  if (differing.length === 0) return {};
  return {
    [origin]: `its ports are those of ${first.cluster ?? source} (${own}), and differ from ${differing.join(" and ")}: give all members the same ports`,
  };
}

/** The ports as clients know them: where each leads is the member's own affair. */
function ports({ spec }: Service): string {
  return portsText(spec.ports?.map((port) => ({ ...port, targetPort: port.port })));
}
