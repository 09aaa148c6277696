import { movedCluster, sameClusters } from "../kubernetes/identity.ts";
import { fallback } from "../kubernetes/client/errors.ts";
import { KubernetesError, omitUndefined } from "../kubernetes/index.ts";
import type { Observed } from "../reading/need.ts";
import { readMesh } from "../reading/read-mesh.ts";
import { type MeshReading, snapshotsIn } from "../reading/reading.ts";
import type { Extent } from "../reading/snapshot.ts";
import { type Failure, resultOf, valueIn, type Result } from "../result.ts";
import { decide } from "./decide/decide.ts";
import { mayHaveOthers } from "./decide/policies/ownership.ts";
import { dispositionsOf, removedLinks } from "./decide/policies/removed-links.ts";
import type { ClusterReadings } from "../model/observation.ts";
import { noRoutes } from "../model/route.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import {
  type Before,
  entryOf,
  failedOver,
  type MirrorsArgs,
  stacksNow,
  withoutRenewed,
} from "../model/state.ts";
import { type CheckedPlan, inputsFor } from "./report/inputs.ts";
import { federatedKeys, observationNotes, withoutControllersLinks } from "./report/notes.ts";
import type { Outcome } from "./report/outcome.ts";
import { withServiceLinks } from "./service-links.ts";
import { statusesOf } from "./report/status.ts";

/**
 * Reads the clusters, and decides. Writes nothing.
 *
 * @param before the inputs of the run before, or in an update the checked ones of its own run
 */
export async function reconcile(
  clusters: Observed,
  args: MirrorsArgs,
  before: Before,
  now: Date,
): Promise<Outcome> {
  const stacks = stacksNow(before, args);
  const extent = extentFor(args);
  const names = Object.keys(args.clusters);
  const reading = await readMesh(args, clusters, {
    clusters: {
      ...Object.fromEntries(names.map((name) => [name, { extent }])),
      [args.source]: {
        extent,
        controllers: (own) =>
          removedLinks(args, before, own).length > 0 || mayHaveOthers(own, stacks),
      },
    },
    links: args.links.map((link) => ({
      link,
      gatewayPending: typeof args.observedGateways?.[link.target] === "string",
      statefulSets: true,
    })),
    judge: (snapshots) => trusted(snapshots, args, before),
  });
  const readings = snapshotsIn(reading);
  const mistakes = mistakesIn(args, readings);
  if (mistakes.length > 0) return { outcome: "invalid", mistakes, readings };
  const decided = await resultOf(
    () => decideFrom(reading, readings, clusters, args, before, now),
    args.source,
  );
  return "value" in decided ? decided.value : withoutSource(readings, args, decided);
}

/** Whatever goes wrong with a source's decisions ends that source alone. */
function withoutSource(readings: ClusterReadings, { source }: MirrorsArgs, why: Failure): Outcome {
  return { outcome: "sourceUnreadable", readings: new Map([...readings, [source, why]]) };
}

async function decideFrom(
  reading: MeshReading,
  readings: ClusterReadings,
  clusters: Observed,
  args: MirrorsArgs,
  before: Before,
  now: Date,
): Promise<Outcome> {
  const source = valueIn(readings.get(args.source));
  if (source === undefined) return { outcome: "sourceUnreadable", readings };
  const stacks = stacksNow(before, args);
  const controllers = reading.clusters.get(args.source)?.controllers ?? { value: [] };
  const removed = dispositionsOf(removedLinks(args, before, source), args, controllers);
  const [routes, running] = await Promise.all([
    routesOf(clusters, args, before),
    // A controller beside a link is named by the run that finds everything in order, too.
    args.links.length > 0 ? linkerdControllers(clusters, args) : undefined,
  ]);
  const { links } = reading;
  const observed = { args, source, links, removed, now, stacks, controllers, routes };
  const known = await withServiceLinks(clusters, { ...observed, memory: before });
  const decided = decide(known);
  // A run that went on might install the controller, which would delete these mirrors.
  const tooEarly = (args.controllerLinks ?? []).flatMap((target) => decided.refusals[target] ?? []);
  if (tooEarly.length > 0) return { outcome: "invalid", mistakes: tooEarly, readings };
  const statuses = statusesOf(known, decided);
  const federated = federatedKeys(decided);
  const isDue = statuses.some((status) => status.isDue);
  const [writers, mayKeep] = await Promise.all([
    running ?? (federated.length > 0 ? linkerdControllers(clusters, args) : []),
    isDue ? mayKeepStatus(clusters, args) : true,
  ]);
  const report = withoutControllersLinks(args, statuses, federated, writers, mayKeep);
  const notes = [...observationNotes(known, decided), ...report.notes];
  return { outcome: "planned", readings, ...known, decided, report: { ...report, notes } };
}

