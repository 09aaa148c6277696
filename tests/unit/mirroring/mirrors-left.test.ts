import { deepEqual } from "node:assert/strict";
import { MirrorsLeft } from "../../../engine/mirroring/mirrors-left.ts";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import { args, argsFor, check, editing, having, settled, west } from "../fixtures/checked.ts";
import { marked } from "../fixtures/marks.ts";

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

  it("lack those of mirrors with another stack's mark, which anybody in the source can write", async () => {
    const forge = (mirror: Service) => marked(mirror, managerOf("acme/other/dev"));
    const after = editing(having(await settled({}, args), { west: west() }), forge);
    const { outcome } = await check(after);
    if (outcome.outcome !== "planned") throw new Error(outcome.outcome);
    const mirrors = new MirrorsLeft();
    mirrors.add(outcome);
    deepEqual([...(mirrors.of("east", "west") ?? [])], []);
  });
});
