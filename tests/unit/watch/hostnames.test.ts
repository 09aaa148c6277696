import { deepEqual } from "node:assert/strict";

import { Hostnames } from "../../../engine/watch/hostnames.ts";
import { VirtualTime } from "../../simulation/time.ts";

describe("hostnames of gateways", () => {
  let answers: Record<string, string[] | undefined>;
  let hostnames: Hostnames;

  beforeEach(() => {
    answers = { "a.example": ["10.0.0.1", "10.0.0.2"], "b.example": ["10.0.0.3"] };
    hostnames = new Hostnames((names) => {
      const resolved = names.map((name) => [name, answers[name] ?? []] as const);
      return Promise.resolve(Object.fromEntries(resolved.filter(([, found]) => found.length > 0)));
    });
    hostnames.remember({ "a.example": ["10.0.0.1", "10.0.0.2"], "b.example": ["10.0.0.3"] });
  });

  it("have moved if they lead to other addresses, in whatever order DNS tells them", async () => {
    answers = { "a.example": ["10.0.0.2", "10.0.0.1"], "b.example": ["10.0.0.4"] };
    deepEqual(await hostnames.moved(), ["b.example"]);
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

  it("have not moved if DNS is away", async () => {
    answers = {};
    deepEqual(await hostnames.moved(), []);
  });

  it("are asked about while the last look has needed them", async () => {
    hostnames.remember({ "a.example": ["10.0.0.1", "10.0.0.2"] });
    answers = { "a.example": ["10.0.0.1", "10.0.0.2"], "b.example": ["10.0.0.4"] };
    deepEqual(await hostnames.moved(), []);
  });

  it("have moved once they resolve after they did not", async () => {
    hostnames.remember({ "c.example": [] });
    deepEqual(await hostnames.moved(), []);
    answers["c.example"] = ["10.0.0.5"];
    deepEqual(await hostnames.moved(), ["c.example"]);
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
