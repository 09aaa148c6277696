import type {
  ManagedFields,
  ObjectKey,
  ObjectMeta,
  Service,
  ServicePort,
  StringMap,
} from "../kubernetes/objects/objects.ts";
import { localMember, managerOf, marksOn, federatedWriter, remarked } from "./marks.ts";
import { clusterPorts, type FieldChange, type Mirror } from "./mirror.ts";
import { isNarrowingKey, type Narrowing, othersNarrowing, portKey, recordOf } from "./narrowing.ts";
import { annotation, clusterOfToken, federatedName, memberToken, tokensIn } from "./vocabulary.ts";

export interface MemberClaim {
  /** Holds a cluster's name, or `localMember`. */
  readonly cluster: string;
  /** With `unknown`, nothing can be concluded about the member now, so it stays as it is. */
  readonly stance: "wanted" | "unwanted" | "unknown";
  /** Marks under these names count as this stack's. */
  readonly names: readonly string[];
  /** The member leaves even if nobody has marked it. */
  readonly takesUnmarked?: boolean;
  /** Linkerd's controller may list the member too, so it stays listed and only this stack's mark is removed. */
  readonly isLeft?: boolean;
}

/** Others write the federated Service too, so the result is computed from the live object each time. */
export interface FederatedClaim {
  /** Members are the Services of this key. */
  readonly origin: ObjectKey;
  readonly stacks: readonly string[];
  /** Wanted members are in the order of listing. Nothing is known about clusters that aren't among them. */
  readonly members: readonly MemberClaim[];
  /** Labels, annotations and ports of the first wanted member (linkerd-behaviour.md 4.3). */
  readonly details?: Pick<Mirror, "labels" | "annotations" | "ports">;
  /** The members of this stack omit this for all. */
  readonly narrowing: Narrowing;
  /** Members of these clusters take precedence over the first wanted one. */
  readonly preceding: readonly string[];
}

export interface Settled {
  /** The mirror is undefined if no member is left. */
  readonly mirror: Mirror | undefined;
  readonly managedFields: readonly ManagedFields[];
  readonly isOurs: boolean;
}

export function settle(claim: FederatedClaim, live: Service | undefined): Settled {
  const { origin, members } = claim;
  const metadata: Partial<ObjectMeta> = live?.metadata ?? {};
  const [namespace = "", service = ""] = origin.split("/");
  const tokens = tokensLeft(claim, service, metadata);
  const local = localLeft(claim, service, metadata);
  const managedFields = marksAfter(claim, metadata);
  const listed = [...tokens.map(clusterOfToken), ...(local === undefined ? [] : [localMember])];
  const others = othersNarrowing(
    { ...metadata, managedFields },
    listed,
    (cluster) => members.find((member) => member.cluster === cluster)?.names ?? claim.stacks,
  );
  const isOurs =
    members.some(({ stance }) => stance === "wanted") ||
    members.some((member) => member.stance === "unknown" && isOurMember(member, service, metadata));
  const details = detailsOf(claim, live, tokens, local);
  const isEmpty = details === undefined || (tokens.length === 0 && local === undefined);
  return {
    mirror: isEmpty
      ? undefined
      : {
          kind: "federated",
          namespace,
          name: federatedName(service),
          origin,
          ...details,
          ports: withoutOmitted(details.ports, live, [claim.narrowing, others]),
          annotations: {
            ...copiedOf(details.annotations),
            ...others.records,
            ...(isOurs && recordOf(claim.stacks[0] ?? "", claim.narrowing)),
            // Linkerd would read an empty list as a member without a name.
            ...(tokens.length > 0 && { [annotation.remoteMembers]: tokens.join(",") }),
            ...(local !== undefined && { [annotation.localMember]: local }),
          },
        },
    managedFields,
    isOurs,
  };
}

function copiedOf(annotations: StringMap): StringMap {
  const isCopied = (key: string) =>
    key !== annotation.remoteMembers && key !== annotation.localMember && !isNarrowingKey(key);
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => isCopied(key)));
}

/** A Service can't be without a port. If two stacks have just omitted all of them, one leaves in the next run. */
function withoutOmitted(
  ports: readonly ServicePort[],
  live: Service | undefined,
  narrowings: readonly Narrowing[],
): readonly ServicePort[] {
  const left = ports.filter((port) => !narrowings.some((each) => each.ports.has(portKey(port))));
  return left.length > 0 || live === undefined ? left : clusterPorts(live);
}

