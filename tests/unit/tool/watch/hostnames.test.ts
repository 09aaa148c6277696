import { deepEqual } from "node:assert/strict";

import { watchHostnames } from "../../../../tool/watch/hostnames.ts";
import { VirtualTime } from "../../../simulation/time.ts";

describe("hostnames of gateways between dry runs", () => {
  type Addresses = Readonly<Record<string, readonly string[]>>;
  const known: Addresses = {
    "a.example": ["10.0.0.1", "10.0.0.2"],
    "b.example": ["10.0.0.3"],
    "c.example": [],
  };
  /** The names that are told of, and when, in a minute and a half, as DNS answers at each time. */
  async function moved(answers: (now: number) => Addresses): Promise<readonly string[]> {
    const time = new VirtualTime();
    const stop = new AbortController();
    void time.sleep(95_000).then(() => {
      stop.abort();
    });
    const told: string[] = [];
    const watched = {
      known: () => known,
      moved: (name: string) => told.push(`${name} ${time.now()}`),
      resolve: (name: string) => {
        const found = answers(time.now())[name] ?? [];
        return found.length > 0 ? Promise.resolve(found) : Promise.reject(new Error("no address"));
      },
    };
    await watchHostnames({ ...watched, time }, stop.signal);
    return told;
  }

  for (const [what, changes, expected] of [
    ["lead to other addresses", { "b.example": ["10.0.0.4"] }, "b.example"],
    ["resolve after they did not", { "c.example": ["10.0.0.5"] }, "c.example"],
    ["are told in another order", { "a.example": ["10.0.0.2", "10.0.0.1"] }, undefined],
    ["don't resolve: DNS may be away", { "a.example": [], "b.example": [] }, undefined],
    ["were not needed by the last dry run", { "d.example": ["10.0.0.6"] }, undefined],
  ] as const)
    it(`${expected === undefined ? "have not" : "have"} moved where they ${what}`, async () => {
      const told = await moved((now) => ({ ...known, ...(now > 40_000 && changes) }));
      // Every half minute, as long as they lead elsewhere.
      const times = expected === undefined ? [] : [60_000, 90_000];
      deepEqual(
        told,
        times.map((at) => `${expected} ${at}`),
      );
    });
});
