import { omitUndefined } from "../base/omit-undefined.ts";
import { KubernetesError } from "../kubernetes/client/errors.ts";
import type { Before, MirrorsArgs } from "../model/state.ts";
import { entryOf, withoutRenewed } from "../model/state.ts";
import type { Observed } from "../reading/need.ts";
import { readMesh } from "../reading/read-mesh.ts";
import type { MeshReading } from "../reading/reading.ts";
import { type Failure, resultOf, valueIn } from "../base/result.ts";
import type { ClusterReadings } from "../model/observation.ts";
import { decide } from "./decide/decide.ts";
import { needOfSource } from "./need.ts";
import { observationOf, type Seen } from "./observation.ts";
import { type CheckedPlan, inputsFor } from "./report/inputs.ts";
import {
  federatedKeys,
  observationNotes,
  trustRootsNotes,
  withoutControllersLinks,
} from "./report/notes.ts";
import type { Outcome } from "./report/outcome.ts";
import { statusesOf } from "./report/status.ts";
import { withServiceLinks } from "./service-links.ts";

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
  const reading = await readMesh(args, clusters, needOfSource(args, before));
  return decideSource(reading, clusters, args, before, now);
}

/**
 * Decides about one source from a reading that has what `needOfSource` names. Whatever goes wrong with the decisions ends
 * that source alone.
 *
 * @param clusters asked only for what depends on a decision
 */
export async function decideSource(
  reading: MeshReading,
  clusters: Observed,
  args: MirrorsArgs,
  before: Before,
  now: Date,
): Promise<Outcome> {
  const seen = observationOf(reading, args, before, now);
  if ("outcome" in seen) return seen;
  const decided = await resultOf(() => plannedOutcome(seen, reading, clusters), args.source);
  return "value" in decided ? decided.value : withoutSource(seen.readings, args, decided);
}

function withoutSource(readings: ClusterReadings, { source }: MirrorsArgs, why: Failure): Outcome {
  return { outcome: "sourceUnreadable", readings: new Map([...readings, [source, why]]) };
}

async function plannedOutcome(
  { readings, observation: first }: Seen,
  { clusters: read }: MeshReading,
  clusters: Observed,
): Promise<Outcome> {
  const { args } = first;
  const { observation, decided } = await withServiceLinks(clusters, first, decide(first));
  // A run that went on might install the controller, which would delete these mirrors.
  const tooEarly = (args.controllerLinks ?? []).flatMap((target) => decided.refusals[target] ?? []);
  if (tooEarly.length > 0) return { outcome: "invalid", mistakes: tooEarly, readings };
  const statuses = statusesOf(observation, decided);
  const mayKeep = !statuses.some(({ isDue }) => isDue) || (await mayKeepStatus(clusters, args));
  const controllers = valueIn(read.get(args.source)?.controllers) ?? [];
  const federated = federatedKeys(decided);
  const report = withoutControllersLinks(args, statuses, federated, controllers, mayKeep);
  const notes = [
    ...observationNotes(observation, decided),
    ...trustRootsNotes(observation, report.statuses),
    ...report.notes,
  ];
  return { outcome: "planned", readings, ...observation, decided, report: { ...report, notes } };
}

/** If the API server doesn't answer this question, the run tries the write and reports its error. */
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
