import { deepEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { groupIn, groupOf } from "../../../engine/admitting/objects.ts";
import { packed } from "../../../engine/admitting/packing.ts";

type Hosts = ReadonlyMap<string, readonly string[]>;

const clients = [["*.east"], ["*.east", "*.north"]] as const;
const admissions = fc
  .array(fc.tuple(fc.nat(60), fc.nat(1)), { maxLength: 80 })
  .map((all) => new Map(all.map(([host, who]) => [String(host), clients[who] ?? []] as const)));

function changed(before: Hosts, after: Hosts): number {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name)?.join() !== after.get(name)?.join()).length;
}

describe("the routes of a closed gateway", () => {
  it("have each hostname once, beside others with the same clients, and at most 16", () => {
    fc.assert(
      fc.property(admissions, admissions, (first, second) => {
        const after = packed(second, packed(first, new Map()));
        deepEqual([...after.values()].flat().sort(), [...second.keys()].sort());
        for (const [route, hosts] of after) {
          ok(hosts.length <= 16);
          for (const host of hosts) equal(groupOf(second.get(host) ?? []), groupIn(route));
        }
      }),
    );
  });

  it("never need more than 16 places while a hostname moves from one to another", () => {
    fc.assert(
      fc.property(admissions, admissions, (first, second) => {
        const before = packed(first, new Map());
        for (const [route, hosts] of packed(second, before))
          ok(new Set([...hosts, ...(before.get(route) ?? [])]).size <= 16);
      }),
    );
  });

  it("change one by one with the exports, and not at all without", () => {
    fc.assert(
      fc.property(admissions, (all) => {
        const before = packed(all, new Map());
        equal(changed(before, packed(all, before)), 0);
        equal(changed(before, packed(new Map([...all, ["new", clients[0]]]), before)), 1);
        const [first] = all.keys();
        const without = new Map([...all].filter(([host]) => host !== first));
        equal(changed(before, packed(without, before)), first === undefined ? 0 : 1);
      }),
    );
  });
});
