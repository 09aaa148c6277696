import { isWrite, mark, requestsOf } from "../audit.ts";
import { writeAgain } from "./bare-writes.ts";
import { type Figure, seconds } from "./figure.ts";
import { withPair } from "./pair.ts";

/** The first `up`: what the writes take, and what the whole command does. */
export function measureFirstUp(exports: number): Promise<Figure[]> {
  return withPair(exports, async ({ bed, stack }) => {
    const { east } = bed.clusters;
    const before = await mark(east);
    const whole = await seconds(() => stack.pulumi("up", "--yes", "--skip-preview"));
    const writes = (await requestsOf(before, "linkerd-multicluster/")).filter(isWrite);
    const began = Math.min(...writes.map(({ received }) => received));
    const ended = Math.max(...writes.map(({ answered }) => answered));
    const { bareWrites } = await writeAgain([east]);
    const against = { what: "bare writes", value: bareWrites };
    const what = `${exports} exports`;
    return [
      { row: "first", what: `${what}: whole up`, value: whole, unit: "s", against },
      {
        ...{ row: "first", what: `${what}: from the first write to the last` },
        ...{ value: (ended - began) / 1000, unit: "s", against },
      },
    ];
  });
}
