import { bounds } from "../../../kubernetes/objects/bounds.ts";
import { bytesOf } from "../../../kubernetes/objects/checks.ts";
import {
  endpoints as endpointsCheck,
  isHeadless,
  keyOf,
  objectKey,
  type Service,
  service as serviceCheck,
  type ServicePort,
} from "../../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "../../model/link.ts";
import { mirrorKey } from "../../model/mirror.ts";
import { federated, type Owner } from "../../model/owner.ts";
import type { Why } from "../../model/reasons.ts";
import { inWords } from "../../model/sizes.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { annotation, federatedName, label, memberToken, tokensIn } from "../../model/vocabulary.ts";
import type { WantedPart } from "../compare.ts";
import {
  type Decision,
  isDeletion,
  isSkip,
  isWanted,
  isWrite,
  type LiveMirror,
} from "../decision.ts";
import { listed } from "../listed.ts";
import { liveMirrors } from "./ownership.ts";
import { refuse } from "./rules.ts";

/**
 * How much targets may bring into a source. Almost every mirror takes one of the source's ClusterIPs, of which a cluster
 * may have no more than a few thousand; the next run has to read them all; and each is in the environment of every pod
 * beside it, whose size Linux bounds. What exists stays, as long as it does not grow. Of the rest, what fits in is let
 * in, first of those targets that have brought least so far.
 */

/** Something that takes room in a source. */
interface Item<T> {
  readonly one: T;
  readonly part: string;
  readonly live: LiveMirror;
  /** As it is to be, if that is something else. */
  readonly wanted: Weighed | undefined;
}

/** What decides how large a mirror is. */
type Weighed = Parameters<typeof listed>[0];

interface Limit<T> {
  readonly items: readonly Item<T>[];
  readonly most: number;
  readonly size: Size;
  readonly sentence: string;
}

interface Size {
  readonly live: (mirror: LiveMirror) => number;
  readonly wanted: (mirror: Weighed) => number;
}

/**
 * Plans without the mirrors that go beyond a limit, and says of these why. What they make room for, such as a name, may
 * be for another mirror, so that it is planned until all keeps to the limits.
 */
export function withinLimits(
  parts: readonly WantedPart[],
  links: readonly LinkSpec[],
  source: ClusterSnapshot,
  plan: (parts: readonly WantedPart[]) => Decision[],
): Decision[] {
  for (let wanted = parts; ;) {
    const decisions = plan(wanted);
    const refused = beyondLimits(decisions, links, source);
    if (refused.size === 0) return decisions;
    wanted = wanted.map((part) => {
      const refusals = part.mirrors.flatMap((mirror) => {
        const why = refused.get(`${part.part} ${mirrorKey(mirror)}`);
        return why === undefined ? [] : [{ mirror, ...why }];
      });
      const { mirrors, skips } = refuse(part.mirrors, refusals);
      return { ...part, mirrors, skips: [...part.skips, ...skips] };
    });
  }
}

/** Mirrors of any target, whoever has made them. */
const anyMirror: Pick<Owner, "owns"> = {
  owns: ({ metadata: { labels = {} } }) => labels[label.mirrored] === "true",
};

