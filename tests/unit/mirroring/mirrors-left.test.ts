import { deepEqual } from "node:assert/strict";
import { MirrorsLeft } from "../../../engine/mirroring/mirrors-left.ts";
import type { Service } from "../../../engine/kubernetes/objects/objects.ts";
import { linkDefaults } from "../../../engine/model/link.ts";
import { managerOf } from "../../../engine/model/marks.ts";
import {
  args,
  argsFor,
  check,
  editing,
  having,
  type Scenario,
  settled,
  west,
} from "../fixtures/checked.ts";
import { marked } from "../fixtures/marks.ts";
import { exported, exporting, flat, now } from "../fixtures/objects.ts";

const other = managerOf("acme/other/dev");

function dying({ metadata, ...mirror }: Service): Service {
  return { ...mirror, metadata: { ...metadata, deletionTimestamp: now.toISOString() } };
}

async function leftAfter(scenario: Scenario): Promise<readonly string[]> {
  const { outcome } = await check(scenario);
  if (outcome.outcome !== "planned") throw new Error(outcome.outcome);
  const mirrors = new MirrorsLeft();
  mirrors.add(outcome);
  return [...(mirrors.of("east", "west") ?? [])];
}

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

  it("lack those that are flat now", async () => {
    const settledFirst = await settled({}, strict);
    const { selector: remoteDiscoverySelector } = linkDefaults;
    const network = { gateway: false, selector: {}, remoteDiscoverySelector } as const;
    const flatLink = argsFor([{ target: "west", maxDeletions: 0, ...network }]);
    for (const [of, west] of [
      [strict, exporting("west", [flat("shop/web")])],
      [flatLink, exporting("west", [exported("shop/web")])],
    ] as const)
      deepEqual(await leftAfter({ ...having(settledFirst, { west }), args: of }), []);
  });

  // Anybody in the source can do each of these, and would keep access with it.
  for (const { who, edit } of [
    { who: "with another stack's mark", edit: (mirror: Service) => marked(mirror, other) },
    { who: "that a finalizer holds", edit: dying },
    { who: "that state doesn't list", edit: undefined },
  ] as const)
    it(`lack those of mirrors ${who}`, async () => {
      for (const config of [args, strict]) {
        const before = having(await settled({}, config), { west: west() });
        const unlisted = { ...before, before: { ...before.before, mirrors: {} } };
        deepEqual(await leftAfter(edit === undefined ? unlisted : editing(before, edit)), []);
      }
    });
});