/**
 * Routes are found by their marks in every run, because a run that was killed has left no word of them. A stack that
 * never had `failover` may lack the right to list them, and then has none.
 */
async function routesOf(clusters: Observed, args: MirrorsArgs, before: Before) {
  const { source, failover } = args;
  const extent = failover === undefined ? "mirrors" : undefined;
  return resultOf(() => {
    const routes = clusters.routes(source, entryOf(args, source), extent);
    return failedOver(args, before).length > 0
      ? routes
      : routes.catch(fallback(noRoutes, "forbidden"));
  });
}

/** Without a link, a run only deletes mirrors, so it reads nothing else. */
export function extentFor({ links }: Pick<MirrorsArgs, "links">): Extent {
  return links.length === 0 ? "mirrors" : undefined;
}

async function linkerdControllers(clusters: Observed, args: MirrorsArgs) {
  const { source } = args;
  const read = () => clusters.controllers(source, entryOf(args, source));
  const found = await resultOf(read, source);
  return valueIn(found) ?? [];
}

/** If the API server doesn't answer, the run tries the write, which shows it. */
async function mayKeepStatus(clusters: Observed, args: MirrorsArgs): Promise<boolean> {
  const { source, statusIn: namespace } = args;
  const links = { group: "multicluster.linkerd.io", resource: "links", subresource: "status" };
  const question = { verb: "patch", ...links, ...omitUndefined({ namespace }) };
  try {
    return await clusters.mayDo(source, entryOf(args, source), question);
  } catch (error) {
    if (error instanceof KubernetesError) return true;
    throw error;
  }
}

export interface CheckedSource {
  readonly outcome: Outcome;
  readonly checked: CheckedPlan;
}

/** Decides as a preview does, to find out whether there is a reason to run. */
export async function checkSource(
  clusters: Observed,
  before: Before,
  args: MirrorsArgs,
  now: Date,
): Promise<CheckedSource> {
  const known = withoutRenewed(before);
  const outcome = await reconcile(clusters, args, known, now);
  const checked = await resultOf(
    () => Promise.resolve(inputsFor(known, args, outcome)),
    args.source,
  );
  if ("value" in checked) return { outcome, checked: checked.value };
  const refused = withoutSource(outcome.readings, args, checked);
  return { outcome: refused, checked: inputsFor(known, args, refused) };
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
 * Refuses clusters that aren't what they were, and those that are one. Nothing is concluded from what they report, and
 * their links stay as they are. Pure.
 */
export function trusted(
  readings: ClusterReadings,
  args: MirrorsArgs,
  { identities = {} }: Pick<Before, "identities">,
): ClusterReadings {
  const uids = new Map([...readings].map(([name, reading]) => [name, valueIn(reading)?.identity]));
  const twins = sameClusters(uids);
  const knownAs = (name: string) => entryOf(args, name).uid ?? identities[name];
  const isSource = (uid: string) => uid === uids.get(args.source) && uid === knownAs(args.source);
  return new Map(
    [...readings].map(([name, reading]): [string, Result<ClusterSnapshot>] => {
      const [uid, twin] = [uids.get(name), twins.get(name)];
      if (uid === undefined) return [name, reading];
      const place = { cluster: name, context: entryOf(args, name).context };
      const moved = movedCluster(place, uid, knownAs(name), twin);
      // Both may be known, as after a wrong `uid`.
      const why = moved ?? (name !== args.source && isSource(uid) ? twin : undefined);
      return [name, why === undefined ? reading : { why, cause: "refused" }];
    }),
  );
}
