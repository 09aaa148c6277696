import type { Figure } from "./figure.ts";
import { withPair } from "./pair.ts";
import { upAndBareWrites } from "./up-and-bare-writes.ts";

/** The first `up`: what the writes take, and what the whole command does. */
export function measureFirstUp(exports: number): Promise<readonly Figure[]> {
  return withPair(exports, async (pair) => {
    const { figures } = await upAndBareWrites(pair, "first", `${exports} exports`);
    return figures;
  });
}
