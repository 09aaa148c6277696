import { omitUndefined } from "@linkerd-multicluster/engine/base";

/** What a prober says of its gateway. */
export interface Verdict {
  readonly alive: boolean;
  /** Counts failures since the last success. */
  readonly failures: number;
  /** Says why the last probe failed, such as `HTTP status 503`. */
  readonly down?: string;
  /** How long the last successful probe took. */
  readonly milliseconds?: number;
}

export const unknownYet: Verdict = { alive: false, failures: 0 };

/** A single lost packet is no outage, so that a gateway is down with the second failure in a row. */
const enough = 2;

/** @param down why the probe failed */
export function verdictAfter(
  before: Verdict,
  down: string | undefined,
  milliseconds: number,
): Verdict {
  if (down === undefined) return { alive: true, failures: 0, milliseconds };
  const failures = before.failures + 1;
  const alive = before.alive && failures < enough;
  return { alive, failures, down, ...omitUndefined({ milliseconds: before.milliseconds }) };
}
