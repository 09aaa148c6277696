import type { Answered } from "@linkerd-multicluster/engine/mirroring";

export interface Verdict {
  readonly alive: boolean;
  /** Counts failures since the last success. */
  readonly failures: number;
  /** Says why the last probe failed, such as `HTTP status 503`. */
  readonly down?: string | undefined;
  /** The last successful probe took this long. */
  readonly milliseconds: number;
}

/** A single lost packet is no outage, so that a gateway is down with the second failure in a row. */
const enough = 2;

/** @param down why the probe failed */
export function verdictAfter(
  before: Verdict | undefined,
  down: string | undefined,
  took: number,
): Verdict {
  if (down === undefined) return { alive: true, failures: 0, milliseconds: took };
  const { alive = false, failures = 0, milliseconds = 0 } = before ?? {};
  return { alive: alive && failures + 1 < enough, failures: failures + 1, down, milliseconds };
}

export function answeredBy({ alive, down = "", milliseconds }: Verdict): Answered {
  return { milliseconds, ...(!alive && { down }) };
}
