import { isDeepStrictEqual } from "node:util";
import { poll, type Polling } from "../kubernetes/client/retry.ts";
import type { TargetArgs, TargetFacts, TargetInputs, TargetOutputs } from "./state.ts";
import type { TargetReading } from "./target.ts";
import { UserError } from "../user-error.ts";

/** Reads the target; `before` is the token of the previous run. */
export type ReadTarget = (args: TargetArgs, before: string | undefined) => Promise<TargetReading>;

export interface CheckedTarget {
  readonly inputs: TargetInputs;
  /** Mistakes that the user has to fix first. */
  readonly mistake?: string;
  readonly notes: readonly string[];
}

/**
 * Puts the target's facts into the inputs, where a preview shows them. Missing objects are no failure: the facts stay
 * unknown in the preview, and the update reads them once everything that the link depends on exists. If a target
 * can't be read, the previous facts are kept.
 */
export async function checkTarget(
  read: ReadTarget,
  olds: Partial<TargetInputs>,
  args: TargetArgs,
): Promise<CheckedTarget> {
  const reading = await read(args, olds.facts?.token);
  if ("value" in reading) {
    const { facts, rotates, notes } = reading.value;
    const remark = rotates === undefined ? {} : { remark: `new token: ${rotates}` };
    return { inputs: { ...args, facts, ...remark }, notes };
  }
  if (reading.cause === "invalid") return { inputs: args, mistake: reading.why, notes: [] };
  const kept = factsOfSame(olds, args);
  if (kept === undefined) {
    const remark = `known after the update, because now ${reading.why}`;
    return { inputs: { ...args, remark }, notes: [] };
  }
  const remark = `kept from the last run, because ${reading.why}`;
  return { inputs: { ...args, facts: kept, remark }, notes: [remark] };
}

/** Whether the facts and arguments are the same as before. Pure, because refresh calls it too. */
export function isSameTarget(
  olds: Partial<TargetOutputs>,
  news: Partial<TargetInputs> & TargetArgs,
): boolean {
  return news.facts !== undefined && isDeepStrictEqual(factsOfSame(olds, news), news.facts);
}

/** The facts of `olds`, if they were read for the same arguments. */
function factsOfSame(olds: Partial<TargetInputs>, args: TargetArgs): TargetFacts | undefined {
  return isDeepStrictEqual(argsIn(olds), argsIn(args)) ? olds.facts : undefined;
}

/** Settings that decide about the token only: a new one waits for the target. */
type OfToken = "sourceAccess" | "sourceUnreachable" | "rotation";

/** Arguments that hold for a single run. */
type OfRun = "adopt" | "awaited" | "targetRefused";

function argsIn(
  all: Partial<TargetInputs>,
): Record<Exclude<keyof TargetArgs, OfToken | OfRun>, unknown> {
  const { source, target, access, apiServer, targetDomain, gateway } = all;
  const { linkerdNamespace, multiclusterNamespace, discoverySelectors } = all;
  return {
    source,
    target,
    access,
    apiServer,
    targetDomain,
    gateway,
    linkerdNamespace,
    multiclusterNamespace,
    discoverySelectors,
  };
}

/**
 * Returns the facts for an update: those that `check` has just found, or else those that can be read now, or else the
 * previous ones.
 *
 * @throws Error with a sentence that says what is missing
 */
export async function settleTarget(
  read: ReadTarget,
  olds: Partial<TargetOutputs>,
  inputs: TargetInputs,
  polling: Polling,
): Promise<TargetFacts> {
  if (inputs.facts !== undefined) return inputs.facts;
  const look = () => read(inputs, olds.facts?.token);
  const reading = await poll(look, (seen) => "value" in seen || seen.soon !== true, polling);
  if ("value" in reading) return reading.value.facts;
  const kept = reading.cause === "invalid" ? undefined : factsOfSame(olds, inputs);
  if (kept !== undefined) return kept;
  const waited = reading.soon === true ? `after ${polling.within / 1_000} s, ` : "";
  throw new UserError(`link ${inputs.source} → ${inputs.target}: ${waited}${reading.why}`);
}
