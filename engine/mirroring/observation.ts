import { isDeepStrictEqual } from "node:util";
import { movedCluster, sameClusters } from "../kubernetes/identity.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterReadings, LinkObservation } from "../model/observation.ts";
import { type Before, entryOf, type MirrorsArgs, stacksNow } from "../model/state.ts";
import type { MeshReading } from "../reading/reading.ts";
import { type Failure, valueIn } from "../base/result.ts";
import type { SourceObservation } from "./decide/desired.ts";
import { mayHaveOthers } from "./decide/policies/ownership.ts";
import { dispositionsOf, removedLinks } from "./decide/policies/removed-links.ts";
import type { Outcome } from "./report/outcome.ts";

export interface Seen {
  readonly readings: ClusterReadings;
  readonly observation: SourceObservation;
}

/** Takes from a reading of a mesh what decisions about one source depend on, or says why there are none. Pure. */
export function observationOf(
  reading: MeshReading,
  args: MirrorsArgs,
  before: Before,
  now: Date,
): Seen | Exclude<Outcome, { readonly outcome: "planned" }> {
  const { clusters, links: found } = trusted(reading, args, before);
  const readings = new Map(
    Object.keys(args.clusters).map((name) => [name, clusters.get(name)?.snapshot ?? unread(name)]),
  );
  const mistakes = mistakesIn(args, readings);
  if (mistakes.length > 0) return { outcome: "invalid", mistakes, readings };
  const source = valueIn(readings.get(args.source));
  const { controllers: running, routes } = clusters.get(args.source) ?? {};
  if (source === undefined || routes === undefined)
    return { outcome: "sourceUnreadable", readings };
  const stacks = stacksNow(before, args);
  const leaving = removedLinks(args, before, source);
  const isAsked = leaving.length > 0 || mayHaveOthers(source, stacks);
  const controllers = (isAsked ? running : undefined) ?? { value: [] };
  const links = args.links.map((link) => linkIn(found, link, args));
  const removed = dispositionsOf(leaving, args, controllers);
  const observed = { args, source, links, removed, now, stacks, controllers, routes };
  return { readings, observation: { ...observed, memory: before } };
}

function linkIn(
  links: MeshReading["links"],
  link: LinkSpec,
  { observedGateways = {} }: MirrorsArgs,
): LinkObservation {
  const isPending = typeof observedGateways[link.target] === "string";
  const found = links.find(
    ({ link: each, target }) =>
      each.target === link.target &&
      ("why" in target || target.value.gatewayPending === isPending) &&
      isDeepStrictEqual(each, link),
  );
  if (found === undefined) throw new TypeError(`nobody asked for the link to ${link.target}`);
  return found;
}

function mistakesIn({ links }: MirrorsArgs, readings: ClusterReadings): string[] {
  const needed = links.flatMap(({ source, target, unreachable }) =>
    unreachable === "fail" ? [source, target] : [],
  );
  return [...readings].flatMap(([name, reading]) => {
    if ("value" in reading) return [];
    return reading.cause === "invalid" || needed.includes(name) ? [reading.why] : [];
  });
}

/**
 * Refuses clusters that aren't what they were, those that are one, and those that the run distrusts. Nothing is concluded
 * from what they report, and their links stay as they are.
 */
export function trusted(
  { clusters, links, installations }: MeshReading,
  args: Pick<MirrorsArgs, "clusters"> & Partial<Pick<MirrorsArgs, "source" | "distrusted">>,
  { identities = {} }: Pick<Before, "identities">,
): MeshReading {
  const { source, distrusted = {} } = args;
  const names = Object.keys(args.clusters);
  const uids = new Map(
    names.map((name) => {
      const { snapshot = unread(name) } = clusters.get(name) ?? {};
      return [name, name in distrusted ? undefined : valueIn(snapshot)?.identity];
    }),
  );
  const twins = sameClusters(uids);
  const knownAs = (name: string) => entryOf(args, name).uid ?? identities[name];
  const isSource = (uid: string) =>
    source !== undefined && uid === uids.get(source) && uid === knownAs(source);
  const refused = new Map(
    names.flatMap((name): [string, Failure][] => {
      const [uid, twin] = [uids.get(name), twins.get(name)];
      const place = { cluster: name, context: entryOf(args, name).context };
      const moved = uid && movedCluster(place, uid, knownAs(name), twin);
      // Both may be known, as after a wrong `uid`.
      const same = uid && name !== source && isSource(uid) ? twin : undefined;
      const why = distrusted[name] ?? moved ?? same;
      return why ? [[name, { why, cause: "refused" }]] : [];
    }),
  );
  return {
    clusters: new Map(
      [...clusters].map(([name, found]) => {
        const snapshot = refused.get(name);
        return [name, snapshot === undefined ? found : { snapshot }];
      }),
    ),
    links: links.map((found) => {
      const target = refused.get(found.link.target);
      return target === undefined ? found : { link: found.link, target };
    }),
    installations,
  };
}

function unread(name: string): Failure {
  throw new TypeError(`nobody asked for cluster ${name}`);
}
