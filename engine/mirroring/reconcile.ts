import type { Need, Observed } from "../mesh/need.ts";
import { readMesh } from "../mesh/read-mesh.ts";
import { snapshotsIn } from "../mesh/reading.ts";
import type { Extent } from "../mesh/snapshot.ts";
import { valueIn } from "../result.ts";
import { decide } from "./decide/decide.ts";
import { mayHaveOthers } from "./decide/policies/other-stacks.ts";
import { dispositionsOf, linksWithMarks } from "./decide/policies/removed-links.ts";
import { type Before, type MirrorsArgs, stacksNow, withoutRenewed } from "./model/state.ts";
import { type CheckedPlan, inputsFor } from "./report/inputs.ts";
import { observationNotes } from "./report/notes.ts";
import { withoutControllersLinks, alsoWrittenByOthers } from "./report/other-writers.ts";
import type { Outcome } from "./report/outcome.ts";
import { statusesOf } from "./report/status.ts";
import { mistakesIn, trusted } from "./mistakes.ts";

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
          linksWithMarks(own, args, before).length > 0 || mayHaveOthers(own, stacks),
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
  const source = valueIn(readings.get(args.source));
  if (source === undefined) return { outcome: "sourceUnreadable", readings };
  const controllers = reading.clusters.get(args.source)?.controllers ?? { value: [] };
  const removed = dispositionsOf(linksWithMarks(source, args, before), args, controllers);
  const known = { args, source, links: reading.links, removed, now, stacks, controllers };
  const decided = decide(known);
  const statuses = statusesOf(known, decided);
  const asked = alsoWrittenByOthers(decided, statuses);
  const { clusters: read } = await readMesh(args, clusters, needOfWriters(args, asked), reading);
  const beside = withoutControllersLinks(args, statuses, asked, read.get(args.source));
  const notes = [...observationNotes(known, decided), ...beside.notes];
  return { outcome: "planned", readings, ...known, decided, report: { ...beside, notes } };
}

/** Without a link, there is nothing to do but to delete mirrors. */
export function extentFor({ links }: Pick<MirrorsArgs, "links">): Extent {
  return links.length === 0 ? "mirrors" : undefined;
}

/**
 * Other writers are read only if the status of a Link is due or there are federated Services, which only the
 * decisions can tell: a run that finds everything in order reads none of this.
 */
function needOfWriters(
  { source, statusIn }: MirrorsArgs,
  { due, union }: ReturnType<typeof alsoWrittenByOthers>,
): Need {
  const isDue = due.length > 0;
  const controllers = isDue || union.length > 0;
  return {
    clusters: { [source]: { controllers, statusIn: isDue ? { namespace: statusIn } : undefined } },
    links: [],
  };
}

/** The plan for one source, and the result of reading its clusters. */
export interface CheckedSource {
  readonly outcome: Outcome;
  readonly checked: CheckedPlan;
}

/** Reads the clusters and decides as a preview does, to find out whether there is a reason to run. */
export async function checkSource(
  clusters: Observed,
  before: Before,
  args: MirrorsArgs,
  now: Date,
): Promise<CheckedSource> {
  const known = withoutRenewed(before);
  const outcome = await reconcile(clusters, args, known, now);
  return { outcome, checked: inputsFor(known, args, outcome) };
}
