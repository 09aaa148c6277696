import { deepEqual } from "node:assert/strict";
import { KeysWantedInThisRun } from "../../../engine/mirroring/keys-wanted.ts";
import { args, argsFor, check, having, settled, west } from "../fixtures/checked.ts";

describe("the keys that a run wants in a cluster", () => {
  const strict = argsFor([{ target: "west", maxDeletions: 0 }]);
  for (const { rule, of, changes } of [
    { rule: "are those of planned mirrors", of: args, changes: {} },
    {
      rule: "include mirrors of an unreachable target",
      of: args,
      changes: { west: "unreachable" },
    },
    { rule: "include mirrors that it may not delete", of: strict, changes: { west: west() } },
  ] as const)
    it(rule, async () => {
      const { outcome } = await check(having(await settled({}, of), changes));
      if (outcome.outcome !== "planned") throw new Error(outcome.outcome);
      const wanted = new KeysWantedInThisRun();
      const has = () => [
        wanted.has("uid-of-east", "shop/web-west"),
        wanted.has("uid-of-east", "shop/own-west"),
        wanted.has("uid-of-another", "shop/web-west"),
      ];
      deepEqual(has(), [false, false, false]);
      wanted.add(outcome);
      deepEqual(has(), [true, false, false]);
    });
});
