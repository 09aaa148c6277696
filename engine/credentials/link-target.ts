import { isDeepStrictEqual } from "node:util";
import type { CheckFailure } from "../providers/failures.ts";
import type { TargetArgs, TargetFacts, TargetInputs, TargetOutputs } from "./state.ts";
import type { TargetReading } from "./target.ts";

/** Reads the target; `before` is the token of the run before. */
export type ReadTarget = (args: TargetArgs, before: string | undefined) => Promise<TargetReading>;

export interface Checked {
  readonly inputs: TargetInputs;
  readonly failures: readonly CheckFailure[];
  /** Sentences for the person at the terminal. */
  readonly notes: readonly string[];
}

/**
 * Puts what the target says into the inputs, where a preview shows it. What is not there yet is no
 * failure: without facts the preview has them unknown, and the update reads them when what this
 * link depends on is there. A target that can't be read keeps what it said in the run before.
 */
export async function checkTarget(
  read: ReadTarget,
  olds: Partial<TargetInputs>,
  args: TargetArgs,
): Promise<Checked> {
  const reading = await read(args, olds.facts?.token);
  if (reading.outcome === "mistaken")
    return {
      inputs: args,
      failures: [{ property: "target", reason: reading.why }],
      notes: [],
    };
  if (reading.outcome === "read") {
    const { facts, rotates, notes } = reading;
    const remark = rotates === undefined ? {} : { remark: `new token: ${rotates}` };
    return { inputs: { ...args, facts, ...remark }, failures: [], notes };
  }
  const kept = factsOfSame(olds, args);
  if (kept === undefined) {
    const remark = `read when the run gets there, because now ${reading.why}`;
    return { inputs: { ...args, remark }, failures: [], notes: [] };
  }
  const remark = `as in the run before, because ${reading.why}`;
  return { inputs: { ...args, facts: kept, remark }, failures: [], notes: [remark] };
}

/** Whether the target says the same as before, to the same questions. Pure: refresh calls it too. */
export function isSameTarget(
  olds: Partial<TargetOutputs>,
  news: Partial<TargetInputs> & TargetArgs,
): boolean {
  return news.facts !== undefined && isDeepStrictEqual(factsOfSame(olds, news), news.facts);
}

/** The facts of `olds`, if they answer the questions of `args`. */
function factsOfSame(olds: Partial<TargetInputs>, args: TargetArgs): TargetFacts | undefined {
  return isDeepStrictEqual(argsIn(olds), argsIn(args)) ? olds.facts : undefined;
}

/** What is asked about the target; the source has no part in it. */
function argsIn(
  all: Partial<TargetInputs>,
): Record<Exclude<keyof TargetArgs, "sourceAccess">, unknown> {
  const { source, target, access, apiServer, targetDomain, gateway } = all;
  const { linkerdNamespace, multiclusterNamespace, rotation } = all;
  return {
    ...{ source, target, access, apiServer, targetDomain, gateway },
    ...{ linkerdNamespace, multiclusterNamespace, rotation },
  };
}

/** How long a load balancer may take to get its address, and how often it is looked at; in ms. */
export interface Patience {
  readonly within: number;
  readonly every: number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

/**
 * The facts for a run that changes things: those that `check` has just found, else what can be read
 * by now, else those of the run before.
 *
 * @throws Error with a sentence that says what is missing
 */
export async function settleTarget(
  read: ReadTarget,
  olds: Partial<TargetOutputs>,
  inputs: TargetInputs,
  { within, every, sleep }: Patience,
): Promise<TargetFacts> {
  if (inputs.facts !== undefined) return inputs.facts;
  for (let waited = 0; ; waited += every) {
    const reading = await read(inputs, olds.facts?.token);
    if (reading.outcome === "read") return reading.facts;
    const comes = reading.outcome === "missing" && reading.soon;
    if (comes && waited < within) {
      await sleep(every);
      continue;
    }
    const kept = reading.outcome === "mistaken" ? undefined : factsOfSame(olds, inputs);
    if (kept === undefined)
      throw new Error(`link ${inputs.source}/${inputs.target}: ${reading.why}`);
    return kept;
  }
}
