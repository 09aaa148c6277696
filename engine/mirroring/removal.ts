import { federatedPart } from "../model/owner.ts";
import { type RouteDecision, routeKey } from "../model/route.ts";
import type { Clusters } from "../reading/clusters.ts";
import { type Decision, isSent } from "../model/decision.ts";
import { count } from "../base/message.ts";
import type { Kubernetes } from "../kubernetes/client/interface.ts";
import { keyOf, namespaceOf, type ObjectKey, type Service } from "../kubernetes/objects/objects.ts";
import { resources } from "../kubernetes/objects/resources.ts";
import { SharedValues } from "../kubernetes/objects/shared-values.ts";
import type { ClusterSnapshot } from "../model/snapshot.ts";
import { reconcile } from "./reconcile.ts";
import { entryOf, type Outputs, withoutLinks, withoutRenewed } from "../model/state.ts";
import { about, summaryLines } from "./report/notes.ts";
import { whyUndecided } from "./report/outcome.ts";
import { partsOf } from "./report/parts.ts";
import { lastBackends } from "./report/summary.ts";
import type { KeysWantedInThisRun } from "./keys-wanted.ts";
import { endIfCancelled, writeDecided } from "./carry-out.ts";
import { unlessBug, UserError } from "../base/user-error.ts";

/**
 * Deletes everything that this stack has mirrored into a source, decided from the source alone as for one without
 * links. Mirrors stay if Linkerd's controller now mirrors them, another stack has marked them, or another resource of
 * this run wants them.
 *
 * @returns sentences about what could not be done
 * @throws Error where nothing was done
 */
export async function removeAll(
  clusters: Clusters,
  wanted: KeysWantedInThisRun,
  outputs: Outputs,
  log: (line: string) => void,
  now: Date,
): Promise<readonly string[]> {
  const state = withoutRenewed(outputs);
  const { source: name } = state;
  const entry = entryOf(state, name);
  clusters.refresh(entry);
  const alone = { ...withoutLinks(state), clusters: { [name]: entry } };
  const outcome = await reconcile(clusters, alone, state, now);
  endIfCancelled(clusters, name);
  if (outcome.outcome !== "planned")
    throw new UserError(withWayOut(name, whyUndecided(outcome, name, name) ?? ""));
  const { source, removed, routes, decided, report } = outcome;
  if (wanted.mayWantMore(source.identity))
    throw new UserError(
      `the mirrors of ${name} stay for now, because another source of this run can't be read and may be the same cluster under another name: run again once it can be read`,
    );
  const unknown = removed.find((part) => part.disposition === "unknown");
  if (unknown !== undefined) throw new UserError(unknown.why);
  for (const [part, note] of report.notes) log(about(name, part) + note);
  const isKept = (decision: Decision) =>
    isSent(decision) && wanted.has(source.identity, decision.key);
  const kept = Map.groupBy(decided.decisions.filter(isKept), ({ part }) => part);
  for (const [part, { length }] of kept)
    if (part !== federatedPart)
      log(
        `${about(name, part)}${count(length, "mirror")} left, because this run has the same cluster under another name`,
      );
  const isOurs = ({ key }: RouteDecision) => !wanted.has(source.identity, routeKey(key));
  const due = {
    decisions: decided.decisions.filter((decision) => !isKept(decision)),
    routes: decided.failover.routes.filter(isOurs),
    // If this run has the same link under another resource, its Link keeps naming its mirrors.
    statuses: report.statuses.filter(({ live }) => !kept.has(live.metadata.name)),
  };
  // No preview has shown them, because a provider isn't asked about a resource that goes.
  const byPart = Map.groupBy(due.decisions, ({ part }) => part);
  const client = await clusters.client(name, entry);
  const parts = partsOf(state, {
    ...outcome,
    source: await withNamesakes(client, source, due.decisions),
    decided: {
      ...decided,
      decisions: due.decisions,
      decisionsByPart: new Map(
        [...decided.decisionsByPart.keys()].map((part) => [part, byPart.get(part) ?? []]),
      ),
      failover: { ...decided.failover, routes: due.routes },
    },
  });
  for (const line of summaryLines(name, parts)) log(line);
  const { [name]: held = [] } = decided.refusals;
  const left = "why" in routes ? withWayOut(name, routes.why) : held;
  return [left, await writeDecided(clusters, alone, source, due, log)].flat();
}

/** Only mirrors were read, so a Service that loses its mirrors may still be in the source itself. */
async function withNamesakes(
  kubernetes: Kubernetes,
  source: ClusterSnapshot,
  decisions: readonly Decision[],
): Promise<ClusterSnapshot> {
  const lost = [...lastBackends(source, decisions).values()].flat() as ObjectKey[];
  const keep = new SharedValues();
  const found = [...Map.groupBy(lost, namespaceOf)].map(async ([namespace, keys]) => {
    const services = await kubernetes
      .list(resources.services, { namespace, keep })
      // If nobody knows, nothing is said.
      .catch(unlessBug(keys.map(headAt)));
    return services.map((each) => [keyOf(each), each] as const);
  });
  const beside = (await Promise.all(found)).flat();
  return { ...source, services: new Map([...beside, ...source.services]) };
}

function headAt(key: ObjectKey): Service {
  const [namespace = "", name = ""] = key.split("/");
  return { metadata: { namespace, name, isHead: true }, spec: {} };
}

export function withWayOut(cluster: string, why: string): string {
  return `${why}; if it is gone for good, run pulumi up with linkerd-multicluster:clusters.${cluster}.revoked set to true`;
}
