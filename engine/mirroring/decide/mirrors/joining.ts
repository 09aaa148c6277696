import type { Service } from "../../../kubernetes/objects/objects.ts";
import { listed } from "../../../base/message.ts";
import { localMember } from "../../../model/marks.ts";
import { type Narrowing, portKey } from "../../../model/narrowing.ts";
import type { Why } from "../../../model/reasons.ts";
import { exportAnnotation } from "../../../model/vocabulary.ts";
import { copiedAnnotations, copiedLabels } from "../../../model/metadata.ts";
import { type Member, nameOf } from "./members.ts";

export interface Company {
  readonly live: Service | undefined;
  readonly isListed: (cluster: string) => boolean;
  /** A member stays about which this stack knows nothing now. */
  readonly hasOthers: boolean;
  /** Holds what this stack has narrowed so far. */
  readonly own: Narrowing;
  /** A member of this stack that can't be read may have narrowed it. */
  readonly keepsOwn: boolean;
  readonly others: Narrowing;
  /** The member is listed, and another stack has marked it too. */
  readonly isShared: (cluster: string) => boolean;
}

type Refused = Why & { readonly member: Member };

export interface Joining {
  readonly joining: readonly Member[];
  readonly refused: readonly Refused[];
  readonly narrowing: Narrowing;
}

/**
 * Linkerd sends requests for a port of a federated Service to every member that has this port, whoever may import it
 * (controller/api/destination/federated_service_watcher.go), so a port that one member omits is omitted for all. No
 * member may take one from the others, though (docs/decisions/0022-what-members-omit.md): those that narrow join last,
 * and only if they take nothing, and one that begins to narrow leaves unless it takes nothing.
 *
 * @param members in the order of precedence
 * @param undecided members that stay if they are listed
 */
export function joiningMembers(
  members: readonly Member[],
  undecided: readonly Member[],
  company: Company,
): Joining {
  const { live, isListed, hasOthers, own, others } = company;
  const offered = keysOf(live);
  const isIn = (member: Member) => isListed(nameOf(member));
  const isFresh = (key: string) => offered.has(key) && !own.ports.has(key);
  const stageOf = (member: Member) => {
    if (isIn(member)) return member.omitted.map(portKey).some(isFresh) ? 1 : 0;
    return member.omitted.length === 0 ? 2 : 3;
  };
  const narrowed = new Set(company.keepsOwn ? own.ports : []);
  const staying = undecided.filter(isIn);
  for (const { omitted } of staying) for (const port of omitted) narrowed.add(portKey(port));
  const isOmitted = (key: string) => narrowed.has(key) || others.ports.has(key);
  const served = new Set(hasOthers ? offered : []);
  const accepted = new Set<Member>();
  const refused: Refused[] = [];
  for (const member of members.toSorted((a, b) => stageOf(a) - stageOf(b))) {
    const keys = [...keysOf(member.service)];
    const omitted = member.omitted.map(portKey);
    const hasNone = keys.every(isOmitted);
    // If two stacks have narrowed at once until no port was left, the live ports say which of them leaves.
    const isTaken = (key: string) => !isIn(member) || (hasNone ? offered.has(key) : isFresh(key));
    const taken = omitted.filter((key) => served.has(key) && !isOmitted(key) && isTaken(key));
    const why = takesPorts(taken) ?? (hasNone ? noCommonPort : takesMetadata(member, company));
    if (why === undefined) {
      accepted.add(member);
      for (const key of omitted) narrowed.add(key);
    } else refused.push({ ...why, member });
    if (why === undefined || company.isShared(nameOf(member)))
      for (const key of keys) served.add(key);
  }
  const joining = members.filter((member) => accepted.has(member));
  const ours = [...joining, ...staying];
  const rules = ours.find(({ cluster }) => cluster === undefined)?.metadataRules ?? [];
  return {
    joining: joining.map(({ service, ...member }) => {
      const { ports = [] } = service.spec;
      const left = ports.filter((port) => !isOmitted(portKey(port)));
      return {
        ...member,
        service: { ...service, spec: { ...service.spec, ports: left } },
        metadataRules: [...member.metadataRules, ...others.rules],
      };
    }),
    refused,
    narrowing: { ports: narrowed, rules },
  };
}

function keysOf(service: Service | undefined): ReadonlySet<string> {
  return new Set((service?.spec.ports ?? []).map(portKey));
}

const noCommonPort: Why = {
  reason: "NoCommonPort",
  sentence: `other members of the federated Service omit every port that it has: list one of these in their annotation ${exportAnnotation.ports}`,
};

function takesPorts(taken: readonly string[]): Why | undefined {
  if (taken.length === 0) return undefined;
  return {
    reason: "NarrowsOthers",
    sentence: `its annotation ${exportAnnotation.ports} omits what other members of the federated Service have (${listed(taken)}): list that, or omit it there too`,
  };
}

/** Only the local member is described by several stacks. */
function takesMetadata(
  { cluster, service, metadataRules }: Member,
  { live, own, others, isShared }: Company,
): Why | undefined {
  if (cluster !== undefined || !isShared(localMember)) return undefined;
  const taken = (["labels", "annotations"] as const).flatMap((field) => {
    const copied = field === "labels" ? copiedLabels : copiedAnnotations;
    const after = copied(service, ...others.rules, ...metadataRules);
    return Object.keys(copied(service, ...others.rules, ...own.rules)).filter(
      (key) => !Object.hasOwn(after, key) && Object.hasOwn(live?.metadata[field] ?? {}, key),
    );
  });
  if (taken.length === 0) return undefined;
  return {
    reason: "NarrowsOthers",
    sentence: `links of this stack don't copy what the federated Service has from another stack (${listed(taken)}): copy it too (copiedMetadata, excludedLabels, excludedAnnotations), or let that stack leave it out`,
  };
}
