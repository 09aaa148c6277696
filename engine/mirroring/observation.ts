import { isDeepStrictEqual } from "node:util";
import { movedCluster, sameClusters } from "../kubernetes/identity.ts";
import type { LinkSpec } from "../model/link.ts";
import type { ClusterReadings, LinkObservation } from "../model/observation.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { type Before, entryOf, type MirrorsArgs, stacksNow } from "../model/state.ts";
import type { MeshReading } from "../reading/reading.ts";
import { type Failure, type Result, valueIn } from "../result.ts";
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
  const readings = trusted(reading, args, before);
  const mistakes = mistakesIn(args, readings);
  if (mistakes.length > 0) return { outcome: "invalid", mistakes, readings };
  const source = valueIn(readings.get(args.source));
  const { controllers: found, routes } = reading.clusters.get(args.source) ?? {};
  if (source === undefined || routes === undefined)
    return { outcome: "sourceUnreadable", readings };
  const stacks = stacksNow(before, args);
  const leaving = removedLinks(args, before, source);
  const isAsked = leaving.length > 0 || mayHaveOthers(source, stacks);
  const controllers = (isAsked ? found : undefined) ?? { value: [] };
  const links = args.links.map((link) => linkIn(reading, readings, link, args));
  const removed = dispositionsOf(leaving, args, controllers);
  const observed = { args, source, links, removed, now, stacks, controllers, routes };
  return { readings, observation: { ...observed, memory: before } };
}

function linkIn(
  { links }: MeshReading,
  readings: ClusterReadings,
  link: LinkSpec,
  { observedGateways = {} }: MirrorsArgs,
): LinkObservation {
  const isPending = typeof observedGateways[link.target] === "string";
  const snapshot = readings.get(link.target);
  if (snapshot !== undefined && "why" in snapshot) return { link, target: snapshot };
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
  { clusters }: MeshReading,
  args: Pick<MirrorsArgs, "clusters"> & Partial<Pick<MirrorsArgs, "source" | "distrusted">>,
  { identities = {} }: Pick<Before, "identities">,
): ClusterReadings {
  const { source } = args;
  const readings = Object.keys(args.clusters).map((name): [string, Result<ClusterSnapshot>] => {
    const why = args.distrusted?.[name];
    const { snapshot = unread(name) } = clusters.get(name) ?? {};
    return [name, why === undefined ? snapshot : { why, cause: "refused" }];
  });
  const uids = new Map(readings.map(([name, reading]) => [name, valueIn(reading)?.identity]));
  const twins = sameClusters(uids);
  const knownAs = (name: string) => entryOf(args, name).uid ?? identities[name];
  const isSource = (uid: string) =>
    source !== undefined && uid === uids.get(source) && uid === knownAs(source);
  return new Map(
    readings.map(([name, reading]): [string, Result<ClusterSnapshot>] => {
      const [uid, twin] = [uids.get(name), twins.get(name)];
      if (uid === undefined) return [name, reading];
      const place = { cluster: name, context: entryOf(args, name).context };
      const moved = movedCluster(place, uid, knownAs(name), twin);
      // Both may be known, as after a wrong `uid`.
      const why = moved ?? (name !== source && isSource(uid) ? twin : undefined);
      return [name, why === undefined ? reading : { why, cause: "refused" }];
    }),
  );
}

function unread(name: string): Failure {
  throw new TypeError(`nobody asked for cluster ${name}`);
}
