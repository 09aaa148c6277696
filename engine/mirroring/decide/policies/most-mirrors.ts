import { bounds } from "../../../kubernetes/objects/bounds.ts";
import { keyOf, objectKey, type Service } from "../../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "../../model/link.ts";
import { mirrorKey, type LiveMirror } from "../../model/mirror.ts";
import { anyMirror, federated } from "../../model/owner.ts";
import type { Fix, Skip, Why } from "../../model/reasons.ts";
import { omitUndefined } from "../../../kubernetes/objects/omit-undefined.ts";
import { inDigits } from "../../../message.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { annotation, federatedName, memberToken, tokensIn } from "../../model/vocabulary.ts";
import type { WantedPart } from "../compare.ts";
import {
  type Decision,
  isListed,
  isSkip,
  isTaken,
  isWanted,
  isWrite,
} from "../../model/decision.ts";
import { bytesOfMirrors, environmentIn, type Size, type Sized } from "./mirror-sizes.ts";
import { liveMirrors } from "../../model/live-mirrors.ts";
import { inTooManyNamespaces } from "./new-namespaces.ts";
import { refuse } from "./rules.ts";

/**
 * Targets may bring only so much into a source. Almost every mirror takes a ClusterIP, of which a cluster may have only
 * a few thousand; the next run has to read all mirrors; and each is in the environment of every pod of its namespace,
 * whose size Linux limits. Existing mirrors stay, as long as they don't grow. New ones are admitted first for the
 * targets that have brought least so far.
 */

interface Item<T> {
  readonly one: T;
  readonly part: string;
  readonly live: LiveMirror;
  /** The mirror is undefined if the run doesn't write it. */
  readonly wanted: Sized | undefined;
}

interface Limit<T> {
  readonly items: readonly Item<T>[];
  readonly most: number;
  readonly size: Size;
  readonly sentence: string;
  readonly fix?: Fix;
}

/** Without collisions, each limit takes a round. */
const mostRounds = 6;

/**
 * Another mirror may use a name that is freed, so planning is repeated until everything fits. A target could make each
 * refused name free another one, for hours: after a few rounds, names that collide stay without a mirror.
 */
export function withinLimits(
  parts: readonly WantedPart[],
  links: readonly LinkSpec[],
  source: ClusterSnapshot,
  plan: (parts: readonly WantedPart[]) => Decision[],
): Decision[] {
  let wanted = parts;
  for (let round = 1; ; round++) {
    const decisions = plan(wanted);
    const refused = beyondLimits(decisions, links, source);
    if (refused.size === 0) return decisions;
    const colliding = round < mostRounds ? new Map<string, Why>() : collisionsIn(decisions);
    wanted = wanted.map((part) => {
      const refusals = part.mirrors.flatMap((mirror) => {
        const key = `${part.part} ${mirrorKey(mirror)}`;
        const why = colliding.get(`${key} ${claimantOf(mirror)}`) ?? refused.get(key);
        return why === undefined ? [] : [{ ...why, mirror }];
      });
      const { mirrors, skips } = refuse(part.mirrors, refusals);
      return { ...part, mirrors, skips: [...part.skips, ...skips] };
    });
  }
}

/** Other mirrors of the same name may have no collision. */
function claimantOf({ origin, hostname = "" }: Pick<Skip, "origin" | "hostname">): string {
  return `${origin} ${hostname}`;
}

function collisionsIn(decisions: readonly Decision[]): ReadonlyMap<string, Why> {
  return new Map(
    decisions
      .filter(isSkip)
      .filter(({ reason }) => reason === "CollidingName")
      .map((skip) => [`${skip.part} ${skip.key} ${claimantOf(skip)}`, skip]),
  );
}

