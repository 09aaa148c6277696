import { deepEqual } from "node:assert/strict";

import { Hostnames } from "../../../engine/watch/hostnames.ts";
import { VirtualTime } from "../../simulation/time.ts";

describe("hostnames of gateways", () => {
  const known: Readonly<Record<string, readonly string[]>> = {
    "a.example": ["10.0.0.1", "10.0.0.2"],
    "b.example": ["10.0.0.3"],
    "c.example": [],
  };
  let answers: Record<string, readonly string[]>;
  let hostnames: Hostnames;

  beforeEach(() => {
    answers = { ...known };
    hostnames = new Hostnames((names) => {
      const told = names.map((name) => [name, answers[name] ?? []] as const);
      return Promise.resolve(Object.fromEntries(told.filter(([, found]) => found.length > 0)));
    });
    hostnames.remember(known);
  });

  for (const [what, changes, expected] of [
    ["lead to other addresses", { "b.example": ["10.0.0.4"] }, ["b.example"]],
    ["not if DNS tells them in another order", { "a.example": ["10.0.0.2", "10.0.0.1"] }, []],
    ["not if DNS is away", { "a.example": [], "b.example": [] }, []],
    ["resolve after they did not", { "c.example": ["10.0.0.5"] }, ["c.example"]],
    ["not those that the last dry run has not needed", { "d.example": ["10.0.0.6"] }, []],
  ] as const)
    it(`have moved if they ${what}`, async () => {
      answers = { ...known, ...changes };
      deepEqual(await hostnames.moved(), expected);
    });

  it("are told of every half minute, as long as they lead elsewhere", async () => {
    const time = new VirtualTime();
    const stop = new AbortController();
    const told: string[] = [];
    void time.sleep(40_000).then(() => (answers["a.example"] = ["10.0.0.9"]));
    void time.sleep(95_000).then(() => {
      stop.abort();
    });
    await hostnames.watch((name) => told.push(`${name} ${time.now()}`), stop.signal, time);
    deepEqual(told, ["a.example 60000", "a.example 90000"]);
  });

  it("are resolved as the system resolves them, and do no harm where that can't be done", async () => {
    const system = new Hostnames();
    system.remember({ localhost: [], "no-such-name.invalid": [] });
    deepEqual(await system.moved(), ["localhost"]);
    const { execPath } = process;
    process.execPath = "/nowhere";
    try {
      deepEqual(await system.moved(), []);
    } finally {
      process.execPath = execPath;
    }
  });
});
