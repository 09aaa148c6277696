import { bounds } from "../../../kubernetes/objects/bounds.ts";
import { inDigits } from "../../../base/message.ts";
import {
  type Decision,
  isListed,
  isSkip,
  isTaken,
  isWanted,
  isWrite,
} from "../../../model/decision.ts";
import type { LinkSpec } from "../../../model/link.ts";
import { mirrorKey } from "../../../model/mirror.ts";
import type { Skip, Why } from "../../../model/reasons.ts";
import type { ClusterSnapshot } from "../../../model/snapshot.ts";
import type { WantedPart } from "../compare.ts";
import { environmentLimits } from "./environment.ts";
import { beyond, bytesLimit, countLimit, itemsOf, type Limit } from "./limits.ts";
import { bytesOfMirrors } from "./mirror-sizes.ts";
import { inTooManyNamespaces } from "./new-namespaces.ts";
import { refuse } from "./rules.ts";

/**
 * Targets may bring only so much into a source. Almost every mirror takes a ClusterIP, of which a cluster may have only
 * a few thousand; the next run has to read all mirrors; and each is in the environment of every pod of its namespace,
 * whose size Linux limits. Existing mirrors stay, as long as they don't grow. New ones are admitted first for the
 * targets that have brought least so far.
 */

/** Without collisions, each limit takes a round. */
const mostRounds = 6;

/**
 * Another mirror may use a name that is freed, so comparing is repeated until everything fits. A target could make each
 * refused name free another one, for hours: after a few rounds, names that collide stay without a mirror.
 */
export function withinLimits(
  parts: readonly WantedPart[],
  links: readonly LinkSpec[],
  source: ClusterSnapshot,
  compare: (parts: readonly WantedPart[]) => Decision[],
): Decision[] {
  let wanted = parts;
  for (let round = 1; ; round++) {
    const decisions = compare(wanted);
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
  const decided = itemsOf(decisions);
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
  // A mirror that exceeds one limit isn't counted for the next.
  const limits: Limit<string>[][] = [
    ofLinks.map(({ link, counted }) => {
      const mirrors = counted.filter(({ decision }) => isWanted(decision)).length;
      return countLimit(link, counted, { number: mirrors, what: "mirrors" });
    }),
    ofLinks.map(({ link, own }) => bytesLimit(link, own, "mirrors", bytes)),
    environmentLimits(decided, source),
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