/** By part and key: why a mirror can't be written. */
function beyondLimits(
  decisions: readonly Decision[],
  links: readonly LinkSpec[],
  source: ClusterSnapshot,
): ReadonlyMap<string, Why> {
  if (!decisions.some(isWrite)) return new Map();
  const decided = decisions
    .filter((decision) => !isSkip(decision))
    .map((decision) => ({
      one: `${decision.part} ${decision.key}`,
      key: decision.key,
      part: decision.part,
      live: decision.live,
      wanted: isWrite(decision) ? decision.wanted : undefined,
      decision,
    }));
  // Mirrors of other stacks and of targets that can't be read take room too, and so do those that are to be deleted:
  // whether these go in this run is not certain yet.
  const known = new Set(decided.map(({ key }) => key));
  const others = [...liveMirrors(source, anyMirror)].filter(([key]) => !known.has(key));
  const all = [
    ...decided,
    ...others.map(([key, live]) => ({ one: key, key, part: "", live, wanted: undefined })),
  ];
  const ofLinks = links.map((link) => {
    const own = decided.filter(
      ({ part, decision }) => part === link.target && !isDeletion(decision),
    );
    return { link, own };
  });
  const bytes = bytesOfMirrors();
  const { cluster } = source;
  const { most } = bounds.environment;
  const environment = environmentIn(source);
  const namespaces = Map.groupBy(all, ({ key }) => key.slice(0, key.indexOf("/")));
  // What is beyond one limit is not weighed for the next.
  const limits: Limit<string>[][] = [
    ofLinks.map(({ link, own }) => {
      const mirrors = own.filter(({ decision }) => isWanted(decision)).length;
      return countLimit(link, own, `${mirrors} mirrors`);
    }),
    ofLinks.map(({ link, own }) => bytesLimit(link, own, "mirrors", bytes)),
    [...namespaces].map(([namespace, items]) => ({
      items,
      most,
      size: environment,
      sentence: `the mirrors in namespace ${namespace} on ${cluster} would add more than ${inWords(most)} bytes to the environment of each pod there, which keeps pods from starting when it is too large: export fewer Services of the namespace, or Services with fewer ports`,
    })),
    [
      {
        items: all,
        most: bounds.mirrorBytes.most,
        size: bytes,
        sentence: `all mirrors on ${cluster} would take more than ${inWords(bounds.mirrorBytes.most)} bytes, and ${cluster} could not be read any more: export fewer Services, or Services with fewer labels, annotations and ports`,
      },
    ],
  ];
  for (const some of limits) {
    const refused = some.flatMap((limit) => beyond(limit));
    if (refused.length > 0) return new Map(refused);
  }
  return new Map();
}

/** The Services of a link's target that would be members beyond its limits, each with why. */
export function membersBeyondLimit(
  services: readonly Service[],
  link: LinkSpec,
  source: ClusterSnapshot,
): ReadonlyMap<Service, Why> {
  const liveOf = ({ metadata: { namespace, name } }: Service): LiveMirror => {
    const live = source.services.get(objectKey(namespace, federatedName(name)));
    const tokens = tokensIn(live?.metadata.annotations ?? {});
    const isMember = tokens.includes(memberToken(name, link.target));
    return live !== undefined && federated.owns(live) && isMember ? { service: live } : {};
  };
  const sorted = services.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const items = sorted.map((service) => {
    const { namespace, name, labels = {}, annotations = {} } = service.metadata;
    const tokens = { [annotation.remoteMembers]: memberToken(name, link.target) };
    return {
      one: service,
      part: link.target,
      live: liveOf(service),
      wanted: {
        kind: "federated" as const,
        namespace,
        name: federatedName(name),
        labels,
        annotations: { ...annotations, ...tokens },
        ports: service.spec.ports ?? [],
      },
    };
  });
  const what = "members of federated Services";
  const tooMany = new Map(beyond(countLimit(link, items, `${services.length} ${what}`)));
  const rest = items.filter(({ one }) => !tooMany.has(one));
  const tooLarge = beyond(bytesLimit(link, rest, what, bytesOfMirrors()));
  return new Map([...tooMany, ...tooLarge]);
}

/** What is new or grows and does not fit beside the rest, each with why. */
function beyond<T>({ items, most, size, sentence }: Limit<T>): [T, Why][] {
  const weighed = items.map(({ one, part, live, wanted }) => {
    const before = size.live(live);
    const after = wanted === undefined ? before : size.wanted(wanted);
    return { one, part, least: Math.min(before, after), growth: Math.max(after - before, 0) };
  });
  let left = weighed.reduce((rest, { least }) => rest - least, most);
  const brought = new Map<string, number>();
  const bring = (part: string, more: number) => {
    const total = (brought.get(part) ?? 0) + more;
    brought.set(part, total);
    return total;
  };
  for (const { part, least } of weighed) bring(part, least);
  return weighed
    .filter(({ growth }) => growth > 0)
    .map((each) => ({ ...each, total: bring(each.part, each.growth) }))
    .sort((a, b) => a.total - b.total)
    .flatMap(({ one, growth }): [T, Why][] => {
      if (growth > left) return [[one, { reason: "TooManyMirrors", sentence }]];
      left -= growth;
      return [];
    });
}

