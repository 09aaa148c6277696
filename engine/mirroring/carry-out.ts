import { isDeepStrictEqual } from "node:util";
import { cancelledWords } from "../kubernetes/client/deadline.ts";
import { objectKey } from "../kubernetes/objects/objects.ts";
import { omitUndefined } from "../base/omit-undefined.ts";
import { apply, writeStatuses } from "./apply/apply.ts";
import { sentencesOf } from "./apply/failures.ts";
import type { Decided } from "./decide/decide.ts";
import { namespacesToCreate } from "../model/decision.ts";
import { othersAmong } from "../model/marks.ts";
import { deletionTime } from "../model/absent-pods.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { type Before, entryOf, type Inputs, makesLinks, stacksOf } from "../model/state.ts";
import type { Clusters } from "../reading/clusters.ts";
import type { Outcome, Report } from "./report/outcome.ts";
import { type DecidedRoutes, routesPart } from "../model/route.ts";
import { extentFor } from "./need.ts";
import { reconcile } from "./reconcile.ts";
import { lossesOf, whenSettled } from "./settled.ts";
import type { KeysWantedInThisRun } from "./keys-wanted.ts";
import { resultOf, valueIn } from "../base/result.ts";
import { UserError } from "../base/user-error.ts";

/** A check of this source by the same process. */
export interface CheckedRun {
  readonly inputs: Inputs;
  readonly outcome: Outcome;
}

/**
 * Brings a source to the state that its inputs describe. The decisions of this run's check are used if no cluster was
 * read again since; otherwise they are made again. Idempotent: work of an earlier run is found done.
 *
 * @returns sentences about what could not be done
 * @throws Error where nothing was done
 */
export async function carryOut(
  clusters: Clusters,
  wanted: KeysWantedInThisRun,
  inputs: Inputs,
  log: (line: string) => void,
  now: Date,
  checked?: CheckedRun,
): Promise<readonly string[]> {
  const before = withListedBefore(inputs, checked);
  const decide = async () => ({
    outcome: await reconcile(clusters, inputs, before, timeOfCheck(inputs, now)),
  });
  const known = checked === undefined ? [] : lossesOf(checked.outcome);
  const decideAgain = async () => (await whenSettled(clusters, inputs, decide, known)).outcome;
  const first = (await reuseIfUnchanged(clusters, inputs, checked)) ?? (await decideAgain());
  const stale = staleClusters(first, inputs);
  for (const name of stale)
    void clusters.refetch(name, entryOf(inputs, name)).catch(() => undefined);
  const outcome = stale.length === 0 ? first : await decideAgain();
  endIfCancelled(clusters, inputs.source);
  if (outcome.outcome === "invalid") throw new UserError(outcome.mistakes.join("; "));
  const unreachable = new Set(inputs.unreachable);
  const lost = [...outcome.readings].flatMap(([name, reading]) => {
    if ("value" in reading) return [];
    return !unreachable.has(name) || reading.cause === "refused" ? [reading.why] : [];
  });
  if (outcome.outcome === "sourceUnreadable") {
    const late = inputs.refused?.[inputs.source];
    const whys = [...new Set([...lost, ...(late === undefined ? [] : [late])])];
    if (whys.length > 0) throw new UserError(whys.join("; "));
    return [];
  }
  const { decided, report, source, removed } = outcome;
  wanted.add(outcome);
  // The same cluster may be in the config under another name, with the mirrors that were removed here.
  const leaving = new Set(removed.map(({ link }) => link.target));
  const decisions = decided.decisions.filter(
    (each) =>
      each.verdict !== "delete" ||
      each.takenBy !== undefined ||
      !(leaving.has(each.part) && wanted.has(source.identity, each.key)),
  );
  const due = { decisions, routes: decided.failover.routes, statuses: report.statuses };
  const failures = await writeDecided(clusters, inputs, source, due, log);
  return [...new Set([...lost, ...Object.values(decided.refusals), ...failures])];
}

