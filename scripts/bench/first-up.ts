import { isWriteRequest, mark, requestsOf } from "../../tests/bed/audit.ts";
import { writeAgain } from "./bare-writes.ts";
import { type Figure, seconds, spanOf } from "./figure.ts";
import type { Kind } from "./mesh.ts";
import { withPair } from "./pair.ts";

/** Measures the first `up`, how much of it is writes, and the same writes by a bare client. */
export function measureFirstUp(exports: number, kind: Kind): Promise<readonly Figure[]> {
  return withPair(exports, kind, async ({ bed, stack }) => {
    const { east } = bed.clusters;
    const before = await mark(east);
    const whole = await seconds(() => stack.pulumi("up", "--yes", "--skip-preview"));
    const writes = (await requestsOf(before, "linkerd-multicluster/")).filter(isWriteRequest);
    const { bareWrites } = await writeAgain([east]);
    const against = { what: "bare writes", value: bareWrites };
    const [what, value] = [
      `${exports} ${kind} exports: from the first write to the last`,
      spanOf(writes),
    ];
    return [
      { what: `${exports} ${kind} exports: whole up`, value: whole, unit: "s", against },
      { what, value, unit: "s", against },
    ];
  });
}
