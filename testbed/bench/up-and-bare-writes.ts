import { type AuditedRequest, isWrite, mark, requestsOf } from "../audit.ts";
import { writeAgain } from "./bare-writes.ts";
import { type Figure, seconds } from "./figure.ts";
import type { Pair } from "./pair.ts";

export interface UpAndBareWrites {
  readonly figures: readonly Figure[];
  /** The requests by which the first `up` wrote, and those of the bare client. */
  readonly writes: readonly AuditedRequest[];
  readonly bare: readonly AuditedRequest[];
}

/** The first `up`, what its writes take of that, and the same writes by a bare client. */
export async function upAndBareWrites(
  { bed, stack }: Pair,
  row: string,
  what: string,
): Promise<UpAndBareWrites> {
  const { east } = bed.clusters;
  const before = await mark(east);
  const whole = await seconds(() => stack.pulumi("up", "--yes", "--skip-preview"));
  const writes = (await requestsOf(before, "linkerd-multicluster/")).filter(isWrite);
  const began = Math.min(...writes.map(({ received }) => received));
  const ended = Math.max(...writes.map(({ answered }) => answered));
  const beforeBare = await mark(east);
  const { bareWrites } = await writeAgain([east]);
  const bare = (await requestsOf(beforeBare)).filter(isWrite);
  const against = { what: "bare writes", value: bareWrites };
  const figures: Figure[] = [
    { row, what: `${what}: whole up`, value: whole, unit: "s", against },
    {
      ...{ row, what: `${what}: from the first write to the last` },
      ...{ value: (ended - began) / 1000, unit: "s", against },
    },
  ];
  return { figures, writes, bare };
}
