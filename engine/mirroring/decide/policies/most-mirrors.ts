import { bounds } from "../../../kubernetes/objects/bounds.ts";
import { isHeadless, keyOf, objectKey, type Service } from "../../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "../../model/link.ts";
import { type Mirror, mirrorKey } from "../../model/mirror.ts";
import { federated, mirrorsOf } from "../../model/owner.ts";
import { charactersOf, inWords, variablesOf } from "../../model/sizes.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { federatedName, memberToken, tokensIn } from "../../model/vocabulary.ts";
import { type Refusal } from "./refuse.ts";

/**
 * How much one target may bring into a source. Almost every mirror takes one of the source's ClusterIPs, of
 * which a cluster may have no more than a few thousand; all of it is in the source's etcd, and much of it in the
 * environment of each pod beside the mirrors: a target must not be able to use them up. What exists stays, as long as
 * it does not grow; of the rest, the first by name fit in.
 */

/** Why a mirror, or a member of a federated Service, is one too many. */
type TooMany = Pick<Refusal, "reason" | "sentence">;

/** How much something takes of what there is a limit to, as it should be and as it is. */
interface Weight {
  readonly wanted: number;
  readonly live: number;
}

/** The mirrors of a link that are beyond what its `maxMirrors` allows. */
export function beyondLimit(
  mirrors: readonly Mirror[],
  link: LinkSpec,
  source: ClusterSnapshot,
): Refusal[] {
  const { owns } = mirrorsOf(link.target);
  const liveOf = (mirror: Mirror) => {
    const live = source.services.get(mirrorKey(mirror));
    return live !== undefined && owns(live) ? live : undefined;
  };
  const refused = new Map<Mirror, TooMany>();
  const left = () => mirrors.filter((mirror) => !refused.has(mirror));
  const refuse = (beyond: readonly Mirror[], why: TooMany) => {
    for (const mirror of beyond) refused.set(mirror, why);
  };
  refuse(
    beyond(mirrors, link.maxMirrors, (mirror) => countOf(liveOf(mirror))),
    tooMany(link, `${mirrors.length} mirrors`),
  );
  const { most, what } = roomOf(link);
  const charactersWanted = (mirror: Mirror): Weight => {
    const live = liveOf(mirror);
    const subsets = source.endpoints.get(mirrorKey(mirror))?.subsets;
    return {
      wanted: charactersOf(mirror, mirror.endpoints?.subsets),
      live: live === undefined ? 0 : charactersOf(sizedOf(live), subsets),
    };
  };
  refuse(beyond(left(), most, charactersWanted), tooMany(link, what));
  const rest = left();
  for (const namespace of new Set(rest.map((mirror) => mirror.namespace))) {
    const there = rest.filter((mirror) => mirror.namespace === namespace);
    const variables = Math.max(bounds.variables.most * link.maxMirrors, 2 ** 18);
    const weigh = (mirror: Mirror): Weight => {
      const live = liveOf(mirror);
      const isKnown = live !== undefined && !isHeadless(live);
      return {
        wanted: mirror.kind === "headless" ? 0 : variablesOf(mirror.name, mirror.ports),
        live: isKnown ? variablesOf(mirror.name, live.spec.ports) : 0,
      };
    };
    const why = `more than ${inWords(variables)} characters in the environment of each pod of namespace ${namespace}`;
    refuse(beyond(there, variables, weigh), tooMany(link, why));
  }
  return [...refused].map(([mirror, why]) => ({ mirror, ...why }));
}

/** The Services of a link's target that would be members beyond its `maxMirrors`, each with why. */
export function membersBeyondLimit(
  services: readonly Service[],
  link: LinkSpec,
  source: ClusterSnapshot,
): ReadonlyMap<Service, TooMany> {
  const liveOf = ({ metadata: { namespace, name } }: Service) => {
    const live = source.services.get(objectKey(namespace, federatedName(name)));
    const tokens = tokensIn(live?.metadata.annotations ?? {});
    const isMember = tokens.includes(memberToken(name, link.target));
    return live !== undefined && federated.owns(live) && isMember ? live : undefined;
  };
  const sorted = services.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const many = beyond(sorted, link.maxMirrors, (service) => countOf(liveOf(service)));
  const { most, what } = roomOf(link);
  const large = beyond(sorted, most, (service) => {
    const live = liveOf(service);
    return {
      wanted: charactersOf(sizedOf(service)),
      live: live === undefined ? 0 : charactersOf(sizedOf(live)),
    };
  });
  const why = tooMany(link, `${services.length} members of federated Services`);
  return new Map([
    ...large.map((service) => [service, tooMany(link, what)] as const),
    ...many.map((service) => [service, why] as const),
  ]);
}

function countOf(live: Service | undefined): Weight {
  return { wanted: 1, live: live === undefined ? 0 : 1 };
}

function sizedOf({ metadata, spec }: Service) {
  return { ...metadata, ports: spec.ports };
}

function roomOf({ maxMirrors }: LinkSpec) {
  const most = Math.max(bounds.mirror.most * maxMirrors, 2 ** 20);
  return { most, what: `mirrors of more than ${inWords(most)} characters` };
}

/** What is new or grows and does not fit beside the rest. */
function beyond<T>(all: readonly T[], most: number, weigh: (one: T) => Weight): readonly T[] {
  const weighed = all.map((one) => ({ one, ...weigh(one) }));
  let left = weighed.reduce((rest, { wanted, live }) => rest - Math.min(wanted, live), most);
  return weighed.flatMap(({ one, wanted, live }) => {
    const more = wanted - live;
    if (more > 0 && more > left) return [one];
    left -= Math.max(more, 0);
    return [];
  });
}

/** One sentence for all of a link, so that it is told once. */
function tooMany({ source, target, maxMirrors }: LinkSpec, what: string): TooMany {
  return {
    reason: "TooManyMirrors",
    sentence: `${target} exports what would be ${what} on ${source}, and maxMirrors of link ${source}/${target} allows ${maxMirrors}: see whether all of that is meant to be exported, and raise maxMirrors on the link if it is`,
  };
}