function beyondLimits(
  decisions: readonly Decision[],
  links: readonly LinkSpec[],
  source: ClusterSnapshot,
): ReadonlyMap<string, Why> {
  if (!decisions.some(isWrite)) return new Map();
  const taken = new Set(decisions.flatMap((each) => (isTaken(each) ? each.key : [])));
  const decided = decisions
    .filter((decision) => !isSkip(decision))
    .filter((decision) => !isTaken(decision))
    .map((decision) => ({
      one: `${decision.part} ${decision.key}`,
      key: decision.key,
      part: decision.part,
      live: decision.live,
      wanted: isWrite(decision) ? decision.wanted : undefined,
      decision,
    }));
  // Mirrors of other stacks and of unreadable targets count too, and so do those to be deleted, because the run may
  // still keep them.
  const known = new Set(decided.map(({ key }) => key));
  const others = [...liveMirrors(source, anyMirror)].filter(([key]) => !known.has(key));
  const all = [
    ...decided,
    ...others.map(([key, live]) => ({ one: key, key, part: "", live, wanted: undefined })),
  ];
  const ofLinks = links.map((link) => {
    const own = decided
      .filter(({ part, decision }) => part === link.target && decision.verdict !== "delete")
      // A mirror of another link is new for the one that takes it over.
      .map((item) => (taken.has(item.key) ? { ...item, live: {} } : item));
    // A mirror of a former name takes no place, or a link that has all it may have could never be renamed.
    const counted = own.filter(
      ({ decision }) => decision.verdict !== "keep" || decision.successor === undefined,
    );
    return { link, own, counted };
  });
  const bytes = bytesOfMirrors();
  const { cluster } = source;
  const { most } = bounds.environment;
  const environment = environmentIn(source);
  const namespaces = Map.groupBy(all, ({ key }) => key.slice(0, key.indexOf("/")));
  // A mirror that exceeds one limit isn't counted for the next.
  const limits: Limit<string>[][] = [
    ofLinks.map(({ link, counted }) => {
      const mirrors = counted.filter(({ decision }) => isWanted(decision)).length;
      return countLimit(link, counted, { number: mirrors, what: "mirrors" });
    }),
    ofLinks.map(({ link, own }) => bytesLimit(link, own, "mirrors", bytes)),
    [...namespaces].map(([namespace, items]) => ({
      items,
      most,
      size: environment,
      sentence: `the mirrors in namespace ${namespace} on ${cluster} would add more than ${inDigits(most)} bytes to the environment of each pod there, which keeps pods from starting when it is too large: export fewer Services of the namespace, or Services with fewer ports`,
    })),
    [
      {
        // Anybody can write Services with a mirror's labels, which must not take the place of mirrors.
        items: decided.filter(({ decision }) => isListed(decision)),
        most: bounds.mirrorBytes.most,
        size: bytes,
        sentence: `all mirrors on ${cluster} would take more than ${inDigits(bounds.mirrorBytes.most)} bytes, and ${cluster} could not be read any more: export fewer Services, or Services with fewer labels, annotations and ports`,
      },
    ],
  ];
  for (const some of limits) {
    const refused = some.flatMap((limit) => beyond(limit));
    if (refused.length > 0) return new Map(refused);
  }
  return inTooManyNamespaces(decisions, links, source);
}

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
  const tooMany = new Map(beyond(countLimit(link, items, { number: services.length, what })));
  const rest = items.filter(({ one }) => !tooMany.has(one));
  const tooLarge = beyond(bytesLimit(link, rest, what, bytesOfMirrors()));
  return new Map([...tooMany, ...tooLarge]);
}

function beyond<T>({ items, most, size, sentence, fix }: Limit<T>): [T, Why][] {
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
      if (growth > left)
        return [[one, { reason: "TooManyMirrors", sentence, ...omitUndefined({ fix }) }]];
      left -= growth;
      return [];
    });
}

function countLimit<T>(
  { source, target, maxMirrors }: LinkSpec,
  items: readonly Item<T>[],
  { number, what }: { readonly number: number; readonly what: string },
): Limit<T> {
  return {
    items,
    most: maxMirrors,
    size: { live: ({ service }) => (service === undefined ? 0 : 1), wanted: () => 1 },
    sentence: `${target} exports what would be ${number} ${what} on ${source}, and maxMirrors of link ${source} → ${target} allows ${maxMirrors}: check that all of it should be exported, then raise maxMirrors on the link`,
    fix: `maxMirrors: ${number}`,
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
    sentence: `${target} exports what would be ${what} of more than ${inDigits(most)} bytes on ${source}: export fewer Services, or Services with fewer labels, annotations and ports`,
  };
}
