import { deepEqual } from "node:assert/strict";

import { movedHostnames } from "../../../../cli/watch/dry-run.ts";

const known = new Map([
  ["a.example", ["10.0.0.1", "10.0.0.2"]],
  ["b.example", []],
]);

describe("a gateway's hostname", () => {
  for (const [what, answers, moved] of [
    ["has moved if it resolves to another address", { "a.example": ["10.0.0.3"] }, ["a.example"]],
    ["has moved if it resolves for the first time", { "b.example": ["10.0.0.4"] }, ["b.example"]],
    ["has not moved if the order differs", { "a.example": ["10.0.0.2", "10.0.0.1"] }, []],
    ["has not moved if it does not resolve: DNS may be down", {}, []],
  ] as const)
    it(what, async () => {
      const found = new Map<string, readonly string[]>(Object.entries(answers));
      const missing = Object.assign(new Error("DNS has no address for it"), { code: "ENOTFOUND" });
      const resolve = (name: string) => {
        const addresses = found.get(name);
        return addresses === undefined ? Promise.reject(missing) : Promise.resolve(addresses);
      };
      deepEqual(await movedHostnames(known, resolve), moved);
    });
});
