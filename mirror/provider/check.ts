import { isDeepStrictEqual } from "node:util";
import type { World } from "../observe/world.ts";
import { notMirrored, pendingTexts, withHistory } from "./preview.ts";
import { mirrorsBefore, type MirrorsArgs, type MirrorsInputs } from "./state.ts";
import { nameOf, survey, type Survey } from "./survey.ts";

export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

export interface CheckOutcome {
  readonly inputs: MirrorsInputs;
  readonly failures: readonly CheckFailure[];
  /** Sentences for the person at the terminal that no diff has a place for. */
  readonly notes: readonly string[];
}

/**
 * Plans a link against what is live and puts the plan into the inputs, where a preview shows it.
 * What the user must put right is returned as failures, all of them, and never thrown.
 */
export async function check(
  world: World,
  olds: Partial<MirrorsInputs>,
  args: MirrorsArgs,
  now: () => Date = () => new Date(),
): Promise<CheckOutcome> {
  const result = await survey(world, args);
  if (result.outcome === "mistaken") return failed(args, result.why);
  if (result.outcome === "unreachable") return outage(olds, args, result, now);
  const moved = movedCluster(olds, args, result.identities);
  if (moved !== undefined) return failed(args, moved);
  const { plan, gateway, identities } = result;
  if (plan.refusal !== undefined) return failed(args, plan.refusal);

  const skipped = notMirrored(plan.skips);
  const inputs: Omit<MirrorsInputs, "changes" | "revision"> = {
    ...args,
    identities,
    ...(gateway.known && {
      gatewayAddress: `${gateway.gateway.addresses.join(", ")} port ${String(gateway.gateway.port)}, identity ${gateway.gateway.identity}`,
    }),
    mirrors: plan.mirrors,
    notMirrored: skipped,
  };
  const worthARun =
    plan.changes.length + plan.namespaces.length > 0 ||
    olds.unreachable !== undefined ||
    !isDeepStrictEqual(olds.notMirrored ?? {}, skipped) ||
    olds.gatewayAddress !== inputs.gatewayAddress ||
    olds.revision === undefined;
  const notes = [
    ...(gateway.known ? gateway.warnings : []),
    ...Object.entries(skipped).map(([origin, why]) => `${origin} is not mirrored: ${why}`),
  ].map((note) => `link ${nameOf(args.link)}: ${note}`);
  if (!worthARun)
    return { inputs: { ...inputs, revision: olds.revision ?? 1 }, failures: [], notes };
  const changes = withHistory(olds.changes, pendingTexts(plan, mirrorsBefore(olds)));
  return {
    inputs: { ...inputs, ...(changes !== undefined && { changes }), revision: next(olds) },
    failures: [],
    notes,
  };
}

function next(olds: Partial<MirrorsInputs>): number {
  return (olds.revision ?? 0) + 1;
}

function failed(args: MirrorsArgs, ...whys: readonly string[]): CheckOutcome {
  return {
    inputs: { ...args, mirrors: {}, revision: 0 },
    failures: whys.map((reason) => ({ property: "link", reason })),
    notes: [],
  };
}

/**
 * A cluster that cannot be read says nothing about its Services: everything stays as it is, and
 * the other links go on. Only a link with `unreachable: fail` stops the run.
 */
function outage(
  olds: Partial<MirrorsInputs>,
  args: MirrorsArgs,
  { cluster, why }: Extract<Survey, { readonly outcome: "unreachable" }>,
  now: () => Date,
): CheckOutcome {
  if (args.link.unreachable === "fail") return failed(args, why);
  const before = olds.unreachable?.cluster === cluster ? olds.unreachable : undefined;
  const unreachable = before ?? { cluster, since: now().toISOString(), why };
  return {
    inputs: {
      ...kept(olds),
      ...args,
      mirrors: mirrorsBefore(olds),
      unreachable,
      revision: before === undefined ? next(olds) : (olds.revision ?? 1),
    },
    failures: [],
    notes: [
      `link ${nameOf(args.link)}: its mirrors stay as they are, because since ${unreachable.since} ${why}`,
    ],
  };
}

function kept({ identities, gatewayAddress, notMirrored, changes }: Partial<MirrorsInputs>) {
  return {
    ...(identities !== undefined && { identities }),
    ...(gatewayAddress !== undefined && { gatewayAddress }),
    ...(notMirrored !== undefined && { notMirrored }),
    ...(changes !== undefined && { changes }),
  };
}

function movedCluster(
  olds: Partial<MirrorsInputs>,
  { link, clusters }: MirrorsArgs,
  identities: NonNullable<MirrorsInputs["identities"]>,
): string | undefined {
  const ends = (["source", "target"] as const).filter(
    (end) => olds.identities !== undefined && olds.identities[end] !== identities[end],
  );
  if (ends.length === 0) return undefined;
  const moved = ends.map((end) => {
    const name = link[end];
    return `context ${clusters[name]?.context ?? name} of cluster ${name} now leads to another cluster than last time (its kube-system has UID ${identities[end]}, and had ${olds.identities?.[end] ?? ""})`;
  });
  return `${moved.join("; and ")}: put the context right, or, if the cluster was made anew, take this link out of the stack's state with pulumi state delete and run again`;
}
