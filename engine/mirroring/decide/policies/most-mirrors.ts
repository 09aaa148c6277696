import { bounds } from "../../../kubernetes/objects/bounds.ts";
import { isHeadless, keyOf, objectKey, type Service } from "../../../kubernetes/objects/objects.ts";
import type { LinkSpec } from "../../model/link.ts";
import { type Mirror, mirrorKey } from "../../model/mirror.ts";
import { federated, mirrorsOf } from "../../model/owner.ts";
import type { Why } from "../../model/reasons.ts";
import { characters, inWords, type Sized } from "../../model/sizes.ts";
import type { ClusterSnapshot } from "../../model/snapshot.ts";
import { federatedName, memberToken, tokensIn } from "../../model/vocabulary.ts";
import type { Refusal } from "./rules.ts";

/**
 * How much one target may bring into a source. Almost every mirror takes one of the source's ClusterIPs, of
 * which a cluster may have no more than a few thousand; all of it is in the source's etcd, and much of it in the
 * environment of each pod beside the mirrors: a target must not be able to use them up. What exists stays, as long as
 * it does not grow; of the rest, the first by name fit in.
 */

/** A limit for things of which each takes something, as it should be and as it is. */
interface Limit<T> {
  readonly most: number;
  /** What there would be without the limit. */
  readonly what: string;
  readonly wanted: (one: T) => number;
  readonly live: (one: T) => number;
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
  const refused = new Map<Mirror, Why>();
  const fitting = fittingInto(link, refused);
  const some = fitting(mirrors, countOf(link, `${mirrors.length} mirrors`, liveOf));
  const small = fitting(some, {
    ...roomOf(link),
    wanted: (mirror) => charactersOf(mirror, mirror.endpoints?.subsets),
    live: (mirror) => {
      const { subsets } = source.endpoints.get(mirrorKey(mirror)) ?? {};
      return charactersOf(sizedOf(liveOf(mirror)), subsets);
    },
  });
  const most = Math.max(bounds.variables.most * link.maxMirrors, 2 ** 18);
  for (const [namespace, there] of Map.groupBy(small, (mirror) => mirror.namespace))
    fitting(there, {
      most,
      what: `more than ${inWords(most)} characters in the environment of each pod of namespace ${namespace}`,
      wanted: (mirror) => (mirror.kind === "headless" ? 0 : variablesOf(mirror)),
      live: (mirror) => {
        const live = liveOf(mirror);
        if (live === undefined || isHeadless(live)) return 0;
        return variablesOf({ name: mirror.name, ports: live.spec.ports ?? [] });
      },
    });
  return [...refused].map(([mirror, why]) => ({ mirror, ...why }));
}

/** The Services of a link's target that would be members beyond its `maxMirrors`, each with why. */
export function membersBeyondLimit(
  services: readonly Service[],
  link: LinkSpec,
  source: ClusterSnapshot,
): ReadonlyMap<Service, Why> {
  const liveOf = ({ metadata: { namespace, name } }: Service) => {
    const live = source.services.get(objectKey(namespace, federatedName(name)));
    const tokens = tokensIn(live?.metadata.annotations ?? {});
    const isMember = tokens.includes(memberToken(name, link.target));
    return live !== undefined && federated.owns(live) && isMember ? live : undefined;
  };
  const refused = new Map<Service, Why>();
  const fitting = fittingInto(link, refused);
  const sorted = services.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const what = `${services.length} members of federated Services`;
  fitting(fitting(sorted, countOf(link, what, liveOf)), {
    ...roomOf(link),
    wanted: (service) => charactersOf(sizedOf(service)),
    live: (service) => charactersOf(sizedOf(liveOf(service))),
  });
  return refused;
}

/** @param refused takes what is new or grows and does not fit beside the rest, each with why */
function fittingInto<T>({ source, target, maxMirrors }: LinkSpec, refused: Map<T, Why>) {
  return (all: readonly T[], { most, what, wanted, live }: Limit<T>): T[] => {
    // One sentence for all of a link, so that it is told once.
    const sentence = `${target} exports what would be ${what} on ${source}, and maxMirrors of link ${source}/${target} allows ${maxMirrors}: see whether all of that is meant to be exported, and raise maxMirrors on the link if it is`;
    const weighed = all.map((one) => ({ one, wanted: wanted(one), live: live(one) }));
    let left = weighed.reduce((rest, each) => rest - Math.min(each.wanted, each.live), most);
    return weighed.flatMap(({ one, ...each }) => {
      const more = Math.max(each.wanted - each.live, 0);
      if (more > 0 && more > left) {
        refused.set(one, { reason: "TooManyMirrors", sentence });
        return [];
      }
      left -= more;
      return [one];
    });
  };
}

function countOf<T>(
  { maxMirrors }: LinkSpec,
  what: string,
  liveOf: (one: T) => Service | undefined,
): Limit<T> {
  const live = (one: T) => (liveOf(one) === undefined ? 0 : 1);
  return { most: maxMirrors, what, wanted: () => 1, live };
}

function roomOf({ maxMirrors }: LinkSpec) {
  const most = Math.max(bounds.mirror.most * maxMirrors, 2 ** 20);
  return { most, what: `mirrors of more than ${inWords(most)} characters` };
}

function sizedOf(service: Service | undefined): Sized | undefined {
  return service && { ...service.metadata, ports: service.spec.ports };
}

/** As many characters, in about, as a mirror and its Endpoints have, which carry the labels too. */
function charactersOf(sized: Sized | undefined, subsets: readonly object[] = []): number {
  if (sized === undefined) return 0;
  const { labels, annotations, ports = [] } = sized;
  const offered = subsets.reduce<number>((sum, each) => sum + JSON.stringify(each).length, 0);
  return 2 * characters(labels) + characters(annotations) + JSON.stringify(ports).length + offered;
}

/**
 * As many characters, in about, as each pod of the namespace gets to know of a Service by its environment: five variables
 * for a port, and three for the Service, each with its name and an address.
 */
function variablesOf({ name, ports }: Pick<Mirror, "name" | "ports">): number {
  return ports.reduce(
    (sum, port) => sum + 5 * (name.length + 26) + (port.name ?? "").length,
    3 * (name.length + 30),
  );
}
