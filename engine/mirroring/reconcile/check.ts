import { isDeepStrictEqual } from "node:util";
import { notMirrored, pendingTexts, subject, withHistory } from "./preview.ts";
import { formerTargets, linksDiffer } from "./removed-targets.ts";
import { mirrorsBefore, type Before, type Inputs, type Planned, type Reach } from "./state.ts";
import type { PlannedSurvey, Survey } from "./survey.ts";

export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

export interface Checked<Args> {
  readonly inputs: Inputs<Args>;
  readonly failures: CheckFailure[];
  /** Sentences for the person at the terminal that no diff has a place for. */
  readonly notes: readonly string[];
}

/**
 * Turns what was found into inputs, where a preview shows it. What the user must put right is
 * returned as failures, all of them, and never thrown.
 *
 * @param pendingStatus lines about Link resources whose status is out of date, by Link
 */
export function check<Args extends Reach>(
  olds: Before,
  args: Args,
  survey: Survey,
  pendingStatus: Readonly<Record<string, Readonly<Record<string, string>>>>,
  now: () => Date = () => new Date(),
): Checked<Args> {
  if (survey.outcome === "mistaken") return failed(args, survey.why);
  if (survey.outcome === "unreachable") return outage(olds, args, survey, now);
  const moved = movedClusters(olds, args, survey.identities);
  if (moved !== undefined) return failed(args, moved);
  const { plan, facts, identities } = survey;
  // Only now: another cluster's Services would make it look as if too many mirrors had to go.
  if (plan.refusal !== undefined) return failed(args, plan.refusal);

  const skipped = notMirrored(plan.skips);
  const inputs = {
    ...args,
    identities: { ...olds.identities, ...identities },
    ...facts,
    mirrors: plan.mirrors,
    ...(Object.keys(skipped).length > 0 && { notMirrored: skipped }),
  };
  const notes = [
    ...survey.notes,
    ...plan.skips.map(
      (skip) => `${subject(skip)} is not mirrored (${skip.reason}): ${skip.sentence}`,
    ),
  ];
  const pending = { ...pendingTexts(plan, mirrorsBefore(olds)), ...pendingStatus };
  const news =
    worthARun(olds, survey, skipped) || linksDiffer(olds, args) || accessDiffers(olds, args);
  if (!news && Object.keys(pendingStatus).length === 0)
    return { inputs: { ...inputs, revision: olds.revision ?? 1 }, failures: [], notes };
  const changes = withHistory(olds.changes, pending);
  return {
    inputs: { ...inputs, ...(changes !== undefined && { changes }), revision: next(olds) },
    failures: [],
    notes,
  };
}

/** Whether there is anything to do, or to tell for the first time. */
function worthARun(
  olds: Partial<Planned>,
  { plan, facts }: PlannedSurvey,
  skipped: Readonly<Record<string, string>>,
): boolean {
  const { gateway, portConflicts = {} } = olds;
  return (
    plan.changes.length + plan.namespaces.length > 0 ||
    olds.unreachable !== undefined ||
    olds.revision === undefined ||
    !isDeepStrictEqual(olds.notMirrored ?? {}, skipped) ||
    !isDeepStrictEqual(gateway, facts.gateway) ||
    !isDeepStrictEqual(portConflicts, facts.portConflicts ?? {})
  );
}

/**
 * Whether a cluster is reached another way than last time. Without a run, state would go on with
 * the old way, and a context that has been renamed could not even be destroyed any more.
 */
function accessDiffers({ clusters = {} }: Before, args: Reach): boolean {
  return Object.entries(args.clusters).some(
    ([name, access]) => clusters[name] !== undefined && !isDeepStrictEqual(clusters[name], access),
  );
}

function next(olds: Partial<Planned>): number {
  return (olds.revision ?? 0) + 1;
}

function failed<Args>(args: Args, reason: string): Checked<Args> {
  const failures = [{ property: "config", reason }];
  return { inputs: { ...args, mirrors: {}, revision: 0 }, failures, notes: [] };
}

/**
 * A cluster that cannot be read says nothing about its Services: everything stays as it is, and
 * the rest of the stack goes on. Only with `unreachable: fail` does the run stop.
 */
function outage<Args extends Reach>(
  olds: Before,
  args: Args,
  { cluster, why, fatal }: Extract<Survey, { readonly outcome: "unreachable" }>,
  now: () => Date,
): Checked<Args> {
  if (fatal) return failed(args, why);
  const before = olds.unreachable?.cluster === cluster ? olds.unreachable : undefined;
  const unreachable = before ?? { cluster, since: now().toISOString(), why };
  const retired = formerTargets(olds, args);
  const untold = before === undefined || linksDiffer(olds, args);
  return {
    inputs: {
      ...kept(olds),
      ...args,
      mirrors: mirrorsBefore(olds),
      ...(retired.length > 0 && { retired }),
      unreachable,
      revision: untold ? next(olds) : (olds.revision ?? 1),
    },
    failures: [],
    notes: [`its mirrors stay as they are, because since ${unreachable.since} ${why}`],
  };
}

function kept(olds: Partial<Planned>): Partial<Planned> {
  const keys = ["identities", "gateway", "portConflicts", "notMirrored", "changes"];
  return Object.fromEntries(Object.entries(olds).filter(([key]) => keys.includes(key)));
}

function movedClusters(
  olds: Partial<Planned>,
  { clusters }: Reach,
  identities: Readonly<Record<string, string>>,
): string | undefined {
  const before = olds.identities ?? {};
  const moved = Object.entries(identities)
    .filter(([name, identity]) => before[name] !== undefined && before[name] !== identity)
    .map(
      ([name, identity]) =>
        `context ${clusters[name]?.context ?? name} of cluster ${name} now leads to another cluster than last time (its kube-system has UID ${identity}, and had ${before[name] ?? "none"})`,
    );
  if (moved.length === 0) return undefined;
  return `${moved.join("; and ")}: put the context right, or, if the cluster was made anew, take this resource out of the stack's state with pulumi state delete and run again`;
}