/** @returns sentences about what could not be done */
export async function writeDecided(
  clusters: Clusters,
  state: Pick<Inputs, "source" | "stack" | "clusters" | "links" | "formerStacks">,
  source: ClusterSnapshot,
  {
    decisions,
    routes,
    statuses,
  }: Pick<Decided, "decisions"> & Pick<DecidedRoutes, "routes"> & Pick<Report, "statuses">,
  log: (line: string) => void,
): Promise<readonly string[]> {
  const access = entryOf(state, state.source);
  const kubernetes = await clusters.client(state.source, access);
  const names = stacksOf(state);
  const destination = {
    kubernetes,
    source: state.source,
    time: clusters.time,
    names,
    adopts: (part: string) =>
      state.links.flatMap(({ target, adoptFrom }) =>
        target === part || part === routesPart ? othersAmong(adoptFrom, names) : [],
      ),
  };
  clusters.markStale(access);
  const namespaces = namespacesToCreate(decisions, source);
  const failures = await apply(destination, decisions, namespaces, routes);
  (await writeStatuses(kubernetes, statuses, failures)).forEach(log);
  return sentencesOf(failures);
}

/** After a cancellation, a cluster that couldn't be read must not count as unreachable. */
export function endIfCancelled({ isCancelled }: Pick<Clusters, "isCancelled">, source: string) {
  if (isCancelled)
    throw new UserError(
      `${cancelledWords} before anything was written to ${source}; the next run starts there`,
    );
}

/** Inputs no longer list what this run is to delete, so an update that decides again takes the lists that its check had. */
function withListedBefore(inputs: Inputs, checked: CheckedRun | undefined): Before {
  const { outcome } = checked ?? {};
  if (outcome?.outcome !== "planned") return inputs;
  return { ...inputs, ...omitUndefined({ mirrors: outcome.memory.mirrors }) };
}

async function reuseIfUnchanged(
  clusters: Clusters,
  inputs: Inputs,
  checked: CheckedRun | undefined,
): Promise<Outcome | undefined> {
  const { outcome } = checked ?? {};
  // The engine may pass other inputs, such as those of a saved plan.
  if (outcome?.outcome !== "planned" || !isDeepStrictEqual(checked?.inputs, inputs))
    return undefined;
  const same = [...outcome.readings].map(async ([name, reading]) => {
    return "value" in reading && reading.value === (await snapshotOf(clusters, inputs, name));
  });
  return (await Promise.all(same)).every(Boolean) ? outcome : undefined;
}

/** Mirrors of missing pods stay if the check has kept them, because no preview announced their deletion. */
function timeOfCheck({ missing = {} }: Inputs, now: Date): Date {
  const ends = Object.values(missing).map((since) => deletionTime(since).getTime() - 1);
  return new Date(ends.reduce((first, end) => Math.min(first, end), now.getTime()));
}

/**
 * This run may have created a Link or a gateway a moment ago, while the readings that all sources share are older. Returns
 * the clusters whose reading lacks what this run has just observed.
 */
function staleClusters(outcome: Outcome, inputs: Inputs): readonly string[] {
  if (outcome.outcome !== "planned") return [];
  const { source, statusIn, links, observedGateways = {} } = inputs;
  const lacksLink =
    makesLinks(inputs) &&
    statusIn !== undefined &&
    links.some(({ target }) => outcome.source.links?.has(objectKey(statusIn, target)) !== true);
  const behind = outcome.links.flatMap(({ link, target }) => {
    const observed = observedGateways[link.target];
    if (typeof observed !== "object" || link.gateway === false || "why" in target) return [];
    const announced = valueIn(target.value.gateway)?.announced;
    return isDeepStrictEqual(announced, observed) ? [] : [link.target];
  });
  return [...(lacksLink ? [source] : []), ...behind];
}

async function snapshotOf(
  clusters: Clusters,
  inputs: Inputs,
  name: string,
): Promise<ClusterSnapshot | undefined> {
  const read = () => clusters.snapshot(name, entryOf(inputs, name), extentFor(inputs, name));
  return valueIn(await resultOf(read, name));
}
