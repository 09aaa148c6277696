import type { ManagedFields, ObjectKey, Service } from "../../../kubernetes/objects/objects.ts";
import { localMember, managerOf, marksOn, federatedWriter, remarked } from "../../model/marks.ts";
import type { Mirror } from "../../model/mirror.ts";
import { annotation, clusterOfToken, memberToken, tokensIn } from "../../model/vocabulary.ts";
import { mirroredPorts } from "./service-mirrors.ts";

/** What this stack has to say about one member of a federated Service. */
export interface MemberClaim {
  /** Name of its cluster, or `localMember`. */
  readonly cluster: string;
  /** `unknown`: nothing can be concluded about it now, so it stays as it is. */
  readonly stance: "wanted" | "unwanted" | "unknown";
  /** The names whose marks on it count as this stack's. */
  readonly names: readonly string[];
  /** Whether it leaves although nobody has marked it. */
  readonly takesUnmarked: boolean;
  /** A controller of Linkerd's may list it too: it stays listed, and only this stack's mark comes off. */
  readonly isLeft: boolean;
}

/**
 * What this stack has to say about one federated Service. What becomes of the Service depends on the object that is
 * there, which others write too, so this is settled with each object anew.
 */
export interface FederatedClaim extends Pick<Mirror, "namespace" | "name" | "origin"> {
  /** Name of the Service that it unites. */
  readonly service: string;
  /** This stack's names, the present one first. */
  readonly stacks: readonly string[];
  /** Wanted ones in the order in which they are listed; of a cluster that is not among them nothing is known. */
  readonly members: readonly MemberClaim[];
  /** Labels, annotations and ports by the first wanted member (linkerd-behaviour.md 4.3). */
  readonly details?: Pick<Mirror, "labels" | "annotations" | "ports" | "withheld">;
  /** Clusters whose members precede the first wanted one. */
  readonly preceding: readonly string[];
}

/** What becomes of a federated Service. */
export interface Settled {
  /** Undefined: no member is left. */
  readonly mirror: Mirror | undefined;
  /** With the marks as they are to be. */
  readonly managedFields: readonly ManagedFields[];
  /** Whether a member of it is this stack's from then on. */
  readonly isOurs: boolean;
}

/** Settles what becomes of the object that is there, and who vouches for its members. Pure. */
export function settle(claim: FederatedClaim, live: Service | undefined): Settled {
  const { namespace, name, origin, service, members } = claim;
  const { annotations = {} } = live?.metadata ?? {};
  const [tokens, local] = [tokensLeft(claim, live), localLeft(claim, live)];
  const wanted = members.filter(({ stance }) => stance === "wanted");
  const unknown = members.filter(({ stance }) => stance === "unknown");
  const details = detailsOf(claim, live, tokens, local);
  const {
    [annotation.remoteMembers]: _tokens,
    [annotation.localMember]: _local,
    ...copied
  } = details?.annotations ?? {};
  const isEmpty = details === undefined || (tokens.length === 0 && local === undefined);
  return {
    mirror: isEmpty
      ? undefined
      : {
          kind: "federated",
          namespace,
          name,
          origin,
          ...details,
          annotations: {
            ...copied,
            // Never an empty list, which readers take for a member without a name.
            ...(tokens.length > 0 && { [annotation.remoteMembers]: tokens.join(",") }),
            ...(local !== undefined && { [annotation.localMember]: local }),
          },
        },
    managedFields: marksAfter(claim, live),
    isOurs:
      wanted.length > 0 ||
      unknown.some((member) => isListed(member, annotations, service) && isOurs(member, live)),
  };
}