function countLimit<T>(
  { source, target, maxMirrors }: LinkSpec,
  items: readonly Item<T>[],
  what: string,
): Limit<T> {
  return {
    items,
    most: maxMirrors,
    size: { live: ({ service }) => (service === undefined ? 0 : 1), wanted: () => 1 },
    sentence: `${target} exports what would be ${what} on ${source}, and maxMirrors of link ${source}/${target} allows ${maxMirrors}: see whether all of that is meant to be exported, and raise maxMirrors on the link if it is`,
  };
}

function bytesLimit<T>(
  { source, target }: LinkSpec,
  items: readonly Item<T>[],
  what: string,
  size: Size,
): Limit<T> {
  const { most } = bounds.linkBytes;
  return {
    items,
    most,
    size,
    sentence: `${target} exports what would be ${what} of more than ${inWords(most)} bytes on ${source}: export fewer Services, or Services with fewer labels, annotations and ports`,
  };
}

/** What a list of the source's counts for a mirror, by the very checks that read it. */
function bytesOfMirrors(): Size {
  const known = new Map<object, number>();
  const once = <T extends object>(mirror: T, size: (mirror: T) => number) => {
    const bytes = known.get(mirror) ?? size(mirror);
    known.set(mirror, bytes);
    return bytes;
  };
  const bytes = ({ service, endpoints }: LiveMirror) =>
    (service === undefined ? 0 : bytesOf(serviceCheck, service)) +
    (endpoints === undefined ? 0 : bytesOf(endpointsCheck, endpoints));
  return {
    live: (mirror) => once(mirror, bytes),
    wanted: (mirror) => once(mirror, (one) => bytes(listed(one))),
  };
}

/**
 * Bytes of the variables in which the kubelet tells each pod of its namespace of a Service that is not headless: each
 * is a name, `=`, a value and a zero (Kubernetes, pkg/kubelet/envvars).
 */
function environmentIn({ services }: ClusterSnapshot): Size {
  // ClusterIPs are of the family of the API server's own, and as long as an address gets.
  const { clusterIP = ":" } = services.get("default/kubernetes")?.spec ?? {};
  const host = clusterIP.includes(":")
    ? "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]"
    : "255.255.255.255";
  const bytes = (service: string, [first, ...others]: readonly ServicePort[]) => {
    if (first === undefined) return 0;
    const ports = [first, ...others].flatMap(({ name = "", port, protocol = "TCP" }) => {
      const prefix = `_PORT_${port}_${protocol}`;
      return [
        ...(name === "" ? [] : [`_SERVICE_PORT_${name}${port}`]),
        `${prefix}${protocol}://${host}:${port}`,
        `${prefix}_PROTO${protocol}`,
        `${prefix}_PORT${port}`,
        `${prefix}_ADDR${host}`,
      ];
    });
    const all = [
      `_SERVICE_HOST${host}`,
      `_SERVICE_PORT${first.port}`,
      `_PORT${first.protocol ?? "TCP"}://${host}:${first.port}`,
      ...ports,
    ];
    return all.reduce((sum, { length }) => sum + service.length + length + 2, 0);
  };
  return {
    live: ({ service }) =>
      service === undefined || isHeadless(service)
        ? 0
        : bytes(service.metadata.name, service.spec.ports ?? []),
    wanted: ({ kind, name, ports }) => (kind === "headless" ? 0 : bytes(name, ports)),
  };
}
