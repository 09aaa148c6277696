import { deepEqual } from "node:assert/strict";
import { MirrorsLeft } from "../../../engine/mirroring/mirrors-left.ts";
import { args, argsFor, check, having, settled, west } from "../fixtures/checked.ts";

describe("the Services of which a source still has mirrors after a run", () => {
  const strict = argsFor([{ target: "west", maxDeletions: 0 }]);
  for (const { rule, of, changes, left } of [
    { rule: "are those of mirrors that stay", of: args, changes: {}, left: ["shop/web"] },
    { rule: "lack those of mirrors that go", of: args, changes: { west: west() }, left: [] },
    {
      rule: "include those of mirrors that it may not delete",
      of: strict,
      changes: { west: west() },
      left: ["shop/web"],
    },
  ] as const)
    it(rule, async () => {
      const { outcome } = await check(having(await settled({}, of), changes));
      if (outcome.outcome !== "planned") throw new Error(outcome.outcome);
      const mirrors = new MirrorsLeft();
      mirrors.add(outcome);
      deepEqual([...(mirrors.of("east", "west") ?? [])], left);
      deepEqual(mirrors.of("north", "west"), undefined);
      mirrors.forget("east");
      deepEqual(mirrors.of("east", "west"), undefined);
    });
});