/** Tokens keep the places they have; new ones follow. */
function tokensLeft(claim: FederatedClaim, live: Service | undefined): string[] {
  const { service, members } = claim;
  const known = new Map(members.map((member) => [member.cluster, member]));
  const wanted = members.flatMap(({ cluster, stance }) =>
    stance === "wanted" && cluster !== localMember ? [memberToken(service, cluster)] : [],
  );
  const kept = tokensIn(live?.metadata.annotations ?? {}).filter((token) => {
    const member = known.get(clusterOfToken(token));
    return wanted.includes(token) || member === undefined || staysListed(member, live);
  });
  return [...new Set([...kept, ...wanted])];
}

function localLeft({ service, members }: FederatedClaim, live: Service | undefined) {
  const member = members.find(({ cluster }) => cluster === localMember);
  if (member?.stance === "wanted") return service;
  const listed = live?.metadata.annotations?.[annotation.localMember];
  return member === undefined || staysListed(member, live) ? listed : undefined;
}

/** Whether a member that is listed, and not as this stack would list it, is left there. */
function staysListed(member: MemberClaim, live: Service | undefined): boolean {
  if (member.stance === "unknown" || member.isLeft) return true;
  const { isOurs, others } = marksOn(live?.metadata ?? {}, member.names, member.cluster);
  // By another name than the one by which this stack lists it, a member is none (4.2).
  const mayLeave = isOurs || member.takesUnmarked || member.stance === "wanted";
  return others.length > 0 || !mayLeave;
}

function isOurs({ names, cluster }: MemberClaim, live: Service | undefined): boolean {
  return marksOn(live?.metadata ?? {}, names, cluster).isOurs;
}

function isListed(
  { cluster }: MemberClaim,
  annotations: Readonly<Record<string, string>>,
  service: string,
): boolean {
  return cluster === localMember
    ? annotations[annotation.localMember] !== undefined
    : tokensIn(annotations).includes(memberToken(service, cluster));
}

/**
 * Labels, annotations and ports: the local member's, else those of the member whose Link is the oldest. While that may
 * be a member that can't be asked now, or is one of somebody else's, they stay as they are.
 */
function detailsOf(
  { members, details, preceding }: FederatedClaim,
  live: Service | undefined,
  tokens: readonly string[],
  local: string | undefined,
): FederatedClaim["details"] {
  const isLocalWanted = members.some(
    ({ cluster, stance }) => cluster === localMember && stance === "wanted",
  );
  const precedes = (token: string) => preceding.includes(clusterOfToken(token));
  const isSure =
    details !== undefined && (isLocalWanted || (local === undefined && !tokens.some(precedes)));
  if (live === undefined || isSure) return details;
  const { labels = {}, annotations = {} } = live.metadata;
  return { labels, annotations, ports: mirroredPorts(live) };
}

function marksAfter(claim: FederatedClaim, live: Service | undefined): readonly ManagedFields[] {
  const [stack = ""] = claim.stacks;
  const by = (stance: MemberClaim["stance"]) =>
    claim.members.filter((member) => member.stance === stance);
  const wanted = by("wanted").map(({ cluster }) => managerOf(stack, cluster));
  const judged = claim.members.filter(({ stance }) => stance !== "unknown");
  // Names that are adopted count for one member alone.
  const adopted = new Set(
    judged.flatMap(({ cluster, names }) =>
      names.slice(claim.stacks.length).map((name) => managerOf(name, cluster)),
    ),
  );
  const entries = (live?.metadata.managedFields ?? []).filter(
    ({ manager = "" }) => !adopted.has(manager),
  );
  const unknown = new Set(
    by("unknown").flatMap(({ cluster, names }) => names.map((name) => managerOf(name, cluster))),
  );
  const isUnknown = unknown.size > 0;
  return remarked(entries, claim.stacks, wanted, (manager, member) => {
    if (wanted.includes(manager) || unknown.has(manager)) return manager;
    // A mark of an earlier version stands for all members, those that can't be judged now among them.
    return member === undefined ? (isUnknown ? manager : federatedWriter) : undefined;
  });
}

/** By key: what this stack has to say about federated Services. */
export type FederatedClaims = ReadonlyMap<ObjectKey, FederatedClaim>;