/** Tokens keep their order; new ones follow. */
function tokensLeft(
  { members }: FederatedClaim,
  service: string,
  metadata: Partial<ObjectMeta>,
): string[] {
  const known = new Map(members.map((member) => [member.cluster, member]));
  const wanted = members.flatMap(({ cluster, stance }) =>
    stance === "wanted" && cluster !== localMember ? [memberToken(service, cluster)] : [],
  );
  const kept = tokensIn(metadata.annotations ?? {}).filter((token) => {
    const member = known.get(clusterOfToken(token));
    return wanted.includes(token) || member === undefined || staysListed(member, metadata);
  });
  return [...new Set([...kept, ...wanted])];
}

function localLeft({ members }: FederatedClaim, service: string, metadata: Partial<ObjectMeta>) {
  const member = members.find(({ cluster }) => cluster === localMember);
  if (member?.stance === "wanted") return service;
  const listed = metadata.annotations?.[annotation.localMember];
  return member === undefined || staysListed(member, metadata) ? listed : undefined;
}

/** Returns whether a listed member stays although this stack would list it differently. */
export function staysListed(member: MemberClaim, metadata: Partial<ObjectMeta>): boolean {
  if (member.stance === "unknown" || member.isLeft === true) return true;
  const { isOurs, others } = marksOn(metadata, member.names, member.cluster);
  // A member under another name than this stack's is not a member of this Service (4.2).
  const mayLeave = isOurs || member.takesUnmarked === true || member.stance === "wanted";
  return others.length > 0 || !mayLeave;
}

function isOurMember(
  { cluster, names }: MemberClaim,
  service: string,
  metadata: Partial<ObjectMeta>,
): boolean {
  const { annotations = {} } = metadata;
  const isListed =
    cluster === localMember
      ? annotations[annotation.localMember] !== undefined
      : tokensIn(annotations).includes(memberToken(service, cluster));
  return isListed && marksOn(metadata, names, cluster).isOurs;
}

/**
 * Details come from the local member, or else from the one with the oldest Link. They stay as they are while that
 * member can't be read or isn't this stack's.
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
  return live === undefined || isSure ? details : detailsIn(live);
}

function detailsIn(live: Service): NonNullable<FederatedClaim["details"]> {
  const { labels = {}, annotations = {} } = live.metadata;
  return { labels, annotations, ports: clusterPorts(live) };
}

/** Returns what a stack may change on a federated Service without a member of its own: the lists of members. */
export function fieldsOfMembers(fields: readonly FieldChange[]): FieldChange[] {
  const lists = [annotation.remoteMembers, annotation.localMember];
  return fields.filter(
    ({ field }) =>
      lists.some((key) => field === `annotation ${key}`) ||
      isNarrowingKey(field.replace("annotation ", "")),
  );
}

function marksAfter(
  claim: FederatedClaim,
  { managedFields = [] }: Partial<ObjectMeta>,
): readonly ManagedFields[] {
  const [stack = ""] = claim.stacks;
  const by = (stance: MemberClaim["stance"]) =>
    claim.members.filter((member) => member.stance === stance);
  const managers = ({ cluster, names }: MemberClaim, from = 0) =>
    names.slice(from).map((name) => managerOf(name, cluster));
  const wanted = by("wanted").map(({ cluster }) => managerOf(stack, cluster));
  const judged = claim.members.filter(({ stance }) => stance !== "unknown");
  // Names from `adoptFrom` count for one member only.
  const adopted = new Set(judged.flatMap((member) => managers(member, claim.stacks.length)));
  const entries = managedFields.filter(({ manager = "" }) => !adopted.has(manager));
  const unknown = new Set(by("unknown").flatMap((member) => managers(member)));
  const isUnknown = unknown.size > 0;
  return remarked(entries, claim.stacks, wanted, (manager, member) => {
    if (wanted.includes(manager) || unknown.has(manager)) return manager;
    // A mark of an earlier version counts for all members, including those that can't be judged now.
    return member === undefined ? (isUnknown ? manager : federatedWriter) : undefined;
  });
}

export type FederatedClaims = ReadonlyMap<ObjectKey, FederatedClaim>;
